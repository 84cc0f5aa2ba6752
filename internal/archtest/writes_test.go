package archtest

import (
	"go/ast"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// renames are the functions that replace one file by another
// themselves, or make what has a name only for a while. Whole files are written by
// internal/atomicfile, folders are replaced and made for a while by internal/stage:
// these two know what a killed process leaves. tools/workspace, which is confined to
// its root, renames by os.Root, and announces its files.
var renames = []read{
	{"e2e/agents/shim run", "os.Rename", "a folder"},
	{"e2e/agents/shim writeJSON", "os.Rename", "in a process that plays a hook, and starts fast because it imports little"},
	{"e2e/testbed newPlace", "os.MkdirTemp", "where the user wants folders of cases to stay"},
	{"internal/atomicfile replace", "os.Rename", "the one way to write whole files"},
	{"internal/boundedfile SetAside", "os.Rename", "moved away, not written"},
	{"internal/extensions flatten", "os.Rename", "a folder"},
	{"internal/stage Change.Put", "os.Rename", "a folder"},
	{"internal/stage Change.setAside", "os.Rename", "a folder"},
	{"internal/stage complete", "os.Rename", "a folder"},
	{"internal/stage settle", "os.Rename", "a folder"},
	{"internal/trials Torture.Run", "os.MkdirTemp", "within a folder of internal/stage"},
	{"session registry.migrate", "os.Rename", "a folder"},
}

// TestOneWayToWriteWholeFiles: no other package renames files, or creates files that a
// kill would leave behind.
func TestOneWayToWriteWholeFiles(t *testing.T) {
	t.Parallel()
	assertCalls(t, renames, "os.Rename", "os.CreateTemp", "os.MkdirTemp", "renameio.WriteFile")
}

// globs are the functions that take a pattern of the user's, or one below a folder whose
// name they have chosen.
var globs = []read{
	{"e2e/agents Adapter.HookFiles", "filepath.Glob", "in the folder of a case"},
	{"e2e/agents session.Transcript", "filepath.Glob", "in the folder of a case"},
	{"e2e/hooktest Run", "filepath.Glob", "the caller's pattern"},
	{"internal/confine Readable", "filepath.Glob", "/etc"},
}

// TestFoldersAreNotPatterns: a folder may be called "[slug]". Files below a folder are found
// by boundedfile.Find.
func TestFoldersAreNotPatterns(t *testing.T) {
	t.Parallel()
	assertCalls(t, globs, "filepath.Glob")
}

// assertCalls checks that of all functions only the listed ones make these calls.
func assertCalls(t *testing.T, allowed []read, calls ...string) {
	var found, listed []string
	walk(t, func(dir, file string) {
		f := parsed(t, file)
		for _, decl := range f.Decls {
			ast.Inspect(decl, func(n ast.Node) bool {
				if call := selectorOf(n); slices.Contains(calls, call) {
					found = append(found, dir+" "+nameOf(decl)+": "+call)
				}
				return true
			})
		}
	})
	for _, r := range allowed {
		listed = append(listed, r.where+": "+r.call)
	}
	slices.Sort(found)
	assert.Equal(t, listed, slices.Compact(found))
}
