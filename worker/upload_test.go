package worker

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"iemesh/api"
	"iemesh/worker/legacyapp"
)

func file(name string, content []byte) api.UploadInput {
	return api.UploadInput{Target: id("file"), FileName: name, Content: base64.StdEncoding.EncodeToString(content)}
}

// received is what the application should say of a file.
func received(name string, content []byte) legacyapp.File {
	sum := sha256.Sum256(content)
	return legacyapp.File{Name: name, Bytes: int64(len(content)), SHA256: hex.EncodeToString(sum[:])}
}

func TestUpload(t *testing.T) {
	b := open(t)
	pdf, big := []byte("%PDF"), bytes.Repeat([]byte("0123456789abcdef"), api.MaxUpload/16)
	for _, c := range []struct {
		path string
		want []legacyapp.File
	}{
		{"/upload?token=upload", []legacyapp.File{received("big.bin", big)}}, // the second call replaces the first
		{"/upload/multiple?token=upload", []legacyapp.File{received("請求書 2026.pdf", pdf), received("big.bin", big)}},
		{"/upload/hidden?token=upload", []legacyapp.File{received("big.bin", big)}},
	} {
		b.visit(c.path)
		if r := ask(b, api.Upload, file("請求書 2026.pdf", pdf)); r.Bytes != 4 || r.FileName != "請求書 2026.pdf" || r.URL != b.site+c.path {
			t.Errorf("%s: %+v", c.path, r)
		}
		start := time.Now()
		ask(b, api.Upload, file("big.bin", big))
		t.Logf("%s: 10 MiB in %v", c.path, time.Since(start))
		ask(b, api.Click, api.ClickInput{Target: id("uploadButton")})
		if got := b.app.Uploads("upload"); len(got) == 0 || !reflect.DeepEqual(got[len(got)-1], c.want) {
			t.Errorf("%s: the server got %+v", c.path, got)
		}
	}
	kept, _ := filepath.Glob(filepath.Join(os.TempDir(), "*", "file*", "big.bin"))
	if len(kept) != 3 { // which newWorker sees gone at the end
		t.Errorf("kept with the session: %v", kept)
	}
}

func TestUploadsThatAreRefused(t *testing.T) {
	b := open(t)
	b.visit("/upload?token=refused")
	hurried := b.within(300 * time.Millisecond)
	in := file("a.txt", nil)
	in.Target = id("uploadButton")
	refused(b, api.Upload, in, api.ElementNotInteractable)
	in.Target = id("nothing")
	refused(hurried, api.Upload, in, api.ElementNotFound)
	refused(b, api.Upload, file("../a.txt", nil), api.InvalidArgument)
	refused(b, api.Upload, file("a.txt", make([]byte, api.MaxUpload+1)), api.LimitExceeded)
	b.call.Policy.Origins = []string{"http://elsewhere.invalid"}
	refused(b, api.Upload, file("a.txt", nil), api.URLNotAllowed)
	if kept, _ := filepath.Glob(filepath.Join(os.TempDir(), "*", "file*")); len(kept) != 0 {
		t.Errorf("written all the same: %v", kept)
	}
}
