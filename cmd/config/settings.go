package config

import (
	"io"

	"github.com/alecthomas/kong"
)

// Setting describes one setting, for the README.
type Setting struct {
	Flag     string // with dashes
	Variable string
	Default  string // "" = none
	Meaning  string
	Both     bool // of both programs; else of gateway alone
}

// Settings lists all settings in the order of the help. Where the default
// differs between the programs, it is that of gateway.
func Settings() ([]Setting, error) {
	shared, err := flags("winworker", &Common{})
	if err != nil {
		return nil, err
	}
	both := map[string]string{} // the defaults of winworker
	for _, flag := range shared {
		both[flag.Name] = defaultOf(flag.Value)
	}
	all, err := flags("gateway", &Gateway{})
	if err != nil {
		return nil, err
	}
	var list []Setting
	for _, flag := range all {
		if flag.Name == "help" {
			continue
		}
		standard := defaultOf(flag.Value)
		of, shared := both[flag.Name]
		if shared && of != standard {
			standard += ", winworker " + of
		}
		list = append(list, Setting{"--" + flag.Name, variable(flag.Name), standard, flag.Help, shared})
	}
	return list, nil
}

func flags(program string, cli any) ([]*kong.Flag, error) {
	k, err := kong.New(cli, options(program, "", kong.Writers(io.Discard, io.Discard))...)
	if err != nil {
		return nil, err
	}
	return k.Model.Flags, nil
}
