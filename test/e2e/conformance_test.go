package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"iemesh/test/harness"
)

// The official suite, against the built gateway. conformance.yml lists the
// scenarios that need tools, resources or prompts made for the suite, which a
// gateway for browsers does not have; one that begins to pass must leave the list.
func TestConformance(t *testing.T) {
	t.Parallel()
	w := remote(t)
	root, err := harness.Root()
	if err != nil {
		t.Fatal(err)
	}
	output, err := node(t, filepath.Join("node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js"),
		"server", "--url", w.gateway.Base+"/mcp", "--suite", "all", "--expected-failures", filepath.Join(root, "test", "conformance.yml"))
	if err != nil {
		t.Errorf("%v\n%s", err, output)
	}
	for _, scenario := range []string{"server-initialize", "ping", "tools-list", "server-sse-multiple-streams", "dns-rebinding-protection"} {
		if !strings.Contains(output, scenario) {
			t.Errorf("%s did not run", scenario)
		}
	}
}
