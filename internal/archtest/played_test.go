package archtest

import (
	"go/ast"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestOnlyCasesPlayOtherAgents checks that only the driver of test cases gives an
// engine Rules that replace its own, and a workspace other names to protect, so that no
// configuration can.
func TestOnlyCasesPlayOtherAgents(t *testing.T) {
	t.Parallel()
	var found []string
	walk(t, func(dir, file string) {
		f := parsed(t, file)
		for _, decl := range f.Decls {
			ast.Inspect(decl, func(n ast.Node) bool {
				var set []ast.Expr
				switch n := n.(type) {
				case *ast.AssignStmt:
					set = n.Lhs
				case *ast.CompositeLit:
					if s, ok := n.Type.(*ast.SelectorExpr); ok && s.Sel.Name == "Engine" {
						for _, e := range n.Elts {
							if kv, ok := e.(*ast.KeyValueExpr); ok {
								set = append(set, kv.Key)
							}
						}
					}
				}
				for _, e := range set {
					if s, ok := e.(*ast.SelectorExpr); ok {
						e = s.Sel
					}
					if id, ok := e.(*ast.Ident); ok && (id.Name == "RulesAt" || id.Name == "Protects") {
						found = append(found, dir+" "+nameOf(decl))
					}
				}
				return true
			})
		}
	})
	slices.Sort(found)
	assert.Equal(t, []string{"internal/app Configuration.OpenWorkspace", "internal/cases play"}, slices.Compact(found))
}
