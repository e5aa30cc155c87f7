package legacyapp

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
)

// mostUpload is the limit on the body of an upload in bytes.
const mostUpload = 16 << 20

// File is an uploaded file: its name without any folder, its size, the SHA-256 of its content in hex.
type File struct {
	Name   string
	Bytes  int64
	SHA256 string
}

func (a *App) uploadForms() {
	for _, path := range []string{"/upload", "/upload/multiple", "/upload/hidden"} {
		a.mux.HandleFunc("GET "+path, a.form(path, 0))
	}
	a.mux.HandleFunc("POST /upload", func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, mostUpload)
		token, files, err := readUpload(r)
		switch {
		case err != nil:
			http.Error(w, "the upload cannot be read", http.StatusBadRequest)
			return
		case token == "":
			http.Error(w, "token is missing", http.StatusBadRequest)
			return
		}
		a.mu.Lock()
		a.uploads[token] = append(a.uploads[token], files)
		count := len(a.uploads[token])
		a.mu.Unlock()
		a.render(w, "/upload/done", struct {
			Count int
			Files []File
		}{count, files})
	})
}

// Uploads are the submissions of the upload forms with this token, in order of arrival, each with its files; one
// without any if none was chosen.
func (a *App) Uploads(token string) [][]File {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.uploads[token])
}

// readUpload reads part by part, so that no file is ever kept.
func readUpload(r *http.Request) (token string, files []File, err error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return "", nil, err
	}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return token, files, nil
		}
		if err != nil {
			return "", nil, err
		}
		// Internet Explorer may send the whole path.
		name := part.FileName()
		name = name[strings.LastIndexByte(name, '\\')+1:]
		sum := sha256.New()
		switch {
		case part.FormName() == "token":
			value, err := io.ReadAll(io.LimitReader(part, 1000))
			if err != nil {
				return "", nil, err
			}
			token = string(value)
		case name != "":
			size, err := io.Copy(sum, part)
			if err != nil {
				return "", nil, err
			}
			files = append(files, File{Name: name, Bytes: size, SHA256: hex.EncodeToString(sum.Sum(nil))})
		}
	}
}
