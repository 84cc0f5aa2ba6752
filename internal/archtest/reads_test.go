package archtest

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// unbounded lists the functions that read everything there is, however much it is and
// however long it takes.
var unbounded = []string{
	"os.ReadFile", "os.Open", "os.OpenFile", "os.OpenInRoot", "os.DirFS", "io.ReadAll", "io.Copy", "io.CopyBuffer",
	"bufio.NewReader", "bufio.NewReaderSize", "bufio.NewScanner", "fs.ReadFile", "json.NewDecoder", "ioutil.ReadFile",
	"ioutil.ReadAll",
}

// A read is a function that nevertheless reads in such a way.
type read struct{ where, call, why string }

// reads lists all of them. Whoever adds one states here what limits it, or reads
// through internal/boundedfile.
var reads = []read{
	{"cmd/minigem fakeAPI.serve", "os.OpenFile", "only written, where the user says"},
	{"cmd/minigem hooksTesting.writeFile", "os.OpenFile", "only written, where the user says"},
	{"internal/mcp program.connect", "bufio.NewScanner", "the buffer bounds a line, which is a message"},
	{"internal/output OpenHookTrace", "os.OpenFile", "only written, where the user says"},
	{"internal/cases servers.RoundTrip", "io.ReadAll", "of a payload that is in memory"},
	{"internal/listing readPastRuns", "bufio.NewScanner", "of a regular file, and the buffer bounds a line"},
	{"internal/demo unpack", "fs.ReadFile", "of files embedded in the program"},
	{"internal/extensions writeFile", "os.OpenFile", "written, never read"},
	{"internal/extensions New", "fs.ReadFile", "of files embedded in the program"},
	{"e2e/agents Installed.nodeScript", "os.Open", "64 bytes of a program that the user named"},
	{"e2e/agents Matrix.WriteGitHub", "os.OpenFile", "written, never read"},
	{"e2e/agents nameOf", "os.ReadFile", "/proc"},
	{"e2e/agents room.refuse", "bufio.NewReader", "of a connection with a deadline, and net/http bounds a header"},
	{"e2e/agents withHome", "os.ReadFile", "/proc"},
	{"e2e/agents/shim file", "os.OpenFile", "a record of its own, which is only appended to"},
	{"e2e/agents/shim init", "io.Copy", "streams that are passed through"},
	{"internal/confine Domain.running", "os.Open", "/proc"},
	{"internal/confine CommandLine", "os.ReadFile", "/proc"},
	{"e2e/agents/shim pass", "io.Copy", "streams that are passed through"},
	{"internal/confine/worker become", "os.Open", "what minigem itself wrote"},
	{"internal/confine/worker become", "json.NewDecoder", "what minigem itself wrote"},
	{"hooks/author/trace Read", "bufio.NewScanner", "what the user named, and the buffer bounds a line"},
	{"hooks/portable Run", "io.ReadAll", "what an agent itself writes to a hook in Go"},
	{"hooks/protocol decode", "io.ReadAll", "what minigem itself writes to a hook in Go"},
	{"internal/proc Keep", "io.Copy", "into a buffer within the limit of its caller"},
	{"internal/proc processes", "os.Open", "/proc"},
	{"internal/proc processes", "os.ReadFile", "/proc"},
	{"internal/prompt readDir", "os.Open", "directories, found by walking"},
	{"internal/confine startedBy", "os.Open", "the first bytes of a regular file"},
	{"internal/confine startedBy", "bufio.NewReaderSize", "the first bytes of a regular file"},
	{"internal/sandbox listable", "os.Open", "a directory, of which nothing is read"},
	{"internal/sandbox sameIDs", "os.ReadFile", "/proc"},
	{"tools/policy/shell Word.Matches", "os.DirFS", "names only"},
	{"internal/skills Change.Do", "os.DirFS", "regular files, which are counted before, piece by piece"},
	{"internal/telemetry openOutfile", "os.OpenFile", "only written, where the user says"},
	{"internal/terminal NewGuard", "bufio.NewReader", "one line of our own other process"},
	{"internal/terminal history.add", "os.OpenFile", "only written; open has read it before"},
	{"llm/script Record", "os.OpenFile", "only written, where the user says"},
	{"session registry.migrate", "os.DirFS", "directories of ours, copied once"},
	{"tools/builtin internalDocsCall.Run", "fs.ReadFile", "of files embedded in the program"},
	{"tools/builtin grepCall.read", "bufio.NewReader",
		"the workspace opens regular files only; of a line no more is kept than is shown"},
	{"tools/builtin readLines", "bufio.NewReaderSize",
		"the workspace opens regular files only; of a line no more is kept than is shown"},
	{"tools/builtin pageText", "io.ReadAll", "a page that fetch has bounded, in another encoding"},
	{"tools/toolstest tree", "os.ReadFile", "what tests made"},
	{"transcript fileLock.TryLock", "os.OpenFile", "a lock, not read"},
	{"transcript checkFormat", "bufio.NewReaderSize", "of a regular file, and no more is kept than the buffer"},
	{"transcript loader.lines", "bufio.NewReaderSize",
		"of a file that openSession has bounded; of a line no more is kept than itself"},
	{"transcript open", "os.OpenFile", "only written; what is resumed was read before"},
}

// TestReadsAreBounded checks that production code reads files and streams that others
// may have written through internal/boundedfile, except as listed above.
func TestReadsAreBounded(t *testing.T) {
	t.Parallel()
	var found, listed []string
	walk(t, func(dir, file string) {
		f := parsed(t, file)
		if dir == "internal/boundedfile" {
			return
		}
		for _, decl := range f.Decls {
			where := dir + " " + nameOf(decl)
			ast.Inspect(decl, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && slices.Contains(unbounded, selectorOf(call.Fun)) && bounded(call) {
					return false
				}
				if call := selectorOf(n); slices.Contains(unbounded, call) {
					found = append(found, where+": "+call)
				}
				return true
			})
		}
	})
	require.NotEmpty(t, found, "the search finds nothing at all")
	for _, r := range reads {
		require.NotEmpty(t, r.why)
		listed = append(listed, r.where+": "+r.call)
	}
	slices.Sort(found)
	slices.Sort(listed)
	assert.Equal(t, slices.Compact(listed), slices.Compact(found))
}

// bounded reports whether a call itself shows its limit: it reads from io.LimitReader
// or from bytes in memory, or makes a new file.
func bounded(call *ast.CallExpr) bool {
	shown := false
	for _, arg := range call.Args {
		ast.Inspect(arg, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok {
				shown = shown || slices.Contains([]string{"io.LimitReader", "bytes.NewReader", "strings.NewReader", "os.O_EXCL"},
					selectorOf(e))
			}
			return true
		})
	}
	return shown
}

// selectorOf returns "os.Open" for that expression, called or not, and "" for other
// nodes.
func selectorOf(n ast.Node) string {
	sel, ok := n.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	pkg, ok := sel.X.(*ast.Ident)
	if !ok {
		return ""
	}
	return pkg.Name + "." + sel.Sel.Name
}

func nameOf(decl ast.Decl) string {
	f, ok := decl.(*ast.FuncDecl)
	if !ok {
		return "(var)"
	}
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	return strings.TrimPrefix(fmt.Sprint(exprName(f.Recv.List[0].Type)), "*") + "." + f.Name.Name
}

func exprName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return exprName(e.X)
	case *ast.IndexExpr:
		return exprName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return "?"
}
