package e2e

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"iemesh/api"
	"iemesh/test/harness"
)

// newToken adds a token to a file and returns it.
func newToken(t *testing.T, program, file, name string) string {
	t.Helper()
	cmd := exec.Command(program, "token", "new", name, "--token-file", file)
	cmd.Stderr = os.Stderr
	printed, err := cmd.Output()
	if err != nil {
		t.Fatalf("token new: %v", err)
	}
	token := strings.TrimSpace(string(printed))
	if token == "" || strings.ContainsAny(token, " \n") {
		t.Fatalf("token new printed %q", printed)
	}
	lines, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(lines), token) || !strings.Contains(string(lines), name+":") {
		t.Fatalf("the token file: %v %q", err, lines)
	}
	return token
}

func TestHealth(t *testing.T) {
	w := remote(t)
	for name, server := range map[string]*harness.Server{"gateway": w.gateway, "winworker": w.winworker} {
		for path, want := range map[string]string{"/healthz": "", "/readyz": "", "/metrics": "# TYPE "} {
			status, body, err := harness.Get(http.DefaultClient, server.Base+path)
			if err != nil || status != http.StatusOK || !strings.Contains(body, want) {
				t.Errorf("%s%s: %d %.200q %v", name, path, status, body, err)
			}
		}
		if status, _, _ := harness.Get(http.DefaultClient, server.Base+"/nowhere"); status != http.StatusNotFound {
			t.Errorf("%s/nowhere answers %d", name, status)
		}
	}
}

// Without a browser program nothing could be served: alive, but not ready.
func TestNotReadyWithoutABrowser(t *testing.T) {
	t.Parallel()
	for name, program := range map[string]string{"gateway": run.Gateway, "winworker": run.Winworker} {
		t.Run(name, func(t *testing.T) {
			address, err := harness.FreeAddress()
			if err != nil {
				t.Fatal(err)
			}
			p := harness.Running(t, program, []string{"--listen", address}, "PATH="+t.TempDir())
			alive(t, p, address)
			notReady(t, address)
		})
	}
}

func TestNotReadyWithoutAWorker(t *testing.T) {
	t.Parallel()
	nobody, err := harness.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	address, err := harness.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	p := harness.Running(t, run.Gateway, []string{"--listen", address, "--worker", "http://" + nobody})
	alive(t, p, address)
	notReady(t, address)
	client := harness.Connected(t, (&harness.Server{Program: p, Base: "http://" + address}).MCP("", nil), harness.Modern)
	harness.Refused(t, client, "browser_start", nil, "WORKER_UNAVAILABLE")
	harness.Refused(t, client, "inspect_page", nil, "BROWSER_NOT_STARTED")
}

func alive(t *testing.T, p *harness.Program, address string) {
	t.Helper()
	if !harness.Until(harness.Soon, func() bool {
		status, _, err := harness.Get(http.DefaultClient, "http://"+address+"/healthz")
		return err == nil && status == http.StatusOK
	}) {
		t.Fatalf("not alive: %q", p.Lines())
	}
}

func notReady(t *testing.T, address string) {
	t.Helper()
	status, body, err := harness.Get(http.DefaultClient, "http://"+address+"/readyz")
	if err != nil || status != http.StatusServiceUnavailable || !json.Valid([]byte(body)) || len(body) < 10 {
		t.Errorf("/readyz: %d %q %v, want 503 with reasons in JSON", status, body, err)
	}
}

// A bad setting stops the start with exit code 2 and is named as it was given.
func TestBadSettings(t *testing.T) {
	for _, c := range []struct {
		program string
		args    []string
		env     string
		named   string
	}{
		{run.Gateway, []string{"--no-such-flag"}, "", "--no-such-flag"},
		{run.Gateway, []string{"--engine", "netscape"}, "", "--engine"},
		{run.Gateway, []string{"--timeout-ms", "99"}, "", "--timeout-ms"},
		{run.Gateway, nil, "IE_MCP_TIMEOUT_MS=soon", "IE_MCP_TIMEOUT_MS"},
		{run.Gateway, []string{"--stdio"}, "IE_MCP_ALLOWED_ORIGINS=not a url", "IE_MCP_ALLOWED_ORIGINS"},
		{run.Gateway, []string{"--stdio", "--tools", "everything"}, "", "--tools"},
		{run.Gateway, []string{"--listen", "0.0.0.0:0"}, "", "--listen"},
		{run.Gateway, []string{"--worker", "http://192.0.2.1:7311"}, "", "--worker"},
		{run.Gateway, []string{"--listen", "127.0.0.1:0", "--token-file", "/nowhere/tokens"}, "", "--token-file"},
		{run.Winworker, []string{"--listen", "0.0.0.0:0"}, "", "--listen"},
		{run.Winworker, []string{"--idle-timeout", "0s"}, "", "--idle-timeout"},
		{run.Winworker, nil, "IE_MCP_MAX_SESSIONS=-1", "IE_MCP_MAX_SESSIONS"},
		{run.Winworker, []string{"--stdio"}, "", "--stdio"},
		{run.Winworker, []string{"--listen", "127.0.0.1:0", "--tls-cert", "/nowhere/cert.pem", "--tls-key", "/nowhere/key.pem"}, "", "--tls-cert"},
	} {
		p, err := harness.Start(c.program, c.args, c.env)
		if err != nil {
			t.Fatal(err)
		}
		code, ended := p.Ended(harness.GoneWithin)
		if said := strings.Join(p.Lines(), "\n"); !ended || code != 2 || !strings.Contains(said, c.named) {
			t.Errorf("%s %q %s: ended: %t, exit code %d, %q", filepath.Base(c.program), c.args, c.env, ended, code, said)
		}
		for _, left := range p.Stop() {
			t.Errorf("left behind: %s", left)
		}
	}
}

// A flag wins over its variable, even over a bad one.
func TestFlagWinsOverVariable(t *testing.T) {
	gateway := harness.Running(t, run.Gateway, []string{"--stdio", "--engine", "chromium", "--timeout-ms", "5000"},
		"IE_MCP_ENGINE=netscape", "IE_MCP_TIMEOUT_MS=soon")
	client := harness.Connected(t, gateway.Stdio(), harness.Modern)
	harness.Do(t, client, "browser_close", nil)
}

func post(t *testing.T, url string, header http.Header, body string) (int, string) {
	t.Helper()
	request, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = header.Clone()
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	if host := header.Get("Host"); host != "" {
		request.Host = host
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, _ := io.ReadAll(response.Body)
	return response.StatusCode, string(answer)
}

func TestWhoMayCall(t *testing.T) {
	tokens := filepath.Join(t.TempDir(), "tokens")
	token := newToken(t, run.Gateway, tokens, "alice")
	gateway := harness.Serving(t, run.Gateway, nil, "--token-file", tokens)
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	for name, c := range map[string]struct {
		header http.Header
		want   int
	}{
		"no token":       {http.Header{}, 401},
		"a wrong token":  {http.Header{"Authorization": {"Bearer wrong"}}, 401},
		"the token":      {http.Header{"Authorization": {"Bearer " + token}}, 200},
		"another scheme": {http.Header{"Authorization": {"Basic " + token}}, 401},
		"foreign host":   {http.Header{"Authorization": {"Bearer " + token}, "Host": {"evil.example"}}, 403},
		"foreign origin": {http.Header{"Authorization": {"Bearer " + token}, "Origin": {"http://evil.example"}}, 403},
	} {
		status, body := post(t, gateway.Base+"/mcp", c.header, initialize)
		if status != c.want {
			t.Errorf("%s: %d %s, want %d", name, status, body, c.want)
		}
	}
	for _, path := range []string{"/healthz", "/readyz", "/metrics"} {
		if status, _, _ := harness.Get(http.DefaultClient, gateway.Base+path); status != 200 {
			t.Errorf("%s needs a token: %d", path, status)
		}
	}
	client := harness.Connected(t, gateway.MCP(token, nil), harness.Legacy)
	harness.Do(t, client, "browser_close", nil)
	if !harness.Until(5*time.Second, func() bool {
		return slices.ContainsFunc(gateway.Log(), func(line map[string]any) bool {
			return line["tool"] == "browser_close" && line["principal"] == "alice"
		})
	}) {
		t.Errorf("no audit line for alice: %q", gateway.Lines())
	}
	if strings.Contains(strings.Join(gateway.Lines(), ""), token) {
		t.Error("the token is in the log")
	}
}

// On loopback the worker API needs no token, but it is not for browsers.
func TestWorkerRefusesBrowsers(t *testing.T) {
	w := remote(t)
	for name, header := range map[string]http.Header{
		"foreign host": {"Host": {"evil.example"}},
		"origin":       {"Origin": {w.winworker.Base}},
		"fetch":        {"Sec-Fetch-Site": {"cross-site"}},
		"referer":      {"Sec-Fetch-Mode": {"no-cors"}},
	} {
		request, err := http.NewRequest(http.MethodPut, w.winworker.Base+"/v1/operations/"+api.NewID(),
			strings.NewReader(`{"operation":"session_list","timeoutMs":1000,"caller":{"principal":"local"},"policy":{"origins":["*"]}}`))
		if err != nil {
			t.Fatal(err)
		}
		request.Header = header
		request.Host = header.Get("Host")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %d, want 403", name, response.StatusCode)
		}
	}
}

func TestRateLimit(t *testing.T) {
	address, err := harness.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	p := harness.Running(t, run.Gateway, []string{"--listen", address, "--rate", "0.1", "--burst", "3"}, "PATH="+t.TempDir())
	alive(t, p, address)
	client := harness.Connected(t, (&harness.Server{Program: p, Base: "http://" + address}).MCP("", nil), harness.Modern)
	for range 3 {
		harness.Refused(t, client, "browser_start", nil, "INTERNAL_ERROR")
	}
	failure := harness.Refused(t, client, "browser_start", nil, "RATE_LIMITED")
	if wait, _ := failure["retryAfterMs"].(float64); wait <= 0 || wait > 10_000 {
		t.Errorf("retryAfterMs: %v", failure)
	}
}

// Gateway and winworker over TLS, with a token; neither works with the wrong one.
func TestTLSAndTokenBetweenGatewayAndWorker(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	cert, key, roots := certificate(t, folder)
	tokens, token := filepath.Join(folder, "tokens"), filepath.Join(folder, "token")
	write(t, token, newToken(t, run.Winworker, tokens, "gateway1")+"\n")
	winworker := harness.Serving(t, run.Winworker, roots, "--tls-cert", cert, "--tls-key", key, "--token-file", tokens)
	wrong := filepath.Join(folder, "wrong")
	write(t, wrong, "wrong\n")

	good := harness.Serving(t, run.Gateway, nil, "--worker", winworker.Base, "--worker-ca", cert, "--worker-token-file", token)
	client := harness.Connected(t, good.MCP("", nil), harness.Modern)
	started := harness.Do(t, client, "browser_start", nil)
	if at := run.visit(t, client, "/order"); at["title"] != "順序の確認" {
		t.Errorf("navigate: %v", at)
	}

	// Another gateway's token is another owner, and no token is nobody.
	other := newToken(t, run.Winworker, filepath.Join(folder, "tokens2"), "gateway2")
	for name, token := range map[string]string{"no token": "", "a wrong token": "wrong", "an unknown token": other} {
		outcome := harness.Operations{Server: winworker, Token: token}.Put(t, api.NewID(),
			harness.Args{"operation": "session_get", "sessionId": started["sessionId"]})
		if outcome.Status != 401 || outcome.Error.Code != "UNAUTHORIZED" {
			t.Errorf("%s: %d %s", name, outcome.Status, outcome.Body)
		}
	}

	for name, args := range map[string][]string{
		"wrong token":         {"--worker-ca", cert, "--worker-token-file", wrong},
		"no token":            {"--worker-ca", cert},
		"unknown certificate": {"--worker-token-file", token},
	} {
		address, err := harness.FreeAddress()
		if err != nil {
			t.Fatal(err)
		}
		p := harness.Running(t, run.Gateway, append([]string{"--listen", address, "--worker", winworker.Base}, args...))
		alive(t, p, address)
		notReady(t, address)
		c := harness.Connected(t, (&harness.Server{Program: p, Base: "http://" + address}).MCP("", nil), harness.Modern)
		failure := harness.Failure(t, "browser_start", harness.Ask(t, c, "browser_start", nil))
		if code := failure["error"]; code != "WORKER_UNAVAILABLE" && code != "UNAUTHORIZED" {
			t.Errorf("%s: %v", name, failure)
		}
	}
	harness.Do(t, client, "browser_close", nil)
}

func TestGatewayOverTLS(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	cert, key, roots := certificate(t, folder)
	gateway := harness.Serving(t, run.Gateway, roots, "--tls-cert", cert, "--tls-key", key)
	for _, version := range []string{harness.Modern, harness.Legacy} {
		client := harness.Connected(t, gateway.MCP("", roots), version)
		harness.Do(t, client, "browser_close", nil)
	}
}

// The caller who asks for progress gets it while a wait runs, in rising order.
func TestProgressWhileWaiting(t *testing.T) {
	w := remote(t)
	progress := make(chan float64, 100)
	client := mcp.NewClient(&mcp.Implementation{Name: "iemesh-test", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			progress <- r.Params.Progress
		},
	})
	session, err := client.Connect(t.Context(), w.gateway.MCP("", nil), &mcp.ClientSessionOptions{ProtocolVersion: harness.Legacy})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	harness.Do(t, session, "browser_start", nil)
	run.visit(t, session, "/order")
	params := &mcp.CallToolParams{Name: "wait_for", Arguments: harness.Args{"type": "title", "text": "never", "timeoutMs": 4000}}
	params.SetProgressToken("p")
	if _, err := session.CallTool(t.Context(), params); err != nil {
		t.Fatal(err)
	}
	harness.Do(t, session, "browser_close", nil)
	if len(progress) < 2 {
		t.Fatalf("%d notifications during 4 s", len(progress))
	}
	for before := -1.0; len(progress) > 0; {
		now := <-progress
		if now <= before {
			t.Errorf("progress went from %v to %v", before, now)
		}
		before = now
	}
}

// certificate makes a certificate for 127.0.0.1 that signs itself.
func certificate(t *testing.T, folder string) (cert, key string, roots *tls.Config) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "iemesh test"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(time.Hour),
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	write(t, cert, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	write(t, key, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})))
	pool := x509.NewCertPool()
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool.AddCert(parsed)
	return cert, key, &tls.Config{RootCAs: pool}
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(fmt.Errorf("%s: %w", file, err))
	}
}
