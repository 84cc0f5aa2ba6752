package archtest

import (
	"go/ast"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// parsing lists the functions with which production code parses, or reads in order to
// parse, what someone else wrote.
var parsing = []string{
	"json.Unmarshal", "json.NewDecoder", "toml.Unmarshal", "jsonc.Parse", "txtar.Parse", "syntax.NewParser", "shell.Syntax", "xml.Unmarshal", "xml.NewDecoder", "html.Parse", "unstable.Parser",
	"boundedfile.Read", "boundedfile.ReadAll", "boundedfile.ReadJSON", "boundedfile.ReadNamed", "boundedfile.Open", "boundedfile.OpenIn", "goldmark.New", "goldmark.DefaultParser",
}

// A fuzzed names functions of a folder that parse, and the fuzz target that feeds them
// arbitrary input. If there is no target, it says why nothing foreign gets there.
type fuzzed struct{ target, folder, functions, why string }

// TestParsersAreFuzzed checks that each function that parses is in the table, with an
// existing fuzz target or the reason why it needs none.
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

// fuzzTargets returns all fuzz targets as "folder FuzzName".
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
