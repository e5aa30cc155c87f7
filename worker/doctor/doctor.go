// Package doctor tells whether a machine is fit for browsers: the registry,
// desktop, driver and Edge that IE mode needs, or a browser and a driver that
// fit together. It mends what belongs to the user, and undoes that; and it
// carries a session through a page of its own.
//
// Facts are read first, and judged apart from that: only the reading of some
// needs Windows.
package doctor

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"

	"iemesh/api"
	"iemesh/worker/driver"
)

// Config says what a machine is to be fit for.
type Config struct {
	Browser  driver.Config
	Listen   string // address to serve at, "host:port"; "" = none
	Try      bool   // run the driver; and the browser, except IE mode on Windows: a desktop takes one
	Sessions int    // that this process has open
}

// Examination is a report, and what the doctor can do about it.
type Examination struct {
	Report  api.DoctorReport
	changes []change // of what is not as it must be
}

// Examine examines this machine. It changes nothing.
func Examine(ctx context.Context, cfg Config) Examination {
	x := &examination{registry: ThisSystem()}
	x.facts = read(ctx, cfg, x)
	return x.judge(ctx, cfg)
}

// read gathers the facts.
func read(ctx context.Context, cfg Config, x *examination) facts {
	f := systemFacts()
	f.temp = temporary()
	found, err := driver.Locate(cfg.Browser)
	if e, ok := errors.AsType[*driver.Error](err); ok {
		err = errors.New(e.Message)
	}
	switch {
	case found.Driver == "":
		f.driver.failed = err
		if found.Browser == "" {
			f.browser.failed = errors.New("no browser was found")
		}
	case found.Browser == "":
		f.browser.failed = err
	}
	if cfg.Browser.Engine == "ie" {
		if found.Driver != "" {
			f.driver = look(found.Driver)
			if cfg.Try && x.registry != nil {
				f.run, f.runs = driver.Version(ctx, found.Driver)
			}
			if f.driver.version == "" {
				f.driver.version = versionPattern.FindString(f.run)
			}
		}
		if x.registry != nil {
			f.browser = x.findEdge(cfg.Browser.BrowserPath)
		}
		return f
	}
	windows := runtime.GOOS == "windows" // where a console appears, or a browser opens instead
	if found.Driver != "" {
		f.driver = ask(ctx, found.Driver, cfg.Try || !windows)
	}
	if found.Browser != "" {
		f.browser = ask(ctx, found.Browser, !windows)
	}
	return f
}

// judge makes all checks, in their order.
func (x *examination) judge(ctx context.Context, cfg Config) Examination {
	windows := x.registry != nil
	if windows {
		x.windows()
	}
	switch {
	case cfg.Browser.Engine == "ie" && windows:
		x.desktop()
		x.ieDriver(cfg.Try)
		x.ieBrowser()
		x.explorer()
		x.zones()
		x.edgePolicies()
		x.oneSession(cfg.Sessions)
	case cfg.Browser.Engine == "ie":
		x.driverFound()
		x.starts(ctx, cfg.Browser, cfg.Try)
	default:
		x.webdriver()
		x.starts(ctx, cfg.Browser, cfg.Try)
	}
	x.temporary()
	if cfg.Listen != "" {
		x.listener(ctx, cfg.Listen)
	}
	return x.conclude(cfg.Browser.Engine)
}

func (x *examination) windows() {
	f := x.check("system.windows", "Windows", "10 or later, or Server 2016 or later", "Drivers of today do not run on older ones.")
	if x.facts.old {
		f.problem("%s", x.facts.system).mend("Use a newer Windows.")
		return
	}
	f.ok("%s", x.facts.system)
}

func (x *examination) conclude(engine string) Examination {
	e := Examination{Report: api.DoctorReport{System: runtime.GOOS + "/" + runtime.GOARCH, Engine: engine, Fit: true, Checks: []api.DoctorCheck{}}}
	if x.facts.system != "" {
		e.Report.System += ", " + x.facts.system
	}
	for _, f := range x.findings {
		c := f.result()
		for _, text := range []*string{&c.Found, &c.Remedy} {
			*text = discreet(*text)
		}
		e.Report.Checks = append(e.Report.Checks, c)
		e.Report.Fit = e.Report.Fit && c.State != api.CheckProblem
		if c.State == api.CheckProblem || c.State == api.CheckWarning {
			e.changes = append(e.changes, f.changes...)
		}
	}
	return e
}

// discreet takes the name of the user out of paths below the home folder.
func discreet(text string) string {
	for _, home := range homes() {
		text = strings.ReplaceAll(text, home, homeName)
	}
	return text
}

// homes are the ways to write the home folder.
func homes() []string {
	home, err := os.UserHomeDir()
	if err != nil || len(home) < 2 {
		return nil
	}
	return append([]string{home}, shortPath(home)...)
}
