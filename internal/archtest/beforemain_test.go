package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// beforeMain counts, for each package, the initial values of package variables that do
// work before main: calls that compile, parse or allocate, and maps of more than
// smallMap entries. Each start of minigem pays for all of them, and each touched page
// costs memory. Make a new one a sync.OnceValue, a switch or a sorted slice. Lower a
// count when one is gone, and never raise it. A package that is not listed has none.
var beforeMain = map[string]int{
	"agent":                 6,
	"agent/subagent":        1,
	"e2e/agents":            4,
	"e2e/record":            1,
	"e2e/testbed":           8,
	"examples/forcepush":    1,
	"examples/toolfilter":   2,
	"hooks/elsewhere":       30,
	"hooks/author/inspect":  47,
	"hooks/author/lint":     19,
	"hooks/author/mutate":   2,
	"hooks/author/program":  1,
	"hooks/author/scaffold": 4,
	"hooks/claude":          3,
	"hooks/command":         1,
	"hooks/condition":       2,
	"hooks/config":          1,
	"hooks/agents":          3,
	"hooks/jsonc":           1,
	"hooks/judge":           3,
	"hooks/protocol":        9,
	"hooks/schema":          1,
	"hooks/webhook":         1,
	"internal/atomicfile":   1,
	"internal/contextfile":  3,
	"internal/extensions":   2,
	"internal/highlight":    2,
	"internal/mcp":          7,
	"internal/redact":       5,
	"internal/settings":     2,
	"internal/skills":       2,
	"internal/subagents":    4,
	"internal/telemetry":    1,
	"internal/terminal":     5,
	"internal/undo":         1,
	"internal/worktrees":    1,
	"llm/openai":            2,
	"session":               3,
	"tools/builtin":         28,
	"tools/policy":          1,
}

const smallMap = 8

// cheap lists calls that only make a small value, or that do nothing until they are
// used.
var cheap = []string{"errors.New", "sync.OnceValue", "sync.OnceValues", "sync.OnceFunc", "reflect.TypeFor", "new",
	"len", "string", "float64"}

func TestNothingHappensBeforeMain(t *testing.T) {
	t.Parallel()
	found, lazy := map[string]int{}, lazyNames(t)
	eachSource(t, func(s *source) {
		if n := len(early(s.file, lazy[s.dir])); s.production() && n > 0 {
			found[s.dir] += n
		}
	})
	for pkg, n := range found {
		assert.LessOrEqual(t, n, beforeMain[pkg],
			"%s: package variables that compile, parse or allocate before main: make them a sync.OnceValue", pkg)
	}
	for pkg, n := range beforeMain {
		if found[pkg] < n {
			t.Logf("%s does %d, and may do %d: lower its count", pkg, found[pkg], n)
		}
	}
}

// lazyNames returns, for each package, the functions that only wrap a function for
// later: their body is a single return of a sync.OnceValue.
func lazyNames(t *testing.T) map[string][]string {
	names := map[string][]string{}
	eachSource(t, func(s *source) {
		for _, d := range s.file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || fn.Body == nil || len(fn.Body.List) != 1 {
				continue
			}
			if r, ok := fn.Body.List[0].(*ast.ReturnStmt); ok && len(r.Results) == 1 {
				if call, ok := r.Results[0].(*ast.CallExpr); ok && selectorOf(call.Fun) == "sync.OnceValue" {
					names[s.dir] = append(names[s.dir], fn.Name.Name)
				}
			}
		}
	})
	return names
}

// early returns the positions in f where a package variable's initial value calls a
// function or fills a map.
func early(f *ast.File, lazy []string) (at []token.Pos) {
	look := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			name := selectorOf(n.Fun)
			if id, ok := n.Fun.(*ast.Ident); ok {
				name = id.Name
			}
			if i, ok := n.Fun.(*ast.IndexExpr); ok {
				name = selectorOf(i.X)
			}
			switch n.Fun.(type) {
			case *ast.ParenExpr, *ast.ArrayType: // conversions
			default:
				if !slices.Contains(cheap, name) && !slices.Contains(lazy, name) {
					at = append(at, n.Pos())
				}
			}
		case *ast.CompositeLit:
			if _, ok := n.Type.(*ast.MapType); ok && len(n.Elts) > smallMap {
				at = append(at, n.Pos())
			}
		}
		return true
	}
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, s := range g.Specs {
			for _, v := range s.(*ast.ValueSpec).Values {
				ast.Inspect(v, look)
			}
		}
	}
	return at
}

func TestEarly(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]int{
		"var re = regexp.MustCompile(`x`)":                                                  1,
		"var re = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`x`) })": 0,
		"var re = pattern(`x`)":                                                             0,
		"var schema = struct{ s any }{tools.MustSchema(`{}`)}":                              1,
		"var v = func() int { return 1 }()":                                                 1,
		"var v = func() int { return work() }":                                              0,
		"var e = errors.New(`x`)":                                                           0,
		"var r = strings.NewReplacer(strings.Repeat(`x`, 9), ``)":                           2,
		"var _ Port = (*T)(nil)":                                                            0,
		"var b = []byte(`x`)":                                                               0,
		"var m = map[int]int{1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7, 8: 8, 9: 9}":         1,
		"var m = map[int]int{1: 1}":                                                         0,
		"var t = reflect.TypeFor[int]()":                                                    0,
		"func f() { var re = regexp.MustCompile(`x`); _ = re }":                             0,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\n"+source, parser.SkipObjectResolution)
		require.NoError(t, err)
		assert.Len(t, early(f, []string{"pattern"}), want, source)
	}
}

// slowStarts lists module versions that do more work before main than all the rest of
// minigem. GODEBUG=inittrace=1 shows how long each package takes.
var slowStarts = map[string]string{
	"github.com/mattn/go-runewidth v0.0.27": "its init fills tables for 30 ms",
}

func TestModulesStartFast(t *testing.T) {
	t.Parallel()
	mod, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	require.NoError(t, err)
	for version, why := range slowStarts {
		assert.NotContains(t, string(mod), "\t"+version, why)
	}
}
