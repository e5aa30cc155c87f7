package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"iemesh/api"
	"iemesh/cmd/config"
	"iemesh/cmd/program"
	"iemesh/worker/doctor"
)

// outcome is what winworker doctor prints as JSON.
type outcome struct {
	Version string `json:"version"`
	api.DoctorReport
	Verdict    string           `json:"verdict"`
	Repair     *doctor.Repair   `json:"repair,omitempty"`
	SelfTest   *doctor.SelfTest `json:"selfTest,omitempty"`
	ReportFile string           `json:"reportFile,omitempty"`
}

// examine is winworker doctor.
func examine(ctx context.Context, cfg *config.Common, flags config.WorkerDoctor, log *slog.Logger, stdout io.Writer) error {
	if flags.Undo != "" {
		return undo(cfg, flags, stdout)
	}
	if flags.SelfTest { // which is long, and in vain without a place for its report
		if err := os.MkdirAll(flags.Report, 0o755); err != nil {
			return cfg.Bad("report", "%w", err)
		}
	}
	examination := doctor.Examine(ctx, program.Doctor(cfg, log))
	out := outcome{Version: config.Version}
	var failed error
	if flags.Fix {
		repair, err := examination.Fix()
		out.Repair, failed = &repair, err
		if len(repair.Changed) > 0 {
			examination = doctor.Examine(ctx, program.Doctor(cfg, log))
		}
	}
	if flags.SelfTest {
		w := program.Worker(cfg, log)
		test := examination.Test(ctx, w)
		w.Close()
		document := doctor.Document{Made: time.Now().UTC().Truncate(time.Second), Version: config.Version, Report: examination.Report, SelfTest: test}
		path, err := document.Write(flags.Report)
		out.SelfTest, out.ReportFile = &test, path
		failed = errors.Join(failed, err)
	}
	out.DoctorReport = examination.Report
	out.Verdict = program.Verdict("engine "+out.Engine+" on "+out.System, out.Checks)
	if err := out.write(stdout, flags.JSON); err != nil {
		return err
	}
	switch {
	case failed != nil:
		return failed
	case !out.Fit || out.SelfTest != nil && !out.SelfTest.Passed:
		return program.ErrUnfit
	}
	return nil
}

func undo(cfg *config.Common, flags config.WorkerDoctor, stdout io.Writer) error {
	if _, err := os.Stat(flags.Undo); err != nil {
		return cfg.Bad("undo", "%w", err)
	}
	repair, failed := doctor.Undo(flags.Undo)
	if flags.JSON {
		return errors.Join(encode(stdout, repair), failed)
	}
	writeRepair(stdout, &repair)
	return failed
}

func encode(stdout io.Writer, v any) error {
	encoder := json.NewEncoder(stdout)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

func (o outcome) write(stdout io.Writer, asJSON bool) error {
	if asJSON {
		return encode(stdout, o)
	}
	program.WriteChecks(stdout, o.Checks)
	if o.Repair != nil {
		fmt.Fprintln(stdout)
		writeRepair(stdout, o.Repair)
	}
	if o.SelfTest != nil {
		fmt.Fprintln(stdout)
		for _, s := range o.SelfTest.Steps {
			fmt.Fprintf(stdout, "%-12s %-12s %6d ms  %s %s\n", s.State, s.Name, s.DurationMs, s.Error, s.Message)
		}
		fmt.Fprintln(stdout, "report:", o.ReportFile)
	}
	_, err := fmt.Fprintf(stdout, "\n%s\n", o.Verdict)
	return err
}

func writeRepair(stdout io.Writer, r *doctor.Repair) {
	for _, line := range r.Changed {
		fmt.Fprintln(stdout, "changed     ", line)
	}
	for _, line := range r.Left {
		fmt.Fprintln(stdout, "left        ", line)
	}
	if len(r.Changed)+len(r.Left) == 0 {
		fmt.Fprintln(stdout, "nothing to change")
	}
	if r.UndoFile != "" {
		fmt.Fprintf(stdout, "to go back:  winworker doctor --undo \"%s\"\n", r.UndoFile)
	}
	if len(r.Commands) > 0 {
		fmt.Fprintln(stdout, "as administrator:")
	}
	for _, line := range r.Commands {
		fmt.Fprintln(stdout, "            ", line)
	}
}
