// Command countdriver stands where a driver is expected. It starts the real
// one on another port, passes every command on, and first writes it down: a
// line "METHOD path" in the file countdriver.log beside its own executable, where
// driver.path names the real driver. A driver's environment is not ours to choose.
// If there is a file record.jsonl as well, each exchange goes there, a line of JSON.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "countdriver:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	folder := filepath.Dir(self)
	driver, err := os.ReadFile(filepath.Join(folder, "driver.path"))
	if err != nil {
		return err
	}
	log, err := os.OpenFile(filepath.Join(folder, "countdriver.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	behind, err := freeAddress()
	if err != nil {
		return err
	}
	address := ""
	for i, arg := range args {
		if name, port, _ := strings.Cut(arg, "="); name == "--port" || name == "/port" {
			address = "127.0.0.1:" + port
			args[i] = name + "=" + behind[strings.LastIndex(behind, ":")+1:]
		}
	}
	if address == "" {
		return errors.New("there is no port")
	}
	real := exec.Command(strings.TrimSpace(string(driver)), args...)
	real.Stdout, real.Stderr = os.Stdout, os.Stderr
	if err := real.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- real.Wait() }()
	if err := reach(behind, ended); err != nil {
		return err
	}
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: behind})
	if tape, err := os.OpenFile(filepath.Join(folder, "record.jsonl"), os.O_WRONLY|os.O_APPEND, 0o600); err == nil {
		proxy.Transport = recorder{tape}
	}
	served := make(chan error, 1)
	go func() {
		served <- http.ListenAndServe(address, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintln(log, r.Method, r.URL.Path)
			r.Host = behind // the driver refuses names that are not its own
			proxy.ServeHTTP(w, r)
		}))
	}()
	select {
	case err := <-served:
		real.Process.Kill()
		return err
	case err := <-ended:
		return err
	}
}

func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer listener.Close()
	return listener.Addr().String(), nil
}

// reach waits until somebody listens on address, unless the driver ends first.
func reach(address string, ended <-chan error) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if conn, err := net.Dial("tcp", address); err == nil {
			return conn.Close()
		}
		select {
		case err := <-ended:
			return fmt.Errorf("the driver ended: %w", err)
		case <-tick.C:
		}
	}
}

// recorder writes down what passes.
type recorder struct{ tape io.Writer }

func (r recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	sent, err := take(&request.Body)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	got, err := take(&response.Body)
	if err != nil {
		return nil, err
	}
	line, err := json.Marshal(map[string]string{"method": request.Method, "path": request.URL.Path, "body": sent, "answer": got})
	if err != nil {
		return nil, err
	}
	_, err = r.tape.Write(append(line, '\n'))
	return response, err
}

// take reads a body and leaves it to be read again.
func take(body *io.ReadCloser) (string, error) {
	if *body == nil {
		return "", nil
	}
	content, err := io.ReadAll(*body)
	*body = io.NopCloser(bytes.NewReader(content))
	return string(content), err
}
