package archtest

import (
	"go/ast"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Limits on what a reader has to keep in mind at once.
const (
	mostFunctionLines = 60
	mostFileLines     = 400
	mostCommandLines  = 3500 // for cmd/minigem without its tests: about 80 per subcommand
)

// long lists the functions that may be longer, with the reason.
var long = map[string]string{}

// TestSizes checks the length of functions and files in the whole tree, including
// tests.
func TestSizes(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	eachSource(t, func(s *source) {
		if s.dir == ".ci" {
			return
		}
		assert.LessOrEqual(t, s.lines(), mostFileLines, "%s has too many lines: part it by what it is about", s.rel())
		for _, decl := range s.file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			lines := position(t, fn.End()).Line - position(t, fn.Pos()).Line + 1
			name := s.rel() + " " + fn.Name.Name
			if long[name] != "" {
				found[name] = true
				assert.Greater(t, lines, mostFunctionLines, "%s is short enough: take it off the list", name)
				continue
			}
			// Tests are tables, and a table is as long as its rows.
			if lines > mostFunctionLines && s.production() {
				t.Errorf("%s has %d lines, more than %d: name what its parts do", name, lines, mostFunctionLines)
			}
		}
	})
	for name := range long {
		assert.True(t, found[name], "%s is not there any more: take it off the list", name)
	}
}

// TestCommandIsThin checks that cmd/minigem is just flags, exit codes and one thin file
// per subcommand. Code that can be tested elsewhere belongs elsewhere.
func TestCommandIsThin(t *testing.T) {
	t.Parallel()
	lines := 0
	eachSource(t, func(s *source) {
		if s.dir == "cmd/minigem" && s.production() {
			lines += s.lines()
		}
	})
	require.NotZero(t, lines)
	assert.LessOrEqual(t, lines, mostCommandLines,
		"cmd/minigem: move what is not a flag and no text of a subcommand to a room")
}

// direct lists what a package must not import itself, and why.
var direct = []struct {
	pkg string
	not []string
	why string
}{
	{"cmd/minigem", []string{
		"minigem/internal/snapshot", "minigem/internal/atomicfile", "minigem/session", "minigem/transcript",
		"minigem/internal/mcp", "minigem/internal/contextfile", "minigem/internal/prompt",
		"minigem/internal/redact", "minigem/internal/telemetry", "minigem/internal/discovered", "minigem/tools",
		"minigem/tools/builtin",
		"minigem/tools/toolcall", "minigem/tools/workspace", "minigem/compress", "minigem/notify", "minigem/e2e/record",
		"github.com/pelletier/go-toml/v2",
	}, "the command is a leaf: it holds no file format, no undo plan and no driver, and builds no session"},
	{"internal/app", []string{"minigem/internal/terminal", "minigem/internal/chat", "minigem/internal/headless",
		"minigem/internal/listing", "github.com/spf13/cobra", "github.com/spf13/pflag"},
		"what a run is made of knows neither flags nor screens"},
	{"internal/undo", []string{"minigem/internal/app", "minigem/internal/settings", "minigem/internal/terminal"},
		"going back asks nobody, and is given what it needs"},
	{"internal/chat", []string{"github.com/spf13/cobra", "minigem/internal/snapshot", "minigem/internal/headless"},
		"the chat has no flags, and goes back by internal/undo"},
}

func TestDirectImports(t *testing.T) {
	t.Parallel()
	imports := load(t)
	for _, d := range direct {
		require.Contains(t, imports, d.pkg)
		for _, i := range imports[d.pkg] {
			if slices.Contains(d.not, i) {
				t.Errorf("%s imports %s\n\twhy not: %s", d.pkg, i, d.why)
			}
		}
	}
}

// TestAppIsSilent checks that internal/app and internal/wiring print nothing: they return errors, and
// report to what they are given.
func TestAppIsSilent(t *testing.T) {
	t.Parallel()
	walk(t, func(dir, file string) {
		if dir != "internal/app" && dir != "internal/wiring" {
			return
		}
		f := parsed(t, file)
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			x, _ := s.X.(*ast.Ident)
			of := ""
			if x != nil {
				of = x.Name
			}
			prints := of == "fmt" && strings.HasPrefix(s.Sel.Name, "Print") || (of == "os" || of == "sys") &&
				(s.Sel.Name == "Stdout" || s.Sel.Name == "Stderr")
			assert.False(t, prints, "%s: %s.%s in %s, which prints nothing", position(t, n.Pos()), of, s.Sel.Name, dir)
			return true
		})
	})
}
