package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"time"

	"iemesh/api"
	"iemesh/api/link"
	"iemesh/api/origin"
	"iemesh/cmd/config"
	"iemesh/cmd/gateway/mcpserver"
	"iemesh/cmd/program"
	"iemesh/worker/doctor"
)

// outcome is what gateway doctor prints as JSON.
type outcome struct {
	Version string            `json:"version"`
	Fit     bool              `json:"fit"`
	Checks  []api.DoctorCheck `json:"checks"` // of the gateway itself
	Workers []workerReport    `json:"workers"`
}

type workerReport struct {
	Address string `json:"address"` // "" = this process
	api.DoctorReport
}

// examine is gateway doctor: the gateway's own side, and what its worker says of
// its machine.
func examine(ctx context.Context, cfg *config.Gateway, asJSON bool, log *slog.Logger, stdout io.Writer) error {
	out := outcome{Version: config.Version, Workers: []workerReport{}}
	out.Checks = append(settings(cfg), listener(ctx, cfg)...)
	if cfg.Worker == "" {
		machine := program.Doctor(&cfg.Common, log)
		machine.Listen = "" // it is the gateway's
		out.Workers = append(out.Workers, workerReport{DoctorReport: doctor.Examine(ctx, machine).Report})
	} else {
		out.consult(ctx, cfg)
	}
	out.Fit = fit(out.Checks)
	for _, w := range out.Workers {
		out.Fit = out.Fit && w.Fit
	}
	if err := out.write(stdout, asJSON); err != nil {
		return err
	}
	if !out.Fit {
		return program.ErrUnfit
	}
	return nil
}

func fit(checks []api.DoctorCheck) bool {
	for _, c := range checks {
		if c.State == api.CheckProblem {
			return false
		}
	}
	return true
}

func (o outcome) write(stdout io.Writer, asJSON bool) error {
	if asJSON {
		encoder := json.NewEncoder(stdout)
		encoder.SetEscapeHTML(false)
		return encoder.Encode(o)
	}
	program.WriteChecks(stdout, o.Checks)
	verdicts := program.Verdict("gateway", o.Checks)
	for _, w := range o.Workers {
		name := w.Address
		if name == "" {
			name = "this machine"
		}
		fmt.Fprintf(stdout, "\n%s (engine %s, %s)\n", name, w.Engine, w.System)
		program.WriteChecks(stdout, w.Checks)
		verdicts += "; " + program.Verdict(name, w.Checks)
	}
	_, err := fmt.Fprintf(stdout, "\n%s\n", verdicts)
	return err
}

// check makes a finished check. A failure is a problem.
func check(id, title, found, remedy string, failed error) api.DoctorCheck {
	c := api.DoctorCheck{ID: id, Title: title, State: api.CheckOK, Found: found}
	if failed != nil {
		c.State, c.Found, c.Remedy = api.CheckProblem, failed.Error(), remedy
	}
	return c
}

// settings looks at what the settings name. That they can be read has been checked.
func settings(cfg *config.Gateway) []api.DoctorCheck {
	list := config.List(cfg.AllowedOrigins)
	_, err := origin.Parse(list)
	origins := check("gateway.origins", "Allowed origins", fmt.Sprintf("%d", len(list)), "Correct --allowed-origins.", err)
	if err == nil && cfg.AllowedOrigins == "*" {
		origins.State, origins.Found = api.CheckInformation, "every site"
	}
	_, err = mcpserver.Tools(config.List(cfg.Tools))
	return []api.DoctorCheck{origins, check("gateway.tools", "Tool profiles", cfg.Tools, "Correct --tools.", err)}
}

// listener looks at where the gateway serves, and for whom.
func listener(ctx context.Context, cfg *config.Gateway) []api.DoctorCheck {
	if cfg.Stdio {
		return nil
	}
	tokens := check("gateway.tokens", "Tokens of callers", cfg.TokenFile, "", nil)
	if cfg.TokenFile == "" {
		tokens.State, tokens.Found = api.CheckInformation, "none needed: only programs of this machine can call"
	} else if _, err := link.LoadTokens(cfg.TokenFile); err != nil {
		tokens = check("gateway.tokens", "Tokens of callers", "", "gateway token new NAME --token-file FILE makes one.", err)
	}
	return []api.DoctorCheck{tokens, certificate(cfg), doctor.Listener(ctx, cfg.Listen)}
}

// soon is when a certificate should be replaced.
const soon = 14 * 24 * time.Hour

func certificate(cfg *config.Gateway) api.DoctorCheck {
	const id, title = "gateway.tls", "Certificate"
	if cfg.TLSCert == "" {
		c := check(id, title, "none: plain HTTP, on this machine alone", "", nil)
		c.State = api.CheckInformation
		return c
	}
	server, err := link.ServerTLS(cfg.TLSCert, cfg.TLSKey)
	if err != nil {
		return check(id, title, "", "Name a certificate and its key, in PEM form.", err)
	}
	pair, err := server.GetCertificate(nil)
	if err != nil {
		return check(id, title, "", "", err)
	}
	until, now := pair.Leaf.NotAfter, time.Now()
	c := check(id, title, "until "+until.Format(time.DateOnly), "", nil)
	switch {
	case now.After(until) || now.Before(pair.Leaf.NotBefore):
		c.State, c.Found = api.CheckProblem, "from "+pair.Leaf.NotBefore.Format(time.DateOnly)+" "+c.Found
		c.Remedy = "Replace it; the files are read anew."
	case now.Add(soon).After(until):
		c.State, c.Remedy = api.CheckWarning, "Replace it in time; the files are read anew."
	}
	return c
}

// mostSkew is how far the clocks of gateway and worker may be apart.
const mostSkew = 5 * time.Minute

// consult asks the worker elsewhere.
func (o *outcome) consult(ctx context.Context, cfg *config.Gateway) {
	b, err := connect(cfg)
	if err != nil {
		o.Checks = append(o.Checks, check("worker.settings", "Settings of the worker's address", "", "Correct that setting.", err))
		return
	}
	defer b.close()
	client := b.Worker.(*link.Client)
	began := time.Now()
	clock, err := client.Alive(ctx)
	if err != nil {
		o.Checks = append(o.Checks, check("worker.reachable", "Worker answers", "", "Does winworker run, does --worker-ca hold its certificate, and does a firewall or proxy stand between? curl -k "+cfg.Worker+"/healthz", detailed(err)))
		return
	}
	took := time.Since(began)
	o.Checks = append(o.Checks, check("worker.reachable", "Worker answers", fmt.Sprintf("%s, in %d ms", cfg.Worker, took.Milliseconds()), "", nil))
	if skew := clock.Sub(began).Abs(); !clock.IsZero() {
		c := check("worker.clock", "Clocks agree", "yes", "", nil)
		if skew > mostSkew {
			c.State, c.Found, c.Remedy = api.CheckWarning, fmt.Sprintf("they are %v apart", skew.Round(time.Second)), "Set the clocks: certificates are judged by them, and log lines compared."
		}
		o.Checks = append(o.Checks, c)
	}
	ready := client.Ready(ctx)
	if api.AsError(ready).Code == api.Unauthorized {
		ready = nil
	}
	o.Checks = append(o.Checks, check("worker.ready", "Worker is ready", "yes", "See what the worker says of its machine.", detailed(ready)))

	call := api.Call{TimeoutMs: api.Doctor.Timeout.Milliseconds(), Caller: api.Caller{Principal: "doctor"}}
	report, _, err := api.Do(ctx, client, api.Doctor, call, api.Empty{})
	last := check("worker.token", "Worker knows our token", "yes", "", nil)
	switch {
	case err == nil:
		o.Workers = append(o.Workers, workerReport{cfg.Worker, report})
	case api.AsError(err).Code == api.Unauthorized:
		last = check("worker.token", last.Title, "", "winworker token new NAME makes one; put it into --worker-token-file.", detailed(err))
	default: // of the token that says nothing
		last = check("worker.report", "Worker examines its machine", "", "A winworker of an older version cannot: update it.", detailed(err))
	}
	o.Checks = append(o.Checks, last)
}

// detailed is an error with its cause, which the operator may see.
func detailed(err error) error {
	if err == nil {
		return nil
	}
	e := api.AsError(err)
	if e.Cause == nil {
		return fmt.Errorf("%s", e.Message)
	}
	return fmt.Errorf("%s (%w)", e.Message, e.Cause)
}
