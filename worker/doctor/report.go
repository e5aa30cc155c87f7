package doctor

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"os"
	"path/filepath"
	"strings"
	"time"

	"iemesh/api"
)

//go:embed report.html
var reportPage string

// Document is a report of the doctor with the self-test, to be attached to a
// question or a bug report. It tells nothing secret.
type Document struct {
	Made     time.Time        `json:"made"`
	Version  string           `json:"version"` // of iemesh
	Report   api.DoctorReport `json:"report"`
	SelfTest SelfTest         `json:"selfTest"`
}

// Write writes report.html, one file with the pictures in it, and report.json
// into folder, which is there. It returns the path of the first.
func (d Document) Write(folder string) (string, error) {
	page, err := template.New("report").Funcs(template.FuncMap{
		"picture": func(s Step) template.URL {
			if s.picture == nil {
				return ""
			}
			return template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(s.picture)) // our own bytes
		},
	}).Parse(reportPage)
	if err != nil {
		return "", err
	}
	var html strings.Builder
	if err := page.Execute(&html, d); err != nil {
		return "", err
	}
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "report.html")
	if err := os.WriteFile(path, []byte(html.String()), 0o644); err != nil {
		return "", err
	}
	return path, os.WriteFile(filepath.Join(folder, "report.json"), append(text, '\n'), 0o644)
}
