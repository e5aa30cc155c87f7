package api

import (
	"encoding/base64"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of [UploadInput].
const (
	MaxUpload   = 10 << 20 // bytes of a file
	maxFileName = 200      // bytes of its name
)

// UploadInput is a file for a file field.
type UploadInput struct {
	Target   Locator `json:"target"`
	Frame    Frames  `json:"frame,omitempty"`
	FileName string  `json:"fileName" jsonschema:"A bare name, without folders."`
	Content  string  `json:"content" jsonschema:"The file in base64; 10 MiB at most."`
}

// Bytes decodes the content.
func (in UploadInput) Bytes() ([]byte, error) {
	data, err := base64.StdEncoding.DecodeString(in.Content)
	if err != nil {
		return nil, Errorf(InvalidArgument, "content is not base64.")
	}
	return data, nil
}

// device matches the names that Windows keeps for devices, with any ending.
var device = regexp.MustCompile(`(?i)^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³]) *(\.|$)`)

// Validate lets a name pass that is one file in one folder on every system.
func (in UploadInput) Validate() error {
	bad := func(why string) error { return Errorf(InvalidArgument, "fileName %s.", why) }
	name := in.FileName
	switch {
	case name == "" || len(name) > maxFileName:
		return bad("must have 1 to 200 bytes")
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return bad("must not have control characters")
	case strings.ContainsAny(name, `/\:*?"<>|`):
		return bad(`must be a bare name, without any of / \ : * ? " < > |`)
	case strings.Trim(name, ". ") == "" || strings.HasSuffix(name, ".") || strings.HasSuffix(name, " "):
		return bad("must not end with a dot or a blank")
	case device.MatchString(name):
		return bad("is the name of a device on Windows")
	}
	data, err := in.Bytes()
	if err == nil && len(data) > MaxUpload {
		err = Errorf(LimitExceeded, "content may have at most %d bytes.", MaxUpload)
	}
	return err
}

// Audit tells the size; the name may be somebody's.
func (in UploadInput) Audit() map[string]any {
	data, _ := in.Bytes()
	return map[string]any{"selector": in.Target, "bytes": len(data)}
}

// UploadResult is the file that the field was given.
type UploadResult struct {
	FileName string `json:"fileName"`
	Bytes    int    `json:"bytes"`
	PageState
}

// Upload is the operation on file fields.
var Upload = declare[UploadInput, UploadResult](Meta{
	Name: "upload_file", Title: "Upload a file",
	Description: "Puts a file into a file field.",
	Scope:       Page, Effect: Act, Lane: Queued, Profile: Core,
})
