package page

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// lintJS parses a script as ES3 and looks for what old modes lack, outside
// of a try and of a test for it.
const lintJS = `
var acorn = require('acorn'), lacking = new Set(
  ('JSON Map Set Promise Symbol querySelector querySelectorAll getElementsByClassName addEventListener dispatchEvent createEvent ' +
  'createRange getSelection getComputedStyle textContent classList matches closest checkVisibility children head ' +
  'firstElementChild nextElementSibling getOwnPropertyDescriptor keys create defineProperty entries assign ' +
  'innerWidth innerHeight pageXOffset pageYOffset map filter forEach some every reduce lastIndexOf includes trim ' +
  'startsWith endsWith isArray bind now characterSet selectionStart selectionEnd setSelectionRange ancestorOrigins apply').split(' '));
function faultsIn(source) {
var faults = [], tree;
try {
  tree = acorn.parse(source, {ecmaVersion: 3, allowReserved: 'never', allowReturnOutsideFunction: true, locations: true});
} catch (e) { return [e.message]; }
(function walk(node, guards) {
  if (!node || typeof node.type != 'string') return;
  var name = node.type == 'MemberExpression' ? node.computed ? node.property.value : node.property.name : node.type == 'Identifier' ? node.name : null;
  if (node.type == 'MemberExpression' && node.computed && node.property.type == 'Literal' && node.object.type != 'Identifier') name = node.property.value;
  if (lacking.has(name) && !guards.some(function (g) { return g === true || g.includes(name); })) faults.push(node.loc.start.line + ': ' + name);
  for (var key in node) {
    var inner = guards;
    if (node.type == 'TryStatement' && key == 'block') inner = guards.concat(true);
    if ((node.type == 'IfStatement' || node.type == 'ConditionalExpression') && key != 'test') inner = guards.concat(source.slice(node.test.start, node.test.end));
    if ((node.type == 'IfStatement' || node.type == 'ConditionalExpression') && key == 'test') inner = guards.concat(source.slice(node.test.start, node.test.end));
    if (node.type == 'MemberExpression' && key == 'property' && !node.computed || node.type == 'Property' && key == 'key') continue;
    var child = node[key];
    if (Array.isArray(child)) child.forEach(function (c) { walk(c, inner); }); else if (child && typeof child == 'object') walk(child, inner);
  }
})(tree, []);
return faults;
}
process.stdout.write(JSON.stringify(JSON.parse(require('fs').readFileSync(0, 'utf8')).map(faultsIn)));
`

// lint returns the faults of each source.
func lint(t *testing.T, sources ...string) [][]string {
	t.Helper()
	modules, err := filepath.Abs("../../test/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	stdin, err := json.Marshal(sources)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", "-e", lintJS)
	cmd.Env = append(os.Environ(), "NODE_PATH="+modules+string(filepath.ListSeparator)+os.Getenv("NODE_PATH"))
	cmd.Stdin = bytes.NewReader(stdin)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("the lint needs node, and acorn from test/package.json: %v", err)
	}
	var faults [][]string
	if err := json.Unmarshal(out, &faults); err != nil || len(faults) != len(sources) {
		t.Fatalf("the lint said %s: %v", out, err)
	}
	return faults
}

func TestScriptsAreES3(t *testing.T) {
	var sources []string
	for _, s := range []script{
		stateScript, inspectScript, actionableScript, frameScript, holdsScript,
		optionScript, selectedScript, editableScript, filledScript, formScript, tableScript, fileScript, focusedScript,
	} {
		body, err := s.with(map[string]string{"value": "</script>\u2028\U00020000\x00"})
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, body)
	}
	for i, faults := range lint(t, sources...) {
		if len(faults) > 0 {
			t.Errorf("script %d: %s", i, strings.Join(faults, "\n"))
		}
	}
}

func TestLintFindsFaults(t *testing.T) {
	bad := []string{"var a = [1, 2]; a.forEach(f);", "x = {a: 1,};", "x.default = 1;", "let x = 1;", "f(JSON);", "document['head'];", "var short;"}
	for i, faults := range lint(t, bad...) {
		if len(faults) == 0 {
			t.Errorf("nothing found in %s", bad[i])
		}
	}
	if faults := lint(t, "if (document.head) { f(document.head); } try { f(JSON); } catch (e) { }")[0]; len(faults) > 0 {
		t.Errorf("guarded uses are faults: %s", faults)
	}
}
