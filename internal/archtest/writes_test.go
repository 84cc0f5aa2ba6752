package archtest

import (
	"go/ast"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// renames lists the functions that rename files themselves. internal/atomicfile writes
// whole files. tools/workspace, which is confined to its root, renames with os.Root.
var renames = []read{
	{"e2e/agents/shim run", "os.Rename", "a folder"},
	{"e2e/agents/shim writeJSON", "os.Rename", "in a process that stands for a hook, and starts in no time because it imports little"},
	{"internal/atomicfile replace", "os.Rename", "the one way to write whole files"},
	{"internal/boundedfile SetAside", "os.Rename", "moved away, not written"},
	{"internal/cases CheckRecording", "os.CreateTemp", "a file that only shows that there can be one"},
	{"internal/extensions flatten", "os.Rename", "a folder"},
	{"internal/stage Change.Put", "os.Rename", "a folder"},
	{"internal/stage Change.setAside", "os.Rename", "a folder"},
	{"internal/stage complete", "os.Rename", "a folder"},
	{"internal/stage settle", "os.Rename", "a folder"},
	{"session registry.migrate", "os.Rename", "a folder"},
}

// TestOneWayToWriteWholeFiles checks that no other code renames.
func TestOneWayToWriteWholeFiles(t *testing.T) {
	t.Parallel()
	var found, listed []string
	walk(t, func(dir, file string) {
		f := parsed(t, file)
		for _, decl := range f.Decls {
			ast.Inspect(decl, func(n ast.Node) bool {
				if call := selectorOf(n); slices.Contains([]string{"os.Rename", "os.CreateTemp", "renameio.WriteFile"}, call) {
					found = append(found, dir+" "+nameOf(decl)+": "+call)
				}
				return true
			})
		}
	})
	for _, r := range renames {
		listed = append(listed, r.where+": "+r.call)
	}
	slices.Sort(found)
	assert.Equal(t, listed, slices.Compact(found))
}
