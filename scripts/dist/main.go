// Command dist builds the release archives into dist/, one for each platform, and
// SHA256SUMS. The same commit and Go version give the same bytes.
package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// platforms says which programs are released for which platform.
var platforms = []struct {
	system, processor string
	programs          []string
}{
	{"linux", "amd64", []string{"gateway", "winworker"}},
	{"linux", "arm64", []string{"gateway"}},
	{"darwin", "amd64", []string{"gateway"}},
	{"darwin", "arm64", []string{"gateway"}},
	{"windows", "amd64", []string{"gateway", "winworker"}},
	{"windows", "386", []string{"winworker"}},
}

// file is one file of an archive.
type file struct {
	name string
	mode fs.FileMode
	data []byte
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

func run() error {
	version := os.Getenv("IEMESH_VERSION")
	if version == "" {
		version = "dev"
	}
	built, err := commitTime()
	if err != nil {
		return err
	}
	documents, err := documents()
	if err != nil {
		return err
	}
	if err := os.RemoveAll("dist"); err != nil {
		return err
	}
	if err := os.Mkdir("dist", 0o755); err != nil {
		return err
	}
	var sums bytes.Buffer
	for _, p := range platforms {
		files, err := build(p.system, p.processor, p.programs, version)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("iemesh-%s-%s-%s", version, p.system, p.processor)
		pack, ending := tarball, ".tar.gz"
		if p.system == "windows" {
			pack, ending = zipped, ".zip"
		}
		data, err := pack(name, append(files, documents...), built)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join("dist", name+ending), data, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), name+ending)
	}
	fmt.Print(sums.String())
	return os.WriteFile("dist/SHA256SUMS", sums.Bytes(), 0o644)
}

// commitTime is the time that all files in the archives bear.
func commitTime() (time.Time, error) {
	out, err := exec.Command("git", "log", "-1", "--format=%ct").Output()
	if err != nil {
		return time.Time{}, fmt.Errorf("git log: %w", err)
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	return time.Unix(seconds, 0).UTC(), err
}

// documents are the README and the deployment files.
func documents() ([]file, error) {
	var list []file
	add := func(name string) error {
		data, err := os.ReadFile(name)
		list = append(list, file{filepath.ToSlash(name), 0o644, data})
		return err
	}
	if err := add("README.md"); err != nil {
		return nil, err
	}
	err := filepath.WalkDir("deploy", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(name, ".go") {
			return err
		}
		return add(name)
	})
	return list, err
}

func build(system, processor string, programs []string, version string) ([]file, error) {
	folder, err := os.MkdirTemp("", "iemesh-dist")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	var list []file
	for _, program := range programs {
		name := program
		if system == "windows" {
			name += ".exe"
		}
		target := filepath.Join(folder, name)
		command := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -buildid= -X iemesh/cmd/config.Version="+version,
			"-o", target, "./cmd/"+program)
		command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+processor)
		command.Stderr = os.Stderr
		if err := command.Run(); err != nil {
			return nil, fmt.Errorf("build %s for %s/%s: %w", program, system, processor, err)
		}
		data, err := os.ReadFile(target)
		if err != nil {
			return nil, err
		}
		list = append(list, file{name, 0o755, data})
	}
	return list, nil
}

func tarball(folder string, files []file, built time.Time) ([]byte, error) {
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	archive := tar.NewWriter(packed)
	for _, f := range files {
		header := &tar.Header{Name: path.Join(folder, f.name), Mode: int64(f.mode), Size: int64(len(f.data)), ModTime: built}
		if err := archive.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := archive.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	err := packed.Close()
	return out.Bytes(), err
}

func zipped(folder string, files []file, built time.Time) ([]byte, error) {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for _, f := range files {
		header := &zip.FileHeader{Name: path.Join(folder, f.name), Method: zip.Deflate, Modified: built}
		header.SetMode(f.mode)
		entry, err := archive.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := entry.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := archive.Close()
	return out.Bytes(), err
}
