package worker

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"iemesh/api"
)

// desk takes uploads.
type desk struct {
	mu    sync.Mutex
	files map[string][]byte
}

func (d *desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if r.Method == http.MethodPost {
		d.mu.Lock()
		defer d.mu.Unlock()
		if err := r.ParseMultipartForm(32 << 20); err != nil {
			fmt.Fprint(w, err)
			return
		}
		defer r.MultipartForm.RemoveAll()
		for _, header := range r.MultipartForm.File["file"] {
			f, err := header.Open()
			if err != nil {
				continue
			}
			d.files[header.Filename], _ = io.ReadAll(f)
			f.Close()
		}
	}
	fmt.Fprint(w, `<title>upload</title><form method=post enctype="multipart/form-data"><input type=file id=file name=file multiple><label for=hidden>選ぶ</label>
	<input type=file id=hidden name=file style="display:none" onchange="document.title = this.files[0].name"><input id=text><button id=send>送信</button></form>`)
}

func file(field, name string, content []byte) api.UploadInput {
	return api.UploadInput{Target: id(field), FileName: name, Content: base64.StdEncoding.EncodeToString(content)}
}

func TestUpload(t *testing.T) {
	b := open(t)
	d := &desk{files: map[string][]byte{}}
	server := httptest.NewServer(d)
	t.Cleanup(server.Close)
	ask(b, api.Navigate, api.NavigateInput{URL: server.URL})
	big := bytes.Repeat([]byte("0123456789abcdef"), api.MaxUpload/16)
	if r := ask(b, api.Upload, file("file", "請求書 2026.pdf", []byte("%PDF"))); r.Bytes != 4 || r.FileName != "請求書 2026.pdf" || *r.Title != "upload" {
		t.Errorf("%+v", r)
	}
	ask(b, api.Upload, file("file", "big.bin", big)) // the field takes several
	if r := ask(b, api.Upload, file("hidden", "empty.txt", nil)); r.Bytes != 0 || *r.Title != "empty.txt" {
		t.Errorf("%+v", r)
	}
	ask(b, api.Click, api.ClickInput{Target: id("send")})
	d.mu.Lock()
	if len(d.files) != 3 || string(d.files["請求書 2026.pdf"]) != "%PDF" || !bytes.Equal(d.files["big.bin"], big) {
		t.Errorf("%d files came", len(d.files))
	}
	d.mu.Unlock()
	hurried := b.within(300 * time.Millisecond)
	refused(hurried, api.Upload, file("text", "a.txt", nil), api.ElementNotInteractable)
	refused(hurried, api.Upload, file("nothing", "a.txt", nil), api.ElementNotFound)
	refused(b, api.Upload, file("file", "../a.txt", nil), api.InvalidArgument)
	refused(b, api.Upload, file("file", "a.txt", append(big, 'x')), api.LimitExceeded)
}
