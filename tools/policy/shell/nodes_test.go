package shell

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"
)

// structures are all nodes of a script and what stands in them.
var structures = []any{
	syntax.File{}, syntax.Comment{}, syntax.Stmt{}, syntax.Assign{}, syntax.Redirect{}, syntax.CallExpr{}, syntax.Subshell{}, syntax.Block{},
	syntax.IfClause{}, syntax.WhileClause{}, syntax.ForClause{}, syntax.WordIter{}, syntax.CStyleLoop{}, syntax.BinaryCmd{}, syntax.FuncDecl{},
	syntax.Word{}, syntax.Lit{}, syntax.SglQuoted{}, syntax.DblQuoted{}, syntax.CmdSubst{}, syntax.ParamExp{}, syntax.Slice{}, syntax.Replace{},
	syntax.Expansion{}, syntax.ArithmExp{}, syntax.ArithmCmd{}, syntax.BinaryArithm{}, syntax.UnaryArithm{}, syntax.ParenArithm{}, syntax.FlagsArithm{},
	syntax.CaseClause{}, syntax.CaseItem{}, syntax.TestClause{}, syntax.BinaryTest{}, syntax.UnaryTest{}, syntax.ParenTest{}, syntax.DeclClause{},
	syntax.ArrayExpr{}, syntax.ArrayElem{}, syntax.ExtGlob{}, syntax.ProcSubst{}, syntax.TimeClause{}, syntax.CoprocClause{}, syntax.LetClause{},
	syntax.BraceExp{}, syntax.TestDecl{},
}

// nodesOfTheParser reads the names of all nodes from the source of the parser.
func nodesOfTheParser(t *testing.T) map[string]bool {
	t.Helper()
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", "mvdan.cc/sh/v3/syntax").Output()
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "*.go"))
	require.NoError(t, err)
	ends := map[string]bool{}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f, nil, 0)
		require.NoError(t, err)
		for _, d := range parsed.Decls {
			if m, ok := d.(*ast.FuncDecl); ok && m.Recv != nil && m.Name.Name == "End" {
				if star, ok := m.Recv.List[0].Type.(*ast.StarExpr); ok {
					ends[star.X.(*ast.Ident).Name] = true
				}
			}
		}
	}
	require.Greater(t, len(ends), 30, "the source was found")
	return ends
}

// A field of a node that nobody thought about is found here, before a command
// line finds it.
func TestEveryFieldOfEveryNodeIsDecided(t *testing.T) {
	t.Parallel()
	unknown := nodesOfTheParser(t)
	fields := map[string]bool{}
	for _, s := range structures {
		typ := reflect.TypeOf(s)
		delete(unknown, typ.Name())
		for i := range typ.NumField() {
			f := typ.Field(i)
			if inertTypes[f.Type] {
				continue
			}
			name := typ.Name() + "." + f.Name
			fields[name] = true
			d, ok := fieldDecisions[name]
			assert.True(t, ok && d.why != "", "%s: say in fieldDecisions what bash does with it, and what the judge makes of that", name)
			if inner := f.Type; inner.Kind() == reflect.Pointer && d.treatment == part {
				assert.Contains(t, structures, reflect.Zero(inner.Elem()).Interface(), name)
			}
		}
	}
	assert.Empty(t, unknown, "nodes of the parser that are not in structures")
	for name := range fieldDecisions {
		assert.True(t, fields[name], "%s is not a field any more", name)
	}
}

// The decisions are in force: a field that is set makes its node run something
// where it is refused, or evaluated and no number.
func TestDecisionsAreInForce(t *testing.T) {
	t.Parallel()
	index := func(text string) syntax.ArithmExpr {
		return &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: text}}}
	}
	for _, s := range structures {
		for i := range reflect.TypeOf(s).NumField() {
			f := reflect.TypeOf(s).Field(i)
			d := fieldDecisions[reflect.TypeOf(s).Name()+"."+f.Name]
			with := func(text string) reflect.Value {
				v := reflect.New(reflect.TypeOf(s)).Elem()
				set(t, v.Field(i), index(text))
				return v
			}
			name := reflect.TypeOf(s).Name() + "." + f.Name
			switch {
			case inertTypes[f.Type]:
			case d.treatment == refused:
				assert.True(t, setAside(with("1")), name)
			case d.treatment == arithmetic:
				assert.True(t, setAside(with("x")), name)
				assert.False(t, setAside(with("12")), name)
			default:
				assert.False(t, setAside(with("x")), name)
			}
		}
	}
	assert.True(t, setAside(reflect.ValueOf(struct{ New bool }{true})), "what is not decided is refused")
	assert.False(t, setAside(reflect.ValueOf(struct{ New bool }{})))
}

// set makes a field not zero, with x where it takes an expression.
func set(t *testing.T, f reflect.Value, x syntax.ArithmExpr) {
	t.Helper()
	switch f.Kind() {
	case reflect.Bool:
		f.SetBool(true)
	case reflect.Uint8, reflect.Uint32:
		f.SetUint(1)
	case reflect.String:
		f.SetString("x")
	case reflect.Pointer:
		f.Set(reflect.New(f.Type().Elem()))
	case reflect.Slice:
		f.Set(reflect.MakeSlice(f.Type(), 1, 1))
		if f.Type().Elem() == reflect.TypeFor[syntax.ArithmExpr]() {
			f.Index(0).Set(reflect.ValueOf(x))
		}
	case reflect.Interface:
		if !reflect.TypeOf(x).AssignableTo(f.Type()) {
			f.Set(reflect.ValueOf(someNode(f.Type())))
			return
		}
		f.Set(reflect.ValueOf(x))
	default:
		t.Fatalf("a field of kind %s: say how to set it", f.Kind())
	}
}

func someNode(t reflect.Type) any {
	for _, n := range []any{&syntax.CallExpr{}, &syntax.WordIter{}, &syntax.Lit{}} {
		if reflect.TypeOf(n).AssignableTo(t) {
			return n
		}
	}
	return nil
}
