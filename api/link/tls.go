package link

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"sync"
	"time"
)

// ServerTLS serves with a certificate and key in PEM files, TLS 1.2 or later.
// A pair that was replaced is taken up at the next connection; while the new
// files do not fit together the old pair stays.
func ServerTLS(certFile, keyFile string) (*tls.Config, error) {
	p := &pair{certFile: certFile, keyFile: keyFile}
	if err := p.load(); err != nil {
		return nil, fmt.Errorf("TLS certificate %s with key %s: %w", certFile, keyFile, err)
	}
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return p.current(), nil },
	}, nil
}

type pair struct {
	certFile, keyFile string

	mu    sync.Mutex
	cert  *tls.Certificate
	stamp [2]stamp
}

// stamp tells one state of a file from another.
type stamp struct {
	changed time.Time
	size    int64
}

func (p *pair) load() error {
	now := p.stamps() // before reading: a change in between is seen the next time
	cert, err := tls.LoadX509KeyPair(p.certFile, p.keyFile)
	if err != nil {
		return err
	}
	p.cert, p.stamp = &cert, now
	return nil
}

func (p *pair) stamps() (s [2]stamp) {
	for i, name := range []string{p.certFile, p.keyFile} {
		if info, err := os.Stat(name); err == nil {
			s[i] = stamp{info.ModTime(), info.Size()}
		}
	}
	return s
}

func (p *pair) current() *tls.Certificate {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stamps() != p.stamp {
		_ = p.load() // a half-replaced pair: the old one serves until the new one is whole
	}
	return p.cert
}

// ClientTLS trusts the certificates in a PEM file and no others, or those of
// the system when caFile is "". TLS 1.2 or later.
func ClientTLS(caFile string) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if caFile == "" {
		return config, nil
	}
	pem, err := os.ReadFile(caFile)
	if err != nil {
		return nil, fmt.Errorf("CA file: %w", err)
	}
	config.RootCAs = x509.NewCertPool()
	if !config.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("CA file %s holds no certificate in PEM form", caFile)
	}
	return config, nil
}
