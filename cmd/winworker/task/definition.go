package task

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"strings"
	"unicode/utf16"
)

// Name is the task's, with its folder.
const Name = `iemesh\winworker`

// definition is the task as the Task Scheduler reads it: [MS-TSCH] 2.5, version
// 1.2 (Windows 7 and later).
type definition struct {
	XMLName      xml.Name     `xml:"http://schemas.microsoft.com/windows/2004/02/mit/task Task"`
	Version      string       `xml:"version,attr"`
	Registration registration `xml:"RegistrationInfo"`
	Triggers     triggers
	Principals   principals
	Settings     settings
	Actions      actions
}

type registration struct {
	Author      string
	Description string
	URI         string
}

type triggers struct {
	Logon        logonTrigger `xml:"LogonTrigger"`
	Registration trigger      `xml:"RegistrationTrigger"`
}

type trigger struct {
	Enabled    bool
	Repetition repetition
}

type logonTrigger struct {
	trigger
	UserId string
}

type repetition struct {
	Interval          string
	StopAtDurationEnd bool
}

type principals struct {
	Principal principal
}

type principal struct {
	ID        string `xml:"id,attr"`
	UserId    string
	LogonType string
	RunLevel  string
}

type settings struct {
	MultipleInstancesPolicy    string
	DisallowStartIfOnBatteries bool
	StopIfGoingOnBatteries     bool
	AllowHardTerminate         bool
	StartWhenAvailable         bool
	RunOnlyIfNetworkAvailable  bool
	IdleSettings               idleSettings
	AllowStartOnDemand         bool
	Enabled                    bool
	Hidden                     bool
	RunOnlyIfIdle              bool
	WakeToRun                  bool
	ExecutionTimeLimit         string
	Priority                   int
	RestartOnFailure           restart
}

type idleSettings struct {
	StopOnIdleEnd bool
	RestartOnIdle bool
}

type restart struct {
	Interval string
	Count    int
}

type actions struct {
	Context string `xml:",attr"`
	Exec    execution
}

type execution struct {
	Command          string
	Arguments        string
	WorkingDirectory string
}

// define makes the XML of the task, in UTF-16 as schtasks wants it.
func define(user, program string, args []string, folder string) ([]byte, error) {
	// The Task Scheduler restarts by itself only what could not be started. So
	// every trigger is repeated each minute, which is ignored while it runs.
	again := trigger{Enabled: true, Repetition: repetition{Interval: "PT1M"}}
	d := definition{
		Version: "1.2",
		Registration: registration{
			Author:      "iemesh",
			Description: "Browsers in Edge's IE mode for iemesh gateways, on the desktop of the logged-on user.",
			URI:         `\` + Name,
		},
		Triggers: triggers{
			Logon:        logonTrigger{again, user},
			Registration: again, // until the next logon
		},
		// The desktop of the user who is logged on, and no more rights than Edge
		// has: no password, no service, no session 0.
		Principals: principals{principal{ID: "Author", UserId: user, LogonType: "InteractiveToken", RunLevel: "LeastPrivilege"}},
		Settings: settings{
			MultipleInstancesPolicy: "IgnoreNew",
			AllowHardTerminate:      true,
			StartWhenAvailable:      true,
			AllowStartOnDemand:      true,
			Enabled:                 true,
			ExecutionTimeLimit:      "PT0S", // none; it would be three days
			Priority:                4,      // normal; a task has less of processor, disk and memory
			RestartOnFailure:        restart{Interval: "PT1M", Count: 255},
		},
		Actions: actions{"Author", execution{Command: program, Arguments: commandLine(args), WorkingDirectory: folder}},
	}
	var b bytes.Buffer
	b.WriteString(`<?xml version="1.0" encoding="UTF-16"?>` + "\n")
	e := xml.NewEncoder(&b)
	e.Indent("", "  ")
	if err := e.Encode(d); err != nil {
		return nil, err
	}
	return littleEndian(strings.ReplaceAll(b.String(), "\n", "\r\n")), nil
}

// littleEndian is UTF-16LE with a byte order mark.
func littleEndian(s string) []byte {
	b := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(s)) {
		b = binary.LittleEndian.AppendUint16(b, unit)
	}
	return b
}

// commandLine joins arguments in the way that Windows programs take them apart:
// backslashes count only before a quotation mark.
func commandLine(args []string) string {
	var line []string
	for _, arg := range args {
		if arg != "" && !strings.ContainsAny(arg, " \t\"") {
			line = append(line, arg)
			continue
		}
		var b strings.Builder
		b.WriteByte('"')
		slashes := 0
		for i := 0; i < len(arg); i++ {
			switch arg[i] {
			case '\\':
				slashes++
			case '"':
				b.WriteString(strings.Repeat(`\`, slashes+1))
				slashes = 0
			default:
				slashes = 0
			}
			b.WriteByte(arg[i])
		}
		b.WriteString(strings.Repeat(`\`, slashes) + `"`)
		line = append(line, b.String())
	}
	return strings.Join(line, " ")
}
