package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"minigem/internal/text"
)

// oneCleaner lists the packages besides internal/text that may inspect characters that
// act on a screen, and why.
var oneCleaner = map[string]string{
	"internal/terminal":    "reads what keys send",
	"tools/builtin":        "what a command printed, as its model gets it; not shown as it is",
	"tools/workspace":      "names that a file system takes for the same",
	"e2e/record":           "whether a text fits on a line of a case",
	"internal/boundedfile": "bytes of JSON",
	"hooks/protocol":       "the control characters that JSON forbids in strings",
}

// TestOneCleaner checks that no other package asks which characters are control or
// format characters, or removes control sequences. Such a package would be a second
// cleaner of text, and remove a different set.
func TestOneCleaner(t *testing.T) {
	t.Parallel()
	asks := map[string][]string{
		"unicode": {"Cc", "Cf", "Zl", "Zp", "Co", "Other", "C", "Bidi_Control", "Join_Control", "Variation_Selector",
			"IsControl", "IsPrint", "IsGraphic", "GraphicRanges", "PrintRanges"},
		"ansi":    {"Strip", "NewParser", "DecodeSequence"},
		"strconv": {"IsPrint", "IsGraphic"},
	}
	needed := map[string]bool{}
	eachNode(t, func(pkg string, where func() string, n ast.Node) {
		if pkg == "internal/text" {
			return
		}
		fail := func(format string, args ...any) {
			if needed[pkg] = true; oneCleaner[pkg] == "" {
				t.Errorf(format, args...)
			}
		}
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && slices.Contains(asks[x.Name], n.Sel.Name) {
				fail("%s: %s.%s: internal/text has the table of what acts upon a screen", where(), x.Name, n.Sel.Name)
			}
		case *ast.BinaryExpr:
			for _, side := range []ast.Expr{n.X, n.Y} {
				if r, ok := character(side); ok && (text.Hides(r) && r != 0 && r != 0x80 && r != '\n' && r != '\t' && r != '\r' ||
					r == ' ' && (n.Op == token.LSS || n.Op == token.GEQ)) {
					fail("%s compares with U+%04X: internal/text has the table of what acts upon a screen", where(), r)
				}
			}
		}
	})
	for pkg := range oneCleaner {
		if !needed[pkg] {
			t.Errorf("%s needs no exception any more", pkg)
		}
	}
}

// character returns the value of a literal in single quotes, or of a hexadecimal
// number.
func character(e ast.Expr) (rune, bool) {
	l, ok := e.(*ast.BasicLit)
	if ok && l.Kind == token.INT && strings.HasPrefix(l.Value, "0x") {
		n, err := strconv.ParseInt(l.Value, 0, 32)
		return rune(n), err == nil
	}
	if !ok || l.Kind != token.CHAR {
		return 0, false
	}
	r, _, _, err := strconv.UnquoteChar(l.Value[1:len(l.Value)-1], '\'')
	return r, err == nil
}

// streams lists the files that may name the process's streams because a text.Writer is
// put before them, and why.
var streams = map[string]string{
	"cmd/minigem/main.go":     "the one place where a System gets them; run puts text.Writers before them",
	"hooks/portable/serve.go": "the streams of a hook that is written in Go",

	"e2e/agents/isolated/isolated_linux.go":   "the streams of an agent under test, which are handed to it",
	"internal/confine/worker/worker_linux.go": "the streams of minigem, which are handed to its worker",

	"e2e/agents/shim/shim_unix.go": "the streams of a hook, which are passed through as they are",
}

// raw lists the files that may bypass a text.Writer, and why.
var raw = map[string]string{
	"cmd/minigem/interactive.go":   "the terminal of the chat",
	"cmd/minigem/hooks_migrate.go": "colours of ours around cleaned lines",
	"cmd/minigem/hooks_compat.go":  "a page for a browser; a terminal is refused",
	"cmd/minigem/hooks_view.go":    "a page for a browser; a terminal is refused",
	"internal/acp/serve.go":        "the protocol of an editor, in JSON: what people read in it is cleaned before",
	"internal/headless/output.go":  "--raw-output",
	"internal/exit/fit.go":         "the width of the window, and nothing else",
	"e2e/agents/progress.go":       "one line that is written over, with cleaned names",
}

// TestStreamsAreCleaned checks that everything is printed through a text.Writer, so
// that cleaning cannot be forgotten.
func TestStreamsAreCleaned(t *testing.T) {
	t.Parallel()
	eachNode(t, func(_ string, at func() string, n ast.Node) {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return
		}
		x, ok := s.X.(*ast.Ident)
		if !ok {
			return
		}
		where := at()
		file := where[:slices.Index([]byte(where), ':')]
		switch name := x.Name + "." + s.Sel.Name; name {
		case "os.Stdout", "os.Stderr", "fmt.Print", "fmt.Println", "fmt.Printf":
			if streams[file] == "" {
				t.Errorf("%s: %s: print to the streams of the System that is handed in", where, name)
			}
		case "text.Raw":
			if raw[file] == "" {
				t.Errorf("%s writes past the text.Writer", where)
			}
		}
	})
}

// eachNode visits the syntax nodes of every file that is not a test.
func eachNode(t *testing.T, visit func(pkg string, where func() string, n ast.Node)) {
	t.Helper()
	walk(t, func(dir, file string) {
		f := parsed(t, file)
		ast.Inspect(f, func(n ast.Node) bool {
			if n != nil {
				visit(dir, func() string {
					at := position(t, n.Pos())
					return fmt.Sprintf("%s/%s:%d", dir, filepath.Base(at.Filename), at.Line)
				}, n)
			}
			return true
		})
	})
}
