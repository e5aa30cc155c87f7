// Package config holds the settings of both programs. Each is a flag and an
// environment variable; the flag wins. What is wrong is told by the name under
// which it was given, before anything starts.
package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// Version is that of the programs, set by the linker.
var Version = "dev"

// Common are the settings of both programs; winworker serves with no others.
type Common struct {
	Listen      string        `default:"${listen}" placeholder:"HOST:PORT" help:"Address to serve. One that is not loopback needs TLS and a token file."`
	Engine      string        `enum:"ie,edge,chromium" default:"${engine}" shown:"ie on Windows, else chromium" help:"Browser: ie (Edge in IE mode), edge or chromium."`
	DriverPath  string        `placeholder:"FILE" help:"The WebDriver program. Found by itself when empty."`
	EdgePath    string        `placeholder:"FILE" help:"The browser program. Found by itself when empty."`
	Headless    string        `enum:"auto,true,false" default:"auto" help:"Show no windows; auto: where there is no display. IE mode always shows them."`
	TimeoutMs   int64         `default:"10000" placeholder:"MS" help:"Limit of a call that names none, 100 to 300000. Navigation and start have their own, longer ones."`
	MaxSessions int           `placeholder:"N" shown:"4, with ie 1" help:"Browser sessions at once. IE mode takes one per desktop."`
	IdleTimeout time.Duration `default:"15m" placeholder:"DURATION" help:"A session that nobody uses is closed after this time."`
	TokenFile   string        `placeholder:"FILE" help:"Who may call: one name:sha256-hex per line, made by \"token new\". Read at the start."`
	TLSCert     string        `name:"tls-cert" placeholder:"FILE" help:"Certificate chain (PEM) of the listener."`
	TLSKey      string        `name:"tls-key" placeholder:"FILE" help:"Private key (PEM) of the listener."`
	LogLevel    string        `enum:"debug,info,warn,error" default:"info" help:"Least severe level of log lines: debug, info, warn or error."`
	LogFile     string        `placeholder:"FILE" help:"Where log lines go instead of standard error. At 10 MB the file becomes FILE.1, and so on to FILE.3."`

	given map[string]string // flag without dashes → the name under which its value was given
	args  []string          // see Args
}

// Gateway are the settings of gateway.
type Gateway struct {
	Common
	Stdio           bool    `help:"Serve MCP on standard input and output instead of HTTP."`
	Worker          string  `placeholder:"URL" help:"The winworker to use, https://host:7311. Empty: browsers in this process."`
	WorkerTokenFile string  `placeholder:"FILE" help:"The token to send to the worker."`
	WorkerCA        string  `name:"worker-ca" placeholder:"FILE" help:"Certificates (PEM) that sign the worker's. Empty: those of the system."`
	Tools           string  `default:"ie,legacy" placeholder:"PROFILES" help:"Tool profiles to offer, with commas: ie, legacy."`
	AllowedOrigins  string  `default:"*" placeholder:"ORIGINS" help:"Origins (scheme://host:port) that may be visited, with commas; * for all."`
	Rate            float64 `default:"20" placeholder:"N" help:"Tool calls per second of each principal over HTTP; 0 for no limit."`
	Burst           int     `default:"40" placeholder:"N" help:"Tool calls that may come at once."`
}

// Command is what a program is asked to do.
type Command string

// The commands.
const (
	Serve     Command = "serve"
	TokenNew  Command = "token new" // Request.Name
	Doctor    Command = "doctor"    // Request.Doctor
	Install   Command = "install"   // these three, of winworker alone: Request.Task
	Uninstall Command = "uninstall"
	Status    Command = "status"
)

// commands are what both programs can be asked to do.
type commands struct {
	Version kong.VersionFlag `novariable:"" help:"Print the version."`

	Serve struct{} `cmd:"" default:"1" help:"Serve until stopped (the default)."`
	Token struct {
		New struct {
			Name string `arg:"" help:"Name of the caller: a to z, 0 to 9, dot, underscore, hyphen."`
		} `cmd:"" help:"Add a token to the token file and print it, once."`
	} `cmd:"" help:"Tokens of callers."`
}

// Error is a wrong setting: the program does not start, and exits with 2.
type Error struct {
	Setting string // flag or variable; "" when the command line itself is wrong
	Err     error
}

func (e *Error) Error() string {
	if e.Setting == "" {
		return e.Err.Error()
	}
	return e.Setting + ": " + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// ErrTold tells that help or the version was asked for and has been printed.
var ErrTold = errors.New("help or version was printed")

// Request is a command with what only that command takes.
type Request struct {
	Command Command
	Name    string
	Doctor  WorkerDoctor
	Task    Task
}

// ParseGateway reads the settings of gateway. Args come without the program's
// name, env as NAME=value; help goes to out. Errors: [ErrTold], or an [*Error]
// (several are joined).
func ParseGateway(args, env []string, out io.Writer) (*Gateway, Request, error) {
	var cli struct {
		Gateway
		commands
		Doctor GatewayDoctor `cmd:"" help:"Tell whether gateway and workers are fit to serve."`
	}
	request, err := parse("gateway", "MCP gateway for browsers in Edge's IE mode.", &cli, &cli.Common, &cli.commands, args, env, out)
	request.Doctor.JSON = cli.Doctor.JSON
	if err == nil && request.Command != TokenNew {
		err = cli.Gateway.check()
	}
	return &cli.Gateway, request, err
}

// ParseWinWorker reads the settings of winworker, as [ParseGateway] does.
func ParseWinWorker(args, env []string, out io.Writer) (*Common, Request, error) {
	var cli struct {
		Common
		commands
		Doctor WorkerDoctor `cmd:"" help:"Tell whether this machine is fit for its browsers, and mend it."`
		taskCommands
	}
	request, err := parse("winworker", "Browsers for iemesh gateways.", &cli, &cli.Common, &cli.commands, args, env, out)
	request.Doctor, request.Task = cli.Doctor, cli.taskCommands.of(request.Command)
	if err == nil && slices.Contains([]Command{Serve, Doctor, Install}, request.Command) {
		err = errors.Join(cli.Common.check()...)
	}
	if err == nil && request.Command == Install {
		err = request.Task.check(&cli.Common)
	}
	return &cli.Common, request, err
}

func parse(program, about string, cli any, common *Common, subs *commands, args, env []string, out io.Writer) (Request, error) {
	common.given = map[string]string{}
	told := false
	k, err := kong.New(cli, options(program, about, kong.Writers(out, out), kong.Exit(func(int) { told = true }),
		kong.Resolvers(environment(env, common.given)))...)
	if err != nil {
		return Request{}, err
	}
	parsed, err := k.Parse(args)
	switch {
	case told:
		return Request{}, ErrTold
	case err != nil:
		return Request{}, common.rename(err)
	}
	for _, path := range parsed.Path {
		if path.Flag != nil && !path.Resolved {
			common.given[path.Flag.Name] = "--" + path.Flag.Name
		}
	}
	if !common.Given("max-sessions") {
		common.MaxSessions = 4
		if common.Engine == "ie" {
			common.MaxSessions = 1
		}
	}
	common.args = arguments(k.Model.Flags, common.given)
	if strings.HasPrefix(parsed.Command(), string(TokenNew)) {
		return Request{Command: TokenNew, Name: subs.Token.New.Name}, nil
	}
	return Request{Command: Command(parsed.Command())}, nil
}

// arguments are the flags that were given, with their values, in the order of
// the help. Those of files lead to the same file from any folder.
func arguments(flags []*kong.Flag, given map[string]string) []string {
	var list []string
	for _, flag := range flags {
		if given[flag.Name] == "" {
			continue
		}
		value := fmt.Sprint(flag.Target.Interface())
		if flag.PlaceHolder == "FILE" {
			value = absolute(value)
		}
		list = append(list, "--"+flag.Name+"="+value)
	}
	return list
}

// absolute leaves the bare name of a program alone: that is looked for in PATH.
func absolute(path string) string {
	if _, err := os.Stat(path); err != nil && filepath.Base(path) == path {
		return path
	}
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

// options are those of every kong parser here. Variables are read by
// [environment], not by kong: it would take the process's own, and would
// refuse a bad one although a flag overrides it.
func options(program, about string, more ...kong.Option) []kong.Option {
	listen, engine := "127.0.0.1:7310", "chromium"
	if program == "winworker" {
		listen = "127.0.0.1:7311"
	}
	if runtime.GOOS == "windows" {
		engine = "ie"
	}
	return append([]kong.Option{
		kong.Name(program), kong.Description(about),
		kong.Vars{"listen": listen, "engine": engine, "version": Version},
		kong.ValueFormatter(func(v *kong.Value) string {
			if v.Flag == nil || v.Name == "help" || v.Tag.Has("novariable") {
				return v.Help
			}
			if d := defaultOf(v); d != "" {
				return fmt.Sprintf("%s (%s; $%s)", v.Help, d, variable(v.Name))
			}
			return fmt.Sprintf("%s ($%s)", v.Help, variable(v.Name))
		}),
	}, more...)
}

// defaultOf is the default as it is shown.
func defaultOf(v *kong.Value) string {
	if shown := v.Tag.Get("shown"); shown != "" {
		return shown
	}
	return v.Default
}

// variable is the environment variable of a flag.
func variable(flag string) string {
	return "IE_MCP_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// environment supplies the flags that the command line leaves out, and notes
// those in given. An empty variable is none.
func environment(env []string, given map[string]string) kong.Resolver {
	return kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		if flag.Name == "help" || flag.Tag.Has("novariable") {
			return nil, nil
		}
		prefix := variable(flag.Name) + "="
		// The last one counts, as with a child process of Go.
		for _, entry := range slices.Backward(env) {
			if value, ok := strings.CutPrefix(entry, prefix); ok {
				if value == "" {
					return nil, nil
				}
				given[flag.Name] = variable(flag.Name)
				return value, nil
			}
		}
		return nil, nil
	})
}

// rename makes an error of kong speak of the variable where that is the source.
func (c *Common) rename(err error) error {
	text := err.Error()
	for flag, name := range c.given {
		rest, ok := strings.CutPrefix(text, "--"+flag)
		if ok && (rest[0] == ' ' || rest[0] == ':') {
			return &Error{Setting: name, Err: errors.New(strings.TrimLeft(rest, ": "))}
		}
	}
	return &Error{Err: err}
}

// Given tells whether a setting was given at all, by flag or variable.
func (c *Common) Given(flag string) bool { return c.given[flag] != "" }

// Args are the arguments that give the same settings to another process, from
// whatever source they came. None of them is a secret.
func (c *Common) Args() []string { return slices.Clone(c.args) }

// Bad makes the error about a setting, named as it was given.
func (c *Common) Bad(flag string, format string, args ...any) error {
	name := c.given[flag]
	if name == "" {
		name = "--" + flag
	}
	return &Error{Setting: name, Err: fmt.Errorf(format, args...)}
}

// List splits a list with commas; blanks around its items do not count.
func List(s string) []string {
	var items []string
	for item := range strings.SplitSeq(s, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}
