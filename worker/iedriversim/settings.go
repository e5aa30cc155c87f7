package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
)

const settingsName = "iedriversim.json"

// settings is what the program presents. It is read anew for every command, so that a
// client can change it in mid-session, in this order, the later overriding the earlier:
//
//   - the defaults
//   - iedriversim.json beside the program, beside the link that it was started by, and
//     in the extract path (a worker starts its driver with a minimal environment)
//   - the environment: SIM_DOCUMENT_MODE, SIM_REAL_TIMING=true, SIM_CHROMEDRIVER,
//     SIM_CHROMEDRIVER_URL, SIM_CHROMIUM, SIM_FAULTS (the object "faults" as JSON)
type settings struct {
	DocumentMode    int    `json:"documentMode"`    // 5, 7, 8, 9, 10, 11; default 11
	RealTiming      bool   `json:"realTiming"`      // the delays of the driver that no switch below names
	Chromedriver    string `json:"chromedriver"`    // default: from PATH
	ChromedriverURL string `json:"chromedriverUrl"` // one that runs already, perhaps on another system; it is not ended. The browser is headless then, and the program of ie.edgepath is started as well, as if it were the browser
	Chromium        string `json:"chromium"`        // default: chromedriver's choice
	Faults          faults `json:"faults"`
}

// faults are the switches. All are off by default but those with a default here.
type faults struct {
	PopupDelayMs    int  `json:"popupDelayMs"`    // 1000: until a window opened by a page has a handle; the command that opened it is held for at most 1 s of it
	PopupNever      bool `json:"popupNever"`      // such windows never get a handle
	FindMissMs      int  `json:"findMissMs"`      // 250: cost of each miss of find element(s)
	UnknownHandleMs int  `json:"unknownHandleMs"` // 1000: until a switch to an unknown window is refused
	AlertDelayMs    int  `json:"alertDelayMs"`    // accept and dismiss take this much longer; the real driver takes 200 at least
	CloseInScript   bool `json:"closeInScript"`   // true: a script that closes its own window is never answered

	AttachFailure   bool `json:"attachFailure"`   // New Session fails at once, leaves a browser and IEDriver-<guid>; without browserAttachTimeout it is never answered
	AttachForever   bool `json:"attachForever"`   // New Session is never answered, and leaves the same
	ProtectedMode   bool `json:"protectedMode"`   // New Session is refused: the zones differ
	NoBrowser       bool `json:"noBrowser"`       // New Session fails, as there is no msedge.exe, and leaves IEDriver-<guid>
	ExitBeforeReady int  `json:"exitBeforeReady"` // the program exits with this code before it listens

	DieInCommand     occasion `json:"dieInCommand"`     // the program dies when the command has had its effect, before its answer
	DieBetween       occasion `json:"dieBetween"`       // the program dies right after the answer
	BrowserDies      occasion `json:"browserDies"`      // the browser is killed before the command is carried out
	HangOnQuit       bool     `json:"hangOnQuit"`       // Delete Session is never answered; the browser lives on
	IntegerCode      string   `json:"integerCode"`      // this command answers 200 with the string "Unable to get browser"
	MangleKeys       bool     `json:"mangleKeys"`       // every non-ASCII character typed arrives as "?"
	IgnoreKeys       bool     `json:"ignoreKeys"`       // keys have no effect
	UploadHangs      bool     `json:"uploadHangs"`      // sending a path to a file input is never answered
	ScreenshotFails  bool     `json:"screenshotFails"`  // screenshots are ""
	ModalOpenerHangs bool     `json:"modalOpenerHangs"` // a command for the opener of an HTML dialog waits for its end, at most the script limit; else it fails at once
}

// occasion is the n-th (from 1; 0 is the first too) carrying out of a command, by its
// name in the table of routes. A command "" is never.
type occasion struct {
	Command string `json:"command"`
	Nth     int    `json:"nth"`
}

func (o occasion) is(command string, nth int) bool {
	return o.Command == command && nth == max(o.Nth, 1)
}

// lookout reads the settings.
type lookout struct{ folders []string }

func (l lookout) settings() settings {
	s := settings{DocumentMode: 11, Faults: faults{PopupDelayMs: 1000, FindMissMs: 250, UnknownHandleMs: 1000, CloseInScript: true}}
	for _, folder := range l.folders {
		if text, err := os.ReadFile(filepath.Join(folder, settingsName)); err == nil {
			json.Unmarshal(text, &s)
		}
	}
	if mode, err := strconv.Atoi(os.Getenv("SIM_DOCUMENT_MODE")); err == nil {
		s.DocumentMode = mode
	}
	if os.Getenv("SIM_REAL_TIMING") == "true" {
		s.RealTiming = true
	}
	for name, to := range map[string]*string{"SIM_CHROMEDRIVER": &s.Chromedriver, "SIM_CHROMEDRIVER_URL": &s.ChromedriverURL, "SIM_CHROMIUM": &s.Chromium} {
		if value := os.Getenv(name); value != "" {
			*to = value
		}
	}
	if text := os.Getenv("SIM_FAULTS"); text != "" {
		json.Unmarshal([]byte(text), &s.Faults)
	}
	if s.RealTiming {
		s.Faults.AlertDelayMs = max(s.Faults.AlertDelayMs, 200)
	}
	return s
}
