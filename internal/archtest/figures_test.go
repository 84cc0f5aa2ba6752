package archtest

import (
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// These figures limit what a reader has to know. Each has a limit that may only be
// lowered, and a target. `go test -run TestFigures -v` prints them.

// A world is a package and everything that it imports from this module, directly or
// indirectly: what its reader may have to open. `go list -deps` counts the same.
var worlds = []struct {
	pkg    string
	most   int
	target int
}{
	{"agent", 6, 6},
	{"hooks", 4, 4},
	{"tools/toolcall", 11, 11},
	{"session", 9, 9},
}

// A room is a package, or a folder of packages with one purpose. Its budget is in
// tokens of production Go: comments, blank lines and line breaks are free. Lower it
// when the room has become smaller, and raise it only with a reason.
type room struct {
	name   string // a file belongs to the room with the longest matching folder
	also   string // more folders, separated by blanks
	budget int
	target int
}

var rooms = []room{
	{"cmd", "", 21_350, 17_000}, // help by topic
	{"agent", "", 16_200, 16_000},
	{"llm", "", 23_650, 22_000}, // models of one's own: context lengths, calls and thoughts in texts
	{"hooks", "", 27_150, 26_000},
	{"hooks/protocol", "", 18_200, 18_000},
	{"hooks/config", "hooks/condition hooks/jsonc hooks/dotenv", 26_310, 28_000},
	{"hooks/command", "hooks/webhook hooks/judge hooks/schema", 5_700, 6_000},
	{"hooks/agents", "hooks/elsewhere hooks/claude hooks/portable hooks/author/export " +
		"hooks/author/compat", 38_400, 30_000},
	{"hooks/author", "", 55_900, 54_000},
	{"hooks/hookstest", "", 1_600, 0}, // what tests of several packages share
	{"tools", "", 75_800, 75_000},     // the syntax of command lines, which was in internal
	{"session", "transcript compress notify", 29_900, 26_000},
	{"e2e", "", 133_700, 114_000}, // hooktest; a green proves something; cases are confined; windows keep what scrolls out
	// changes on disk in steps, from hooks/agents, hooks/command and hooks/author; domains of cases; confine, which takes
	// the place of a parser in tools; other agents' hooks are named; what commands in a sandbox create is not trusted
	{"internal", "", 270_700, 230_000}, // a worker for cases; readers open and start only what they name
	{"", "", 1_900, 2_000},             // .ci, docs, examples
}

// whole is the budget of all rooms together, in tokens.
var whole = struct{ budget, target int }{745_450, 680_000}

// mostMethods limits the methods of a type, including embedded ones.
const mostMethods = 40

// The public packages explain what they export, and no line is too long to read.
const (
	leastComments = 179 // lines of comments per 1,000 lines of code or comment in publicRooms; target 180
	mostLongLines = 0   // longer than longLine, in all production Go; target 0
	longLine      = 120 // characters
)

var publicRooms = []string{"agent/...", "hooks/...", "tools/...", "llm/...", "session/...", "transcript/...",
	"compress/...", "notify/...", "e2e/hooktest/..."}

func TestFiguresOfWorlds(t *testing.T) {
	t.Parallel()
	imports := load(t)
	for _, w := range worlds {
		world := map[string]bool{}
		var visit func(pkg string)
		visit = func(pkg string) {
			if world[pkg] {
				return
			}
			world[pkg] = true
			for _, i := range imports[pkg] {
				if own, ok := strings.CutPrefix(i, module+"/"); ok {
					visit(own)
				}
			}
		}
		require.Contains(t, imports, w.pkg)
		visit(w.pkg)
		t.Logf("%s: %d packages, target %d", w.pkg, len(world), w.target)
		assert.LessOrEqual(t, len(world), w.most, "the reader of %s has to know %s", w.pkg,
			strings.Join(slices.Sorted(maps.Keys(world)), ", "))
	}
}

func TestFiguresOfRooms(t *testing.T) {
	t.Parallel()
	tokens, parts, sum := map[string]int{}, map[string]map[string]int{}, 0
	eachSource(t, func(s *source) {
		if !s.production() {
			return
		}
		name, n := roomOf(s.dir), countTokens(s.text)
		if parts[name] == nil {
			parts[name] = map[string]int{}
		}
		parts[name][s.dir] += n
		tokens[name] += n
		sum += n
	})
	for _, r := range rooms {
		t.Logf("%-16s %7d, budget %7d, target %7d", cmpOr(r.name, "the rest"), tokens[r.name], r.budget, r.target)
		for _, part := range slices.Sorted(maps.Keys(parts[r.name])) {
			t.Logf("    %-28s %7d", part, parts[r.name][part])
		}
		assert.LessOrEqual(t, tokens[r.name], r.budget, "tokens of %s: make it smaller, or raise its budget with a reason",
			cmpOr(r.name, "the rest"))
	}
	t.Logf("%-16s %7d, budget %7d, target %7d", "whole", sum, whole.budget, whole.target)
	assert.LessOrEqual(t, sum, whole.budget, "tokens of the whole: make something smaller")
}

func cmpOr(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// roomOf returns the name of the room that dir belongs to.
func roomOf(dir string) (name string) {
	longest := -1
	for _, r := range rooms {
		for _, folder := range append(strings.Fields(r.also), r.name) {
			if (folder == "" || matches(dir, folder+"/...")) && len(folder) > longest {
				longest, name = len(folder), r.name
			}
		}
	}
	return name
}

// countTokens counts the tokens of Go source, without the semicolons inserted at line
// breaks.
func countTokens(text []byte) (n int) {
	var s scanner.Scanner
	set := token.NewFileSet()
	s.Init(set.AddFile("", set.Base(), len(text)), text, nil, 0)
	for {
		_, kind, literal := s.Scan()
		if kind == token.EOF {
			return n
		}
		if kind != token.SEMICOLON || literal != "\n" {
			n++
		}
	}
}

// TestFiguresOfTypes counts embedded methods, too: splitting a type into parts that it
// embeds does not make it smaller.
func TestFiguresOfTypes(t *testing.T) {
	t.Parallel()
	own, embedded := map[string][]string{}, map[string][]string{}
	eachSource(t, func(s *source) {
		if s.production() {
			membersOf(s, own, embedded)
		}
	})
	for name := range own {
		assert.LessOrEqual(t, len(methodSet(name, own, embedded)), mostMethods,
			"methods of %s: a type with more is a room without walls", name)
	}
}

// membersOf adds the methods of the types in s to own, and the types of this module
// that they embed to embedded, by folder and name.
func membersOf(s *source, own, embedded map[string][]string) {
	for _, d := range s.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil {
				name := s.dir + "." + receiver(d)
				own[name] = append(own[name], d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				spec, ok := spec.(*ast.TypeSpec)
				if !ok {
					continue
				}
				name := s.dir + "." + spec.Name.Name
				switch typ := spec.Type.(type) {
				case *ast.StructType:
					own[name] = append(own[name], []string(nil)...) // it may only have embedded ones
					embedded[name] = embeddedIn(s, typ.Fields)
				case *ast.InterfaceType:
					embedded[name] = embeddedIn(s, typ.Methods)
					for _, m := range typ.Methods.List {
						for _, n := range m.Names {
							own[name] = append(own[name], n.Name)
						}
					}
				}
			}
		}
	}
}

// embeddedIn returns the types of this module that a struct or an interface embeds.
func embeddedIn(s *source, fields *ast.FieldList) (out []string) {
	folders := map[string]string{} // of the packages of this module that s imports
	for _, i := range s.file.Imports {
		if folder, ok := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), module+"/"); ok {
			name := folder[strings.LastIndexByte(folder, '/')+1:]
			if i.Name != nil {
				name = i.Name.Name
			}
			folders[name] = folder
		}
	}
	for _, f := range fields.List {
		if len(f.Names) > 0 {
			continue
		}
		typ := f.Type
		if star, ok := typ.(*ast.StarExpr); ok {
			typ = star.X
		}
		switch typ := typ.(type) {
		case *ast.Ident:
			out = append(out, s.dir+"."+typ.Name)
		case *ast.SelectorExpr:
			if pkg, ok := typ.X.(*ast.Ident); ok && folders[pkg.Name] != "" {
				out = append(out, folders[pkg.Name]+"."+typ.Sel.Name)
			}
		}
	}
	return out
}

// methodSet returns the names of all methods of name, its own and embedded ones.
func methodSet(name string, own, embedded map[string][]string) map[string]bool {
	set := map[string]bool{}
	for _, m := range own[name] {
		set[m] = true
	}
	for _, e := range embedded[name] {
		maps.Copy(set, methodSet(e, own, embedded))
	}
	return set
}

func TestFiguresOfLines(t *testing.T) {
	t.Parallel()
	code, comments, long := 0, 0, 0
	var where []string
	eachSource(t, func(s *source) {
		if !s.production() {
			return
		}
		n := 0
		for line := range strings.Lines(string(s.text)) {
			if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > longLine {
				n++
			}
		}
		if long += n; n > 0 {
			where = append(where, fmt.Sprintf("%s %d", s.rel(), n))
		}
		if matchesAny(s.dir, publicRooms) {
			c, m := linesOf(s)
			code, comments = code+c, comments+m
		}
	})
	share := 1000 * comments / (code + comments)
	t.Logf("comments: %d of 1,000 lines, target 180; long lines: %d, target 0", share, long)
	assert.GreaterOrEqual(t, share, leastComments,
		"of 1,000 lines of the public packages so many are comments: say what exported names mean")
	assert.LessOrEqual(t, long, mostLongLines, "lines of more than %d characters: wrap what you touch\n%s", longLine,
		strings.Join(where, "\n"))
}

// linesOf counts the lines of s that contain code, and those that contain only a
// comment.
func linesOf(s *source) (code, comments int) {
	text, inBlock := string(s.text), false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case inBlock || strings.HasPrefix(line, "//") || strings.HasPrefix(line, "/*"):
			comments++
			inBlock = (inBlock || strings.HasPrefix(line, "/*")) && !strings.Contains(line, "*/")
		default:
			code++
		}
	}
	return code, comments
}

// mostDocumented limits the lines of `go doc -short ./hooks`, which are what an embedder
// of the engine has to look through.
const mostDocumented = 50

func TestFiguresOfTheEngine(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "doc", "-short", module+"/hooks").Output()
	require.NoError(t, err)
	lines := strings.Count(string(out), "\n")
	t.Logf("go doc -short ./hooks: %d lines, target %d", lines, mostDocumented)
	assert.LessOrEqual(t, lines, mostDocumented)
}
