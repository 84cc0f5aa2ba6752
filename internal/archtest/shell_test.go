package archtest

import (
	"go/ast"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// ofHooks lists the functions that parse the text of a hook or a script for its author.
// Nothing is allowed or left out because of what they find.
var ofHooks = []string{"hooks/author/attack parse", "hooks/author/program Facts.shell", "hooks/author/program SingleQuotedVariable", "hooks/config Calls", "hooks/config VariableUses", "tools/policy/shell Syntax"}

// TestLinesAreReadAsBashReadsThem checks that code which decides by what a command line
// runs uses shell.Syntax, which knows where the parser and bash differ.
func TestLinesAreReadAsBashReadsThem(t *testing.T) {
	t.Parallel()
	var found []string
	walk(t, func(dir, file string) {
		f := parsed(t, file)
		for _, decl := range f.Decls {
			ast.Inspect(decl, func(n ast.Node) bool {
				if selectorOf(n) == "syntax.NewParser" {
					found = append(found, dir+" "+nameOf(decl))
				}
				return true
			})
		}
	})
	slices.Sort(found)
	assert.Equal(t, ofHooks, slices.Compact(found))
}
