package archtest

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const settingsPackage = module + "/internal/settings"

// readElsewhere lists keys that are read other than by their field or their dotted
// name.
var readElsewhere = map[string]string{
	"hooksConfig.maxRetries":       "hooks reads it with its file, for the line of what is out of range",
	"hooksConfig.allowedHttpHosts": "hooks reads it with its file, because a project's does not count",
}

// TestEverySettingIsRead checks that code outside the settings package reads every
// field of the settings type. Whoever implements a key adds its field together with the
// code that reads it. A key without effect is only a line in known.txt.
func TestEverySettingIsRead(t *testing.T) {
	t.Parallel()
	tree, err := tree()
	require.NoError(t, err)
	c := &checker{fset: tree.set, files: map[string][]*ast.File{}, done: map[string]*types.Package{}, read: map[types.Object]bool{}, words: map[string]bool{}}
	walk(t, func(dir, file string) {
		f := parsed(t, file)
		pkg := path.Join(module, filepath.ToSlash(dir))
		c.files[pkg] = append(c.files[pkg], f)
	})
	for pkg := range c.files {
		_, _ = c.Import(pkg)
	}
	root := c.done[settingsPackage].Scope().Lookup("Settings").Type().Underlying().(*types.Struct)
	leaves := 0
	c.eachLeaf(root, "", func(key string, field *types.Var) {
		leaves++
		assert.True(t, c.read[field] || c.words[key] || readElsewhere[key] != "", "nothing reads %s", key)
	})
	assert.Greater(t, leaves, 50, "the search finds no fields")
}

// eachLeaf visits every key that a settings file can set, dotted. The names of a map's
// members are "*".
func (c *checker) eachLeaf(s *types.Struct, path string, visit func(key string, field *types.Var)) {
	for i := range s.NumFields() {
		name, _, _ := strings.Cut(reflect.StructTag(s.Tag(i)).Get("json"), ",")
		key, t := strings.TrimPrefix(path+"."+name, "."), s.Field(i).Type()
		if m, ok := t.(*types.Map); ok {
			key, t = key+".*", m.Elem()
		}
		if below, ok := t.Underlying().(*types.Struct); ok {
			c.eachLeaf(below, key, visit)
			continue
		}
		visit(strings.TrimSuffix(key, ".*"), s.Field(i))
	}
}

// checker type-checks the module's own packages. It knows nothing about foreign
// packages, which are numerous and irrelevant to settings.
type checker struct {
	fset  *token.FileSet
	files map[string][]*ast.File
	done  map[string]*types.Package
	read  map[types.Object]bool // fields that are used other than by setting them
	words map[string]bool       // string literals, because some keys are read by their dotted name
}

// Import implements types.Importer. A package that is not ours is empty.
func (c *checker) Import(path string) (*types.Package, error) {
	if p, ok := c.done[path]; ok {
		return p, nil
	}
	files := c.files[path]
	if len(files) == 0 {
		p := types.NewPackage(path, filepath.Base(path))
		p.MarkComplete()
		c.done[path] = p
		return p, nil
	}
	info := &types.Info{Selections: map[*ast.SelectorExpr]*types.Selection{}}
	config := types.Config{Importer: c, Error: func(error) {}, FakeImportC: true}
	p, _ := config.Check(path, c.fset, files, info)
	c.done[path] = p
	set := map[ast.Expr]bool{}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, e := range n.Lhs {
					set[e] = n.Tok == token.ASSIGN
				}
			case *ast.BasicLit:
				if word, err := strconv.Unquote(n.Value); err == nil && path != settingsPackage {
					c.words[word] = true
				}
			}
			return true
		})
	}
	for e, s := range info.Selections {
		if s.Kind() == types.FieldVal && !set[e] && path != settingsPackage {
			c.read[s.Obj()] = true
		}
	}
	return p, nil
}
