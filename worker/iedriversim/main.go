// Program iedriversim looks like the 32-bit IEDriverServer 4.14 to its client and
// drives Chromium through a real chromedriver. It exists to test and demonstrate what
// IE mode asks of a client on machines that have no Windows. What needs no page it answers
// byte for byte as the real one does: test/wine/iedriver compares them.
//
// It takes the driver's own command line (/port=5555, -port=5555, --port=5555).
// What it presents and which faults it has stand in [settings], whose table in
// settings.go is the list of switches.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const version = "4.14.0.0"

// Exit codes of the driver.
const (
	exitNoLibrary = 2
	exitNoServer  = 4
)

type flags struct {
	port                                  int
	host, level, file, extract, addresses string
	silent, help, version                 bool
}

func parse(args []string) flags {
	f := flags{port: 5555}
	for _, arg := range args {
		name := strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-")
		if name == arg {
			if name = strings.TrimPrefix(arg, "/"); name == arg {
				continue
			}
		}
		name, value, _ := strings.Cut(name, "=")
		switch name {
		case "port":
			f.port, _ = strconv.Atoi(value)
		case "host":
			f.host = value
		case "whitelisted-ips":
			f.addresses = value
		case "log-level":
			f.level = strings.ToUpper(value)
		case "log-file":
			f.file = value
		case "extract-path":
			f.extract = value
		case "silent":
			f.silent = true
		case "version":
			f.version = true
		case "help", "h", "?":
			f.help = true
		}
	}
	return f
}

const help = `Launches the WebDriver server for the Internet Explorer driver

IEDriverServer [/port=<port>] [/host=<host>] [/log-level=<level>]
               [/log-file=<file>] [/extract-path=<path>] [/silent]
               [/whitelisted-ips=<whitelisted-ips>] [/version]
`

func main() { os.Exit(run(os.Args, os.Stdout)) }

func run(args []string, out io.Writer) int {
	f := parse(args[1:])
	if f.help {
		io.WriteString(out, crlf(help))
		return 0
	}
	extract := f.extract
	if extract == "" {
		extract = os.TempDir()
	}
	look := lookout{folders: folders(args[0], extract)}
	library, err := extractLibrary(extract)
	if err != nil {
		fmt.Fprintf(out, "Failed to extract the library to temp directory: %s", library)
		return 1
	}
	if f.version {
		os.Remove(library)
		fmt.Fprintf(out, "IEDriverServer.exe %s (32-bit)\r\n", version)
		return 0
	}
	if code := look.settings().Faults.ExitBeforeReady; code != 0 {
		fmt.Fprintf(out, "Failed to load the library from temp directory: %s", library)
		return code
	}
	d := newDriver(look, f.port)
	code := d.serve(f, out)
	d.end()
	if code == 0 {
		os.Remove(library)
	}
	return code
}

// folders says where iedriversim.json may lie; a later one overrides an earlier one.
func folders(program, extract string) []string {
	var list []string
	if path, err := os.Executable(); err == nil {
		list = append(list, filepath.Dir(path)) // of the program itself
	}
	if strings.ContainsAny(program, `/\`) {
		list = append(list, filepath.Dir(program)) // of a link to it
	}
	return append(list, extract)
}

// extractLibrary leaves the file that the driver would load.
func extractLibrary(folder string) (string, error) {
	path := filepath.Join(folder, "IEDriver.tmp")
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		file, err = os.CreateTemp(folder, "IED*.tmp")
	}
	if err != nil {
		return path, err
	}
	return file.Name(), file.Close()
}

// serve answers until /shutdown, which is exit code 0, or until a signal.
func (d *driver) serve(f flags, out io.Writer) int {
	hosts := []string{"127.0.0.1", "::1"}
	if f.host != "" {
		hosts = []string{f.host}
	}
	server := &http.Server{Handler: d}
	for i, host := range hosts {
		l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(f.port)))
		if err != nil && i == 0 {
			fmt.Fprintf(out, "Failed to start the server with: port = '%d', host = '%s', log level = '%s', log file = '%s', whitelisted ips = '%s'.",
				f.port, f.host, f.level, f.file, f.addresses)
			return exitNoServer
		}
		if err == nil { // a machine may have no IPv6
			go server.Serve(l)
		}
	}
	defer server.Close()
	if f.level != "" && f.file == "" {
		fmt.Fprintf(out, "I 1601-01-01 00:00:00:000 server.cc(88) Starting WebDriver server on port: '%d' on host: '%s'\r\n", f.port, f.host)
	}
	if !f.silent {
		io.WriteString(out, banner(f))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	select {
	case <-d.shutdown:
		d.end() // which frees the commands that wait
		ctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		defer cancel()
		server.Shutdown(ctx) // which lets the answers out
		return 0
	case <-ctx.Done():
		return 1
	}
}

func banner(f flags) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Started InternetExplorerDriver server (32-bit)\n%s\nListening on port %d\n", version, f.port)
	for _, line := range []struct{ text, value string }{
		{"Bound to network adapter with IP address %s\n", f.host},
		{"Log level is set to %s\n", f.level},
		{"Log file is set to %s\n", f.file},
		{"Library extracted to %s\n", f.extract},
	} {
		if line.value != "" {
			fmt.Fprintf(&b, line.text, line.value)
		}
	}
	if f.addresses != "" {
		fmt.Fprintf(&b, "IP addresses allowed to connect are %s\n", f.addresses)
	} else {
		b.WriteString("Only local connections are allowed\n")
	}
	return crlf(b.String())
}

func crlf(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }
