package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// A source is one Go file of the tree, read and parsed once for all tests.
type source struct {
	dir  string // below the root, with slashes
	path string
	text []byte
	file *ast.File // with comments, without resolved objects
}

// production reports whether s is part of the build rather than of a test.
func (s *source) production() bool { return !strings.HasSuffix(s.path, "_test.go") }

// rel returns the file's path below the root, with slashes.
func (s *source) rel() string { return s.dir + "/" + filepath.Base(s.path) }

// lines counts the file's lines.
func (s *source) lines() int { return strings.Count(string(s.text), "\n") }

// tree is every Go file of the repository, by path, except those in testdata and hidden
// folders. It must not be modified.
var tree = sync.OnceValues(func() (t struct {
	set     *token.FileSet
	sources []*source
	byPath  map[string]*source
}, err error) {
	top, err := filepath.Abs("../..")
	if err != nil {
		return t, err
	}
	t.set, t.byPath = token.NewFileSet(), map[string]*source{}
	err = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != top && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && d.Name() != ".ci"):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		rel, err := filepath.Rel(top, filepath.Dir(path))
		s := &source{dir: filepath.ToSlash(rel), path: path}
		t.sources, t.byPath[path] = append(t.sources, s), s
		return err
	})
	if err != nil {
		return t, err
	}
	var parsing sync.WaitGroup
	errs := make([]error, len(t.sources))
	for worker := range runtime.GOMAXPROCS(0) {
		parsing.Go(func() {
			for i := worker; i < len(t.sources); i += runtime.GOMAXPROCS(0) {
				s := t.sources[i]
				if s.text, errs[i] = os.ReadFile(s.path); errs[i] == nil {
					s.file, errs[i] = parser.ParseFile(t.set, s.path, s.text, parser.ParseComments|parser.SkipObjectResolution)
				}
			}
		})
	}
	parsing.Wait()
	for _, err := range errs {
		if err != nil {
			return t, err
		}
	}
	return t, nil
})

// eachSource visits every Go file of the tree, including tests.
func eachSource(t *testing.T, visit func(*source)) {
	t.Helper()
	tree, err := tree()
	require.NoError(t, err)
	require.Greater(t, len(tree.sources), 100)
	for _, s := range tree.sources {
		visit(s)
	}
}

// walk visits the production files of all packages except the examples and .ci.
func walk(t *testing.T, visit func(dir, file string)) {
	t.Helper()
	walkAll(t, func(dir, file string) {
		if !strings.HasSuffix(file, "_test.go") {
			visit(dir, file)
		}
	})
}

// walkAll is like walk, but includes test files.
func walkAll(t *testing.T, visit func(dir, file string)) {
	t.Helper()
	eachSource(t, func(s *source) {
		if s.dir != ".ci" && !strings.HasPrefix(s.dir, ".ci/") && !matches(s.dir, "examples/...") {
			visit(s.dir, s.path)
		}
	})
}

// parsed returns the syntax of a file of the tree.
func parsed(t *testing.T, path string) *ast.File {
	t.Helper()
	tree, err := tree()
	require.NoError(t, err)
	s := tree.byPath[path]
	require.NotNil(t, s, path)
	return s.file
}

// position returns the position of a node of the tree.
func position(t *testing.T, at token.Pos) token.Position {
	t.Helper()
	tree, err := tree()
	require.NoError(t, err)
	return tree.set.Position(at)
}

func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	require.NoError(t, err)
	return dir
}
