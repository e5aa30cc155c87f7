package harness

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// FreeAddress is an address on loopback that nobody listens on.
func FreeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer listener.Close()
	return listener.Addr().String(), nil
}

// startWithin is how long a server may take until it is ready.
const startWithin = 20 * time.Second

// Ready waits until GET base/readyz answers 200, or tells why not.
func (p *Program) Ready(client *http.Client, base string) error {
	last := "no answer"
	ready := Until(startWithin, func() bool {
		if _, ended := p.Ended(0); ended {
			return true
		}
		status, body, err := Get(client, base+"/readyz")
		last = fmt.Sprint(status, " ", body, " ", err)
		return err == nil && status == http.StatusOK
	})
	if code, ended := p.Ended(0); ended {
		return fmt.Errorf("exit code %d: %q", code, p.Lines())
	}
	if !ready {
		return fmt.Errorf("/readyz: %s; %q", last, p.Lines())
	}
	return nil
}

// Get reads what url answers.
func Get(client *http.Client, url string) (status int, body string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, "", err
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return response.StatusCode, string(content), err
}
