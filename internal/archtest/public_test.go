package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPublicPackagesNameNothingInternal checks that importers can name everything that
// an exported declaration mentions. Otherwise part of a package would be useless to
// others.
func TestPublicPackagesNameNothingInternal(t *testing.T) {
	t.Parallel()
	files := 0
	walk(t, func(dir, file string) {
		if strings.HasPrefix(dir, "internal/") || strings.HasPrefix(dir, "cmd/") || strings.HasPrefix(dir, ".") {
			return
		}
		files++
		f := parsed(t, file)
		for _, m := range internalMentions(f) {
			t.Errorf("%s: %s\n\twhy not: what cannot be named cannot be used", file, m)
		}
	})
	assert.Greater(t, files, 100)
}

func TestInternalMentions(t *testing.T) {
	t.Parallel()
	const head = "package p\nimport (\"io\"; \"minigem/internal/proc\"; sec \"minigem/internal/secret\")\nvar _ io.Reader\n"
	for source, want := range map[string]bool{
		"func F(p *proc.Process) {}":                         true,
		"func F() (x []map[string]sec.Key) { return }":       true,
		"func f(p *proc.Process) {}":                         false,
		"func F() { var p proc.Process; _ = p }":             false,
		"type T struct { P proc.Process }":                   true,
		"type T struct { p proc.Process }":                   false,
		"type T struct { proc.Process }":                     true,
		"type t struct { P proc.Process }":                   false,
		"type T interface { Do(proc.Process) }":              true,
		"type T = proc.Process":                              true,
		"type T[P proc.Process] struct{}":                    true,
		"var V proc.Process":                                 true,
		"var V io.Reader = proc.Open()":                      false,
		"var V = proc.Process{}":                             true,
		"const C = proc.Limit":                               false,
		"type T struct{}\nfunc (T) M(proc.Process) {}":       true,
		"type t struct{}\nfunc (t) M(proc.Process) {}":       false,
		"type T struct{}\nfunc (*T) m(proc.Process) {}":      false,
		"func F(f func(proc.Process) error, r io.Reader) {}": true,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "p.go", head+source, parser.SkipObjectResolution)
		require.NoError(t, err, source)
		assert.Equal(t, want, len(internalMentions(f)) > 0, source)
	}
}

// internalMentions returns the internal names in the exported declarations of f.
func internalMentions(f *ast.File) []string {
	internal := map[string]bool{}
	for _, i := range f.Imports {
		p := strings.Trim(i.Path.Value, `"`)
		if !strings.Contains("/"+p+"/", "/internal/") {
			continue
		}
		name := path.Base(p)
		if i.Name != nil {
			name = i.Name.Name
		}
		internal[name] = true
	}
	var found []string
	look := func(name string, nodes ...ast.Node) {
		for _, n := range nodes {
			if n == nil {
				continue
			}
			ast.Inspect(n, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := s.X.(*ast.Ident); ok && internal[x.Name] {
						found = append(found, name+" mentions "+x.Name+"."+s.Sel.Name)
					}
				}
				return true
			})
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d))) {
				look(d.Name.Name, d.Type)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				exportedSpec(s, look)
			}
		}
	}
	return found
}

func exportedSpec(s ast.Spec, look func(string, ...ast.Node)) {
	switch s := s.(type) {
	case *ast.TypeSpec:
		if !s.Name.IsExported() {
			return
		}
		if s.TypeParams != nil {
			look(s.Name.Name, s.TypeParams)
		}
		if fields, ok := s.Type.(*ast.StructType); ok {
			for _, field := range fields.Fields.List {
				if len(field.Names) == 0 || field.Names[0].IsExported() {
					look(s.Name.Name, field.Type)
				}
			}
			return
		}
		look(s.Name.Name, s.Type)
	case *ast.ValueSpec:
		for i, name := range s.Names {
			if !name.IsExported() {
				continue
			}
			if s.Type != nil {
				look(name.Name, s.Type)
			} else if i < len(s.Values) { // a literal names its type
				if l, ok := s.Values[i].(*ast.CompositeLit); ok {
					look(name.Name, l.Type)
				}
			}
		}
	}
}

// receiver returns the name of the type that d is a method of.
func receiver(d *ast.FuncDecl) string {
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}
