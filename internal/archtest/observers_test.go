package archtest

import (
	"go/ast"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// acting lists packages that an observer could act with: start processes, or store the
// state of a project. What must happen before a tool runs belongs in toolcall.Runner's
// Prepare, which has the call's context.
var acting = []string{"os/exec", "minigem/internal/proc", "minigem/internal/snapshot", "minigem/internal/undo", "minigem/tools/workspace"}

// waiting lists functions of context with which an observer could wait for something.
var waiting = []string{"WithTimeout", "WithDeadline", "WithTimeoutCause", "WithDeadlineCause"}

// TestObserversOnlyInform checks that no Emit of an event.Sink reaches one of those
// packages through functions of its own package, or makes a context with a limit. It
// identifies functions only by name, which finds too much rather than too little.
func TestObserversOnlyInform(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	seen := 0
	for dir := range load(t) {
		n, faults := observers(t, filepath.Join(root, dir))
		seen += n
		for _, f := range faults {
			assert.Fail(t, dir+": Emit reaches "+f)
		}
	}
	assert.Greater(t, seen, 5, "there are observers")
}

// observers counts the Emit methods of a package, and returns what they reach but must
// not.
func observers(t *testing.T, dir string) (n int, faults []string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	uses := map[string][]string{} // by function name: the names that it mentions, and its faults after "!"
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file := parsed(t, path)
		names := actingNames(file)
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
				uses[f.Name.Name] = append(uses[f.Name.Name], mentioned(f.Body, names)...)
				if isEmit(f) {
					n++
				}
			}
		}
	}
	if n == 0 {
		return 0, nil
	}
	reached, todo := map[string]bool{"Emit": true}, []string{"Emit"}
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		for _, u := range uses[name] {
			if fault, bad := strings.CutPrefix(u, "!"); bad {
				faults = append(faults, fault+" in "+name)
			} else if _, ours := uses[u]; ours && !reached[u] {
				reached[u], todo = true, append(todo, u)
			}
		}
	}
	return n, faults
}

func isEmit(f *ast.FuncDecl) bool {
	return f.Recv != nil && f.Name.Name == "Emit" && len(f.Type.Params.List) == 1
}

// actingNames returns the names under which a file imports packages that act.
func actingNames(file *ast.File) (names []string) {
	for _, i := range file.Imports {
		path, _ := strconv.Unquote(i.Path.Value)
		if !slices.Contains(acting, path) {
			continue
		}
		if i.Name != nil {
			names = append(names, i.Name.Name)
		} else {
			names = append(names, filepath.Base(path))
		}
	}
	return names
}

// mentioned returns the names of the functions that body may call, and after "!" what
// no observer may use.
func mentioned(body ast.Node, banned []string) (names []string) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			switch f := n.Fun.(type) {
			case *ast.Ident:
				names = append(names, f.Name)
			case *ast.SelectorExpr:
				names = append(names, f.Sel.Name)
			}
		case *ast.SelectorExpr:
			x, _ := n.X.(*ast.Ident)
			if x != nil && (slices.Contains(banned, x.Name) || x.Name == "context" && slices.Contains(waiting, n.Sel.Name)) {
				names = append(names, "!"+x.Name+"."+n.Sel.Name)
			}
		}
		return true
	})
	return names
}
