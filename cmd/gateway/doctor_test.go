package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"iemesh/api"
	"iemesh/api/link"
	"iemesh/cmd/web"
)

// doctor runs gateway doctor and returns its checks by id.
func runDoctor(t *testing.T, args ...string) (out outcome, checks map[string]api.DoctorCheck, status int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status = run(t.Context(), append([]string{"doctor", "--json"}, args...), nil, nil, &stdout, &stderr)
	if err := json.Unmarshal(stdout.Bytes(), &out); err != nil {
		t.Fatalf("%v: %s %s", err, &stdout, &stderr)
	}
	checks = map[string]api.DoctorCheck{}
	for _, c := range out.Checks {
		checks[c.ID] = c
	}
	return out, checks, status
}

func TestDoctorAsksTheWorker(t *testing.T) {
	tokens := filepath.Join(t.TempDir(), "tokens")
	token, err := link.NewToken(tokens, "office")
	if err != nil {
		t.Fatal(err)
	}
	known, err := link.LoadTokens(tokens)
	if err != nil {
		t.Fatal(err)
	}
	ready := web.Readiness{Ready: true}
	report := api.DoctorReport{System: "windows/386", Engine: "ie", Fit: true, Checks: []api.DoctorCheck{{ID: "zones.equal", State: api.CheckOK}}}
	worker := link.NewHandler(api.WorkerFunc(func(_ context.Context, call *api.Call) (*api.Reply, error) {
		if call.Operation != api.Doctor.Name {
			t.Errorf("asked for %s", call.Operation)
		}
		result, err := json.Marshal(report)
		return &api.Reply{Result: result}, err
	}), link.Options{Tokens: known})
	server := httptest.NewServer(web.NewRouter(web.Options{Path: "/v1/*", API: worker, Ready: func() web.Readiness { return ready }}))
	defer server.Close()
	tokenFile := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(tokenFile, []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	at := []string{"--listen", "127.0.0.1:0", "--worker", server.URL, "--worker-token-file", tokenFile}

	out, checks, status := runDoctor(t, at...)
	if status != 0 || !out.Fit || len(out.Workers) != 1 || out.Workers[0].Address != server.URL || out.Workers[0].Checks[0].ID != "zones.equal" {
		t.Errorf("%d, %+v", status, out)
	}
	for _, id := range []string{"listen.address", "worker.reachable", "worker.clock", "worker.ready", "worker.token"} {
		if checks[id].State != api.CheckOK {
			t.Errorf("%s: %+v", id, checks[id])
		}
	}

	report.Fit = false
	if _, _, status := runDoctor(t, at...); status != 1 {
		t.Errorf("an unfit worker: %d", status)
	}
	report.Fit, ready = true, web.Readiness{Reasons: []string{"the desktop is locked"}}
	if _, checks, status := runDoctor(t, at...); status != 1 || checks["worker.ready"].State != api.CheckProblem {
		t.Errorf("not ready: %d %+v", status, checks["worker.ready"])
	}
	ready = web.Readiness{Ready: true}
	if out, checks, status := runDoctor(t, at[:4]...); status != 1 || checks["worker.token"].State != api.CheckProblem || checks["worker.ready"].State != api.CheckOK || len(out.Workers) != 0 {
		t.Errorf("no token: %d %+v", status, out)
	}
}

func TestDoctorFindsWhatIsWrongHere(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	go func() { // a program of another kind
		for {
			conn, err := taken.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
		}
	}()
	_, checks, status := runDoctor(t, "--listen", taken.Addr().String(), "--token-file", "/nonexistent", "--tls-cert", "/nonexistent", "--tls-key", "/nonexistent",
		"--allowed-origins", "not a site", "--tools", "toys", "--worker", "http://127.0.0.1:1")
	if status != 1 {
		t.Errorf("status %d", status)
	}
	for _, id := range []string{"listen.address", "gateway.tokens", "gateway.tls", "gateway.origins", "gateway.tools", "worker.reachable"} {
		if c := checks[id]; c.State != api.CheckProblem || c.Remedy == "" || c.Found == "" {
			t.Errorf("%s: %+v", id, c)
		}
	}
}
