package archtest

import (
	"go/ast"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// parsing are the ways in which production code understands, or takes in to
// understand it, what somebody else wrote.
var parsing = []string{
	"json.Unmarshal", "json.NewDecoder", "toml.Unmarshal", "jsonc.Parse", "txtar.Parse", "syntax.NewParser", "shell.Syntax", "xml.Unmarshal", "xml.NewDecoder", "html.Parse", "unstable.Parser",
	"boundedfile.Read", "boundedfile.ReadAll", "boundedfile.ReadJSON", "boundedfile.ReadNamed", "boundedfile.Open", "boundedfile.OpenIn", "goldmark.New", "goldmark.DefaultParser",
}

// A fuzzed names functions that parse, by their folder, and the fuzz target that
// feeds them with anything; or, with none, why nothing foreign comes there.
type fuzzed struct{ target, folder, functions, why string }

// TestParsersAreFuzzed: each function that parses is in the table with a fuzz
// target that there is, or with the reason why it needs none.
func TestParsersAreFuzzed(t *testing.T) {
	t.Parallel()
	var found, listed []string
	walk(t, func(dir, file string) {
		f := parsed(t, file)
		for _, decl := range f.Decls {
			ast.Inspect(decl, func(n ast.Node) bool {
				if slices.Contains(parsing, selectorOf(n)) {
					found = append(found, dir+" "+nameOf(decl))
				}
				return true
			})
		}
	})
	targets := fuzzTargets(t)
	for _, e := range parsers {
		assert.True(t, (e.target == "") != (e.why == ""), "%s %s: a target or a reason", e.folder, e.functions)
		if e.target != "" {
			assert.Contains(t, targets, e.target)
		}
		for name := range strings.FieldsSeq(e.functions) {
			if name == "var" {
				name = "(var)"
			}
			listed = append(listed, e.folder+" "+name)
		}
	}
	assertListed(t, listed, found)
}

// fuzzTargets are "folder FuzzName" of all there are.
func fuzzTargets(t *testing.T) []string {
	var targets []string
	walkAll(t, func(dir, file string) {
		if !strings.HasSuffix(file, "_test.go") {
			return
		}
		f := parsed(t, file)
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Fuzz") {
				targets = append(targets, dir+" "+fn.Name.Name)
			}
		}
	})
	return targets
}
