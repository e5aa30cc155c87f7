// Package iemesh_test holds the rules of the whole repository.
package iemesh_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mayImport says which of our packages a package may import, by the longest
// matching prefix of its folder. Imports point down: cmd → api ← worker.
var mayImport = map[string][]string{
	"api":                   {},
	"api/link":              {"api"},
	"api/apitest":           {"api"},
	"worker":                {"api", "api/origin", "worker/desktop", "worker/doctor", "worker/driver", "worker/page"},
	"worker/desktop":        {},
	"worker/doctor":         {"api", "worker/desktop", "worker/driver"},
	"worker/driver":         {},
	"worker/page":           {"api", "worker/driver"},
	"worker/legacyapp":      {},
	"worker/legacyapp/cmd":  {"worker/legacyapp"},
	"cmd/config":            {"api", "api/link", "worker/driver"},
	"cmd/gateway":           {"api", "api/link", "api/origin", "cmd/config", "cmd/gateway/access", "cmd/gateway/mcpserver", "cmd/program", "cmd/web", "worker", "worker/doctor", "worker/driver"},
	"cmd/web":               {"api"},
	"cmd/gateway/access":    {"api", "api/origin", "cmd/config"},
	"cmd/gateway/mcpserver": {"api"},
	"cmd/program":           {"api", "api/link", "cmd/config", "cmd/web", "worker", "worker/doctor", "worker/driver"},
	"cmd/winworker":         {"api", "api/link", "cmd/config", "cmd/program", "cmd/web", "cmd/winworker/task", "worker/doctor", "worker/driver"},
	"cmd/winworker/task":    {"cmd/config", "cmd/web"},
}

// startsProcesses lists the packages that may do so: on the serving path, one.
var startsProcesses = []string{"worker/driver", "worker/iedriversim", "cmd/winworker/task"}

func TestImportsPointDown(t *testing.T) {
	for file, imports := range sources(t) {
		folder := filepath.ToSlash(filepath.Dir(file))
		allowed, ok := rule(folder)
		if !ok {
			if !strings.HasPrefix(folder, "test") && !strings.HasPrefix(folder, "scripts") && folder != "." {
				t.Errorf("%s: no rule for this folder in mayImport", file)
			}
			continue
		}
		for _, path := range imports {
			if own, ok := strings.CutPrefix(path, "iemesh/"); ok && !slices.Contains(allowed, own) {
				t.Errorf("%s imports %s, which is not below it", file, own)
			}
			if path == "os/exec" && !slices.Contains(startsProcesses, folder) {
				t.Errorf("%s starts processes; only %v may", file, startsProcesses)
			}
			if strings.Contains(path, "modelcontextprotocol") && !strings.HasPrefix(folder, "cmd/gateway") {
				t.Errorf("%s knows MCP", file)
			}
		}
	}
}

func TestEveryPackageIsDescribed(t *testing.T) {
	described := map[string]bool{}
	for file := range sources(t) {
		folder := filepath.Dir(file)
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		described[folder] = described[folder] || parsed.Doc != nil
	}
	for folder, ok := range described {
		if !ok {
			t.Errorf("%s has no package comment", folder)
		}
	}
}

// rule finds the rule for a folder.
func rule(folder string) ([]string, bool) {
	for at := folder; at != "."; at = filepath.ToSlash(filepath.Dir(at)) {
		if allowed, ok := mayImport[at]; ok {
			return append(slices.Clone(allowed), at), true
		}
	}
	return nil, false
}

// sources returns the imports of every Go file that is no test.
func sources(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || strings.HasPrefix(entry.Name(), ".") && path != "."):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		found[path] = importPaths(parsed)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func importPaths(file *ast.File) []string {
	list := []string{}
	for _, spec := range file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		list = append(list, path)
	}
	return list
}
