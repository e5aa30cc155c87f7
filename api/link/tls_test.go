package link

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"iemesh/api"
)

// authority is a CA of the test's own.
type authority struct {
	*testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{T: t, file: filepath.Join(t.TempDir(), "ca.pem")}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test CA"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	a.cert, a.key = template, a.newKey()
	a.write(a.file, "CERTIFICATE", a.sign(template, a.key))
	return a
}

func (a *authority) newKey() *ecdsa.PrivateKey {
	a.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.Fatal(err)
	}
	return key
}

func (a *authority) sign(template *x509.Certificate, key *ecdsa.PrivateKey) []byte {
	a.Helper()
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	if err != nil {
		a.Fatal(err)
	}
	return der
}

func (a *authority) write(file, kind string, der []byte) {
	a.Helper()
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		a.Fatal(err)
	}
}

func (a *authority) issue(certFile, keyFile string, serial int64) {
	a.Helper()
	key := a.newKey()
	a.write(certFile, "CERTIFICATE", a.sign(&x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "worker"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"winbox.corp"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv4(10, 1, 2, 3)},
	}, key))
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.Fatal(err)
	}
	a.write(keyFile, "PRIVATE KEY", der)
}

func TestTLS(t *testing.T) {
	ca, stranger := newAuthority(t), newAuthority(t)
	certFile, keyFile := filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	ca.issue(certFile, keyFile, 10)
	config, err := ServerTLS(certFile, keyFile)
	if err != nil {
		t.Fatal(err)
	}
	f := newFake()
	s := newServer(f, Options{TLS: config})
	l, err := tls.Listen("tcp", "127.0.0.1:0", config)
	if err != nil {
		t.Fatal(err)
	}
	h := &http.Server{Handler: s, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { _ = h.Serve(l) }()
	defer h.Close()

	trust := func(file string) *Client {
		config, err := ClientTLS(file)
		if err != nil {
			t.Fatal(err)
		}
		return newClient(t, ClientOptions{URL: "https://" + l.Addr().String(), TLS: config})
	}
	client := trust(ca.file)
	call := click("b", 5*time.Second)
	reply, err := client.Do(t.Context(), call)
	wantReply(t, call, reply, err)

	for _, wrong := range []string{stranger.file, ""} {
		start := time.Now()
		_, err = trust(wrong).Do(t.Context(), click("b", time.Minute))
		if e := wantCode(t, err, api.WorkerUnavailable); e.Reason != "certificate" || time.Since(start) > time.Second {
			t.Errorf("%+v after %v", e, time.Since(start))
		}
	}

	// A good Host is a name in the certificate.
	for host, want := range map[string]int{"winbox.corp:7311": 200, "10.1.2.3:7311": 200, "localhost": 200, "evil.test": 403, "10.1.2.4": 403, "": 403} {
		if w := request(t, s, "PUT", path(api.NewID()), good, "Host", host); w.Code != want {
			t.Errorf("%q: %d", host, w.Code)
		}
	}

	serial := func() int64 {
		pool := x509.NewCertPool()
		pool.AddCert(mustParse(t, ca.file))
		conn, err := tls.Dial("tcp", l.Addr().String(), &tls.Config{RootCAs: pool})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		return conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
	}
	// Half a replacement leaves the old pair, a whole one is taken up.
	whole, err := os.ReadFile(keyFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(keyFile, whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if n := serial(); n != 10 {
		t.Errorf("serial %d with half a key", n)
	}
	ca.issue(certFile, keyFile, 1<<40)
	if n := serial(); n != 1<<40 {
		t.Errorf("serial %d after the change", n)
	}
	call = click("b", 5*time.Second)
	reply, err = client.Do(t.Context(), call)
	wantReply(t, call, reply, err)

	if _, err := ServerTLS(certFile, certFile); err == nil {
		t.Error("a certificate was taken for a key")
	}
	for _, bad := range []string{keyFile, filepath.Join(t.TempDir(), "none")} {
		if _, err := ClientTLS(bad); err == nil {
			t.Errorf("%s was taken for a CA", bad)
		}
	}
}

func mustParse(t *testing.T, file string) *x509.Certificate {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(text)
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}
