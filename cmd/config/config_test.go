package config

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func gateway(t *testing.T, args, env []string) (*Gateway, error) {
	t.Helper()
	var out strings.Builder
	g, _, err := ParseGateway(args, env, &out)
	return g, err
}

func TestDefaults(t *testing.T) {
	g, err := gateway(t, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if g.Listen != "127.0.0.1:7310" || g.TimeoutMs != 10000 || g.IdleTimeout != 15*time.Minute || g.Headless != "auto" ||
		g.LogLevel != "info" || g.Tools != "ie,legacy" || g.AllowedOrigins != "*" || g.Rate != 20 || g.Burst != 40 || g.Stdio {
		t.Errorf("defaults: %+v", g)
	}
	w, request, err := ParseWinWorker(nil, nil, &strings.Builder{})
	if err != nil || w.Listen != "127.0.0.1:7311" || request.Command != Serve {
		t.Errorf("winworker: %+v, %+v, %v", w, request, err)
	}
}

func TestMaxSessionsFollowTheEngine(t *testing.T) {
	for engine, want := range map[string]int{"ie": 1, "edge": 4, "chromium": 4} {
		if g, err := gateway(t, []string{"--engine", engine}, nil); err != nil || g.MaxSessions != want {
			t.Errorf("%s: %d, %v", engine, g.MaxSessions, err)
		}
	}
}

func TestTheFlagWins(t *testing.T) {
	env := []string{"IE_MCP_TIMEOUT_MS=nonsense", "IE_MCP_LISTEN=127.0.0.1:1", "IE_MCP_STDIO=true", "IE_MCP_DRIVER_PATH="}
	g, err := gateway(t, []string{"--timeout-ms", "500", "--listen=127.0.0.1:2"}, env)
	if err != nil {
		t.Fatal(err)
	}
	if g.TimeoutMs != 500 || g.Listen != "127.0.0.1:2" || !g.Stdio || g.DriverPath != "" {
		t.Errorf("%+v", g)
	}
	if !g.Given("timeout-ms") || !g.Given("stdio") || g.Given("driver-path") || g.Given("rate") {
		t.Errorf("given: %v", g.given)
	}
}

func TestBadSettingsAreNamed(t *testing.T) {
	for _, c := range []struct{ args, env, setting, text string }{
		{"", "IE_MCP_TIMEOUT_MS=soon", "IE_MCP_TIMEOUT_MS", "soon"},
		{"", "IE_MCP_TIMEOUT_MS=99", "IE_MCP_TIMEOUT_MS", "100 to 300000"},
		{"--timeout-ms 300001", "IE_MCP_TIMEOUT_MS=99", "--timeout-ms", "100 to 300000"},
		{"", "IE_MCP_ENGINE=netscape", "IE_MCP_ENGINE", "must be one of"},
		{"--engine netscape", "", "", "--engine must be one of"},
		{"", "IE_MCP_HEADLESS=maybe", "IE_MCP_HEADLESS", "must be one of"},
		{"", "IE_MCP_LOG_LEVEL=loud", "IE_MCP_LOG_LEVEL", "must be one of"},
		{"", "IE_MCP_STDIO=perhaps", "IE_MCP_STDIO", "perhaps"},
		{"", "IE_MCP_IDLE_TIMEOUT=15", "IE_MCP_IDLE_TIMEOUT", "duration"},
		{"", "IE_MCP_IDLE_TIMEOUT=1ms", "IE_MCP_IDLE_TIMEOUT", "at least 1s"},
		{"", "IE_MCP_MAX_SESSIONS=0", "IE_MCP_MAX_SESSIONS", "at least 1"},
		{"--engine ie", "IE_MCP_MAX_SESSIONS=2", "IE_MCP_MAX_SESSIONS", "one IE mode session"},
		{"--max-sessions=0", "", "--max-sessions", "at least 1"},
		{"--max-sessions 0", "IE_MCP_MAX_SESSIONS=2", "--max-sessions", "at least 1"},
		{"--max-sessions=-1", "", "--max-sessions", "at least 1"},
		{"--max-sessions=", "", "", "--max-sessions"},
		{"--timeout-ms=0", "", "--timeout-ms", "100 to 300000"},
		{"--timeout-ms=-1", "", "--timeout-ms", "100 to 300000"},
		{"--idle-timeout=0", "", "--idle-timeout", "at least 1s"},
		{"--idle-timeout=-15m", "", "--idle-timeout", "at least 1s"},
		{"--rate=-1", "", "--rate", "0 to 1000000"},
		{"--rate=Inf", "", "--rate", "0 to 1000000"},
		{"--burst=0", "", "--burst", "at least 1"},
		{"--burst=-1", "", "--burst", "at least 1"},
		{"--burst -1", "", "", "--burst"},
		{"", "IE_MCP_RATE=fast", "IE_MCP_RATE", "fast"},
		{"", "IE_MCP_RATE=NaN", "IE_MCP_RATE", "0 to 1000000"},
		{"", "IE_MCP_BURST=0", "IE_MCP_BURST", "at least 1"},
		{"", "IE_MCP_TOOLS=,", "IE_MCP_TOOLS", "no profile"},
		{"", "IE_MCP_WORKER=winbox:7311", "IE_MCP_WORKER", "must be a URL"},
		{"", "IE_MCP_WORKER=http://winbox:7311", "IE_MCP_WORKER", "https://"},
		{"--worker https://secret@winbox:7311", "", "--worker", "no user"},
		{"", "IE_MCP_WORKER_CA=ca.pem", "IE_MCP_WORKER_CA", "needs --worker"},
		{"--tls-cert c.pem", "", "--tls-cert", "go together"},
		{"", "IE_MCP_TLS_KEY=k.pem", "--tls-cert", "go together"},
		{"--nonsense", "", "", "nonsense"},
		{"nonsense", "", "", "nonsense"},
	} {
		_, err := gateway(t, strings.Fields(c.args), strings.Split(c.env, "\n"))
		bad, ok := errors.AsType[*Error](err)
		if !ok || bad.Setting != c.setting || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s %s: %v", c.env, c.args, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("a secret in: %v", err)
		}
	}
}

func TestAllFaultsAreToldAtOnce(t *testing.T) {
	_, err := gateway(t, nil, []string{"IE_MCP_TIMEOUT_MS=1", "IE_MCP_BURST=-1", "IE_MCP_LISTEN=:7310"})
	for _, name := range []string{"IE_MCP_TIMEOUT_MS", "IE_MCP_BURST", "IE_MCP_LISTEN"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s is not in %v", name, err)
		}
	}
}

func TestListenAddresses(t *testing.T) {
	const tls, token, origins = " --tls-cert c --tls-key k", " --token-file t", " --allowed-origins http://legacy01.local"
	for _, c := range []struct{ args, gateway, worker string }{
		{"--listen 127.0.0.1:7310", "", ""},
		{"--listen 127.9.9.9:0", "", ""},
		{"--listen localhost:7310", "", ""},
		{"--listen [::1]:7310", "", ""},
		{"--listen [::ffff:127.0.0.1]:7310", "", ""},
		{"--listen :7310", "names no host", "names no host"},
		{"--listen 7310", "HOST:PORT", "HOST:PORT"},
		{"--listen 127.0.0.1", "HOST:PORT", "HOST:PORT"},
		{"--listen 127.0.0.1:http", "port number", "port number"},
		{"--listen 127.0.0.1:65536", "port number", "port number"},
		{"--listen 0.0.0.0:7310", "--tls-cert", "--tls-cert"},
		{"--listen [::]:7310", "--tls-cert", "--tls-cert"},
		{"--listen localhost.evil.test:7310", "--tls-cert", "--tls-cert"},
		{"--listen 10.0.0.5:7310" + tls, "--token-file", "--token-file"},
		{"--listen 10.0.0.5:7310" + token, "--tls-cert", "--tls-cert"},
		{"--listen winbox:7310" + tls + token, "--allowed-origins", ""},
	} {
		args := strings.Fields(c.args)
		_, err := gateway(t, args, nil)
		check(t, "gateway "+c.args, err, c.gateway)
		_, _, err = ParseWinWorker(args, nil, &strings.Builder{})
		check(t, "winworker "+c.args, err, c.worker)
	}
	for _, explicit := range []string{origins, " --allowed-origins *"} {
		_, err := gateway(t, strings.Fields("--listen 0.0.0.0:7310"+tls+token+explicit), nil)
		check(t, "gateway with"+explicit, err, "")
	}
	_, err := gateway(t, strings.Fields("--stdio --listen 0.0.0.0:7310"), nil)
	check(t, "stdio needs no listener", err, "")
}

func check(t *testing.T, what string, err error, want string) {
	t.Helper()
	if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v, want %q", what, err, want)
	}
}

func TestTokenCommand(t *testing.T) {
	for _, args := range []string{"token new alice --token-file t", "--token-file t token new alice"} {
		// A setting that only serving needs is not looked at.
		g, request, err := ParseGateway(strings.Fields(args), []string{"IE_MCP_LISTEN=:1"}, &strings.Builder{})
		if err != nil || request != (Request{Command: TokenNew, Name: "alice"}) || g.TokenFile != "t" {
			t.Errorf("%s: %+v, %v", args, request, err)
		}
	}
	if _, err := gateway(t, []string{"token", "new"}, nil); err == nil {
		t.Error("a token without a name")
	}
}

func TestDoctorCommand(t *testing.T) {
	args := strings.Fields("doctor --fix --self-test --report r --engine ie --driver-path d")
	w, request, err := ParseWinWorker(args, []string{"IE_MCP_JSON=true", "IE_MCP_UNDO=file"}, &strings.Builder{})
	if err != nil || request != (Request{Command: Doctor, Doctor: WorkerDoctor{Fix: true, SelfTest: true, Report: "r"}}) || w.DriverPath != "d" {
		t.Errorf("%+v, %v", request, err)
	}
	for _, wrong := range []string{"doctor --fix --undo f", "doctor --timeout-ms 1", "doctor nonsense", "--fix"} {
		if _, _, err := ParseWinWorker(strings.Fields(wrong), nil, &strings.Builder{}); err == nil {
			t.Errorf("%s is taken", wrong)
		}
	}
	_, request, err = ParseGateway([]string{"doctor", "--json"}, nil, &strings.Builder{})
	if err != nil || request != (Request{Command: Doctor, Doctor: WorkerDoctor{JSON: true}}) {
		t.Errorf("%+v, %v", request, err)
	}
}

func TestHelpShowsTheVariables(t *testing.T) {
	var out strings.Builder
	_, _, err := ParseGateway([]string{"--help"}, nil, &out)
	if !errors.Is(err, ErrTold) {
		t.Errorf("error %v", err)
	}
	for _, s := range []string{"$IE_MCP_WORKER_TOKEN_FILE", "(4, with ie 1; $IE_MCP_MAX_SESSIONS)", "token new"} {
		if !strings.Contains(strings.Join(strings.Fields(out.String()), " "), s) {
			t.Errorf("%s is not in\n%s", s, &out)
		}
	}
}

func TestSettings(t *testing.T) {
	list, err := Settings()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"--listen", "--engine", "--driver-path", "--edge-path", "--headless", "--timeout-ms", "--max-sessions",
		"--idle-timeout", "--token-file", "--tls-cert", "--tls-key", "--log-level", "--log-file", // of both
		"--stdio", "--worker", "--worker-token-file", "--worker-ca", "--tools", "--allowed-origins", "--rate", "--burst"}
	if len(list) != len(want) {
		t.Fatalf("%d settings, want %d", len(list), len(want))
	}
	for i, s := range list {
		if s.Flag != want[i] || s.Both != (i < 13) || s.Meaning == "" || !strings.HasPrefix(s.Variable, "IE_MCP_") {
			t.Errorf("%d: %+v", i, s)
		}
	}
}
