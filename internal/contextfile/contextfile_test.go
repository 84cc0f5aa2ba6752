package contextfile

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// files makes files below a new directory and returns it, links resolved.
func files(t testing.TB, contents map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for name, text := range contents {
		path := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return root
}

// texts joins the files found: "name=text ...".
func texts(root string, fs []File) string {
	var out []string
	for _, f := range fs {
		rel, _ := filepath.Rel(root, f.Path)
		out = append(out, filepath.ToSlash(rel)+"="+f.Text)
	}
	return strings.Join(out, " ")
}

func TestNames(t *testing.T) {
	t.Parallel()
	cases := []struct {
		json string
		want Names
	}{
		{`"AGENTS.md"`, Names{"AGENTS.md"}},
		{`["AGENTS.md","GEMINI.md"]`, Names{"AGENTS.md", "GEMINI.md"}},
		{`[]`, Names{}},
	}
	for _, c := range cases {
		var n Names
		require.NoError(t, json.Unmarshal([]byte(c.json), &n))
		assert.Equal(t, c.want, n)
	}
	var n Names
	assert.EqualError(t, json.Unmarshal([]byte(`7`), &n), "must be a file name or a list of file names")
}

func TestHierarchy(t *testing.T) {
	t.Parallel()
	tree := map[string]string{
		"home/.gemini/GEMINI.md": "global", "GEMINI.md": "above",
		"repo/.git/config": "", "repo/GEMINI.md": "repo", "repo/AGENTS.md": "agents",
		"repo/app/GEMINI.md": "app", "repo/app/sub/GEMINI.md": "sub", "repo/lib/GEMINI.md": "lib",
		"mark/.root": "", "mark/in/GEMINI.md": "in", "mark/GEMINI.md": "mark",
		"memory/MEMORY.md": "private", "bare/GEMINI.md": "bare", "bare/deep/GEMINI.md": "deep",
	}
	cases := []struct {
		name string
		c    Config
		dirs []string
		want string
	}{
		{"up to the repository's root, outermost first", Config{}, []string{"repo/app"}, "repo/GEMINI.md=repo repo/app/GEMINI.md=app"},
		{"the root itself", Config{}, []string{"repo"}, "repo/GEMINI.md=repo"},
		{"without a marker the directory alone", Config{}, []string{"bare/deep"}, "bare/deep/GEMINI.md=deep"},
		{"custom markers", Config{Markers: []string{".root"}}, []string{"mark/in"}, "mark/GEMINI.md=mark mark/in/GEMINI.md=in"},
		{"no markers", Config{Markers: []string{}}, []string{"repo/app"}, "repo/app/GEMINI.md=app"},
		{"several names", Config{Names: Names{"AGENTS.md", "GEMINI.md"}}, []string{"repo"}, "repo/AGENTS.md=agents repo/GEMINI.md=repo"},
		{"several directories, each file once", Config{}, []string{"repo/app", "repo/lib"}, "repo/GEMINI.md=repo repo/app/GEMINI.md=app repo/lib/GEMINI.md=lib"},
		{"none", Config{Names: Names{"NONE.md"}}, []string{"repo"}, ""},
		{"a name with a directory is not a name", Config{Names: Names{"../GEMINI.md"}}, []string{"repo/app"}, "repo/GEMINI.md=repo repo/app/GEMINI.md=app"},
	}
	root := files(t, tree)
	for _, c := range cases {
		for _, d := range c.dirs {
			c.c.Dirs = append(c.c.Dirs, filepath.Join(root, d))
		}
		assert.Equal(t, c.want, texts(root, Load(c.c).Project), c.name)
	}
	s := Load(Config{GlobalDir: filepath.Join(root, "home/.gemini"), Dirs: []string{filepath.Join(root, "bare")}, Memory: filepath.Join(root, "memory/MEMORY.md")})
	assert.Equal(t, "home/.gemini/GEMINI.md=global", texts(root, s.Global))
	assert.Equal(t, "bare/GEMINI.md=bare memory/MEMORY.md=private", texts(root, s.Project))
	assert.Equal(t, []string{filepath.Join(root, "home/.gemini/GEMINI.md"), filepath.Join(root, "bare/GEMINI.md"), filepath.Join(root, "memory/MEMORY.md")}, s.Paths())
	assert.Empty(t, s.Warnings)
	assert.Equal(t, Set{}, Load(Config{}))
}

func TestRender(t *testing.T) {
	t.Parallel()
	got := Render([]File{{"/p/GEMINI.md", "\na\n"}, {"/p/src/GEMINI.md", "b"}, {"/other/GEMINI.md", "c"}}, "/p")
	assert.Equal(t, `--- Context from: GEMINI.md ---
a
--- End of Context from: GEMINI.md ---

--- Context from: src/GEMINI.md ---
b
--- End of Context from: src/GEMINI.md ---

--- Context from: /other/GEMINI.md ---
c
--- End of Context from: /other/GEMINI.md ---`, got)
	assert.Empty(t, Render(nil, "/p"))
}

func TestImports(t *testing.T) {
	t.Parallel()
	around := func(name, text string) string {
		return "<!-- Imported from: " + name + " -->\n" + text + "\n<!-- End of import from: " + name + " -->"
	}
	cases := []struct {
		name, text string
		more       map[string]string
		want       string
		warnings   int
	}{
		{"relative", "see @./docs/a.md now", map[string]string{"docs/a.md": "A\n"}, "see " + around("docs/a.md", "A") + " now", 0},
		{"without a dot", "@docs/a.md", map[string]string{"docs/a.md": "A"}, around("docs/a.md", "A"), 0},
		{"at the end of a sentence", "read @a.md.", map[string]string{"a.md": "A"}, "read " + around("a.md", "A") + ".", 0},
		{"relative to the importing file", "@docs/a.md", map[string]string{"docs/a.md": "@b.md", "docs/b.md": "B"}, around("docs/a.md", around("docs/b.md", "B")), 0},
		{"two, the same twice", "@a.md @a.md", map[string]string{"a.md": "A"}, around("a.md", "A") + " " + around("a.md", "A"), 0},
		// not imports
		{"an address", "mail me@a.md", map[string]string{"a.md": "A"}, "mail me@a.md", 0},
		{"a person", "ask @someone, please", nil, "ask @someone, please", 0},
		{"in a code span", "write `@a.md` there", map[string]string{"a.md": "A"}, "write `@a.md` there", 0},
		{"in a code block", "x\n```\n@a.md\n```\n", map[string]string{"a.md": "A"}, "x\n```\n@a.md\n```\n", 0},
		{"in an indented block", "x\n\n    @a.md\n", map[string]string{"a.md": "A"}, "x\n\n    @a.md\n", 0},
		// faults
		{"missing", "@./none.md", nil, "<!-- not imported: ./none.md: there is no such file -->", 1},
		{"outside", "@../x.md", nil, "<!-- not imported: ../x.md: outside the project -->", 1},
		{"protected", "@.env", map[string]string{".env": "KEY=1"}, "<!-- not imported: .env: it is protected, as from the tools -->", 1},
		{"outside, absolute", "@/etc/passwd", nil, "<!-- not imported: /etc/passwd: outside the project -->", 1},
		{"itself", "@GEMINI.md", nil, "<!-- not imported: GEMINI.md: imports itself -->", 1},
		{"in a circle", "@a.md", map[string]string{"a.md": "@b.md", "b.md": "@a.md"}, around("a.md", around("b.md", "<!-- not imported: a.md: imports itself -->")), 1},
		{"a directory", "@./docs", map[string]string{"docs/a.md": ""}, "<!-- not imported: ./docs: not a regular file -->", 1},
		{"too deep", "@1.md", map[string]string{"1.md": "@2.md", "2.md": "@3.md", "3.md": "@4.md", "4.md": "@5.md", "5.md": "@6.md", "6.md": "six"},
			around("1.md", around("2.md", around("3.md", around("4.md", around("5.md", "<!-- not imported: 6.md: nested deeper than 5 -->"))))), 1},
	}
	for _, c := range cases {
		tree := map[string]string{".git/config": "", "GEMINI.md": c.text}
		for name, text := range c.more {
			tree[name] = text
		}
		s := Load(Config{Dirs: []string{files(t, tree)}})
		require.Len(t, s.Project, 1, c.name)
		assert.Equal(t, c.want, s.Project[0].Text, c.name)
		assert.Len(t, s.Warnings, c.warnings, c.name)
	}
}

func TestFlatImports(t *testing.T) {
	t.Parallel()
	root := files(t, map[string]string{"GEMINI.md": "see @a.md and @b.md", "a.md": "A @b.md", "b.md": "B"})
	s := Load(Config{Dirs: []string{root}, Flat: true})
	assert.Equal(t, `see @a.md and @b.md

--- File: a.md ---
A @b.md
--- End of File: a.md ---

--- File: b.md ---
B
--- End of File: b.md ---`, s.Project[0].Text)
	assert.Empty(t, s.Warnings)
}

func TestLinks(t *testing.T) {
	t.Parallel()
	root := files(t, map[string]string{"p/.git/config": "", "p/GEMINI.md": "@secret.md", "p/sub/x": "", "out/secret": "TOP", "g/real.md": "global @beside.md", "g/beside.md": "beside", "home/x": ""})
	p := filepath.Join(root, "p")
	for link, target := range map[string]string{
		"p/secret.md": "../out/secret", "p/AGENTS.md": "GEMINI.md", "p/sub/GEMINI.md": "../../out/secret", "home/GEMINI.md": "../g/real.md",
	} {
		require.NoError(t, os.Symlink(filepath.FromSlash(target), filepath.Join(root, link)))
	}
	s := Load(Config{Dirs: []string{p, filepath.Join(p, "sub")}, Names: Names{"GEMINI.md", "AGENTS.md"}, GlobalDir: filepath.Join(root, "home")})
	assert.Equal(t, "p/GEMINI.md=<!-- not imported: secret.md: outside the project -->", texts(root, s.Project), "a link and its target are one file")
	assert.Contains(t, s.Warnings, Warning{filepath.Join(p, "sub/GEMINI.md"), "leads out of the project, skipped"})
	assert.Contains(t, s.Global[0].Text, "beside\n", "the user's own file may be a link")
}

func TestHugeAndBrokenFiles(t *testing.T) {
	t.Parallel()
	root := files(t, map[string]string{"a/GEMINI.md": "x", "b/GEMINI.md": "\uFEFFwith a mark \xff", "c/GEMINI.md": "  \n", "d/GEMINI.md/file": ""})
	huge := filepath.Join(root, "a/GEMINI.md")
	f, err := os.OpenFile(huge, os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString(strings.Repeat("a line\n", maxFile/7+10))
	require.NoError(t, err)
	require.NoError(t, f.Truncate(50<<20))
	require.NoError(t, f.Close())
	var dirs []string
	for _, d := range []string{"a", "b", "c", "d"} {
		dirs = append(dirs, filepath.Join(root, d))
	}
	s := Load(Config{Dirs: dirs})
	require.Len(t, s.Project, 2)
	assert.LessOrEqual(t, len(s.Project[0].Text), maxFile)
	assert.True(t, strings.HasSuffix(s.Project[0].Text, "\na line"))
	assert.Equal(t, "with a mark \uFFFD", s.Project[1].Text)
	assert.Equal(t, []Warning{
		{huge, "has 52428800 bytes: only the first 262144 are used"},
		{filepath.Join(root, "d/GEMINI.md"), "cannot be read: not a regular file"},
	}, s.Warnings)
}

func TestFinder(t *testing.T) {
	t.Parallel()
	root := files(t, map[string]string{
		"p/.git/config": "", "p/GEMINI.md": "root", "p/a/GEMINI.md": "a @../x.md", "p/a/b/c/GEMINI.md": "c", "p/a/b/c/f.go": "",
		"p/x.md": "X", "out/GEMINI.md": "out", "p/late/keep": "",
	})
	p := filepath.Join(root, "p")
	c := Config{Dirs: []string{p}}
	f := NewFinder(c, Load(c))
	touch := func(path string) string {
		fs, warnings := f.Touch(filepath.Join(root, path))
		assert.Empty(t, warnings)
		return texts(root, fs)
	}
	assert.Empty(t, touch("p/file.go"), "the root's is loaded")
	assert.Empty(t, touch("out/f"), "outside")
	assert.Equal(t, "p/a/GEMINI.md=a <!-- Imported from: x.md -->\nX\n<!-- End of import from: x.md --> p/a/b/c/GEMINI.md=c", touch("p/a/b/c/f.go"))
	assert.Empty(t, touch("p/a/b/c/f.go"), "once")
	assert.Empty(t, touch("p/a/b"), "nor on another way")
	assert.Empty(t, touch("p/new/dir/f.go"), "not there yet")
	require.NoError(t, os.MkdirAll(filepath.Join(p, "new/dir"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(p, "new/GEMINI.md"), []byte("new"), 0o644))
	assert.Equal(t, "p/new/GEMINI.md=new", touch("p/new/dir/f.go"))
}

func TestExtensions(t *testing.T) {
	t.Parallel()
	root := files(t, map[string]string{
		"a/GEMINI.md": "of a", "b/docs/B.md": "of b, @more.md", "b/docs/more.md": "more", "c/GEMINI.md": "not named", "outside.md": "secret", "other.md": "secret", "d/x": "",
	})
	require.NoError(t, os.Symlink(filepath.Join(root, "other.md"), filepath.Join(root, "d", "link.md")))
	got := Load(Config{Extensions: []Extension{
		{Dir: filepath.Join(root, "a")},
		{Dir: filepath.Join(root, "b"), Files: []string{"docs/B.md", "gone.md"}},
		{Dir: filepath.Join(root, "c"), Files: []string{"../outside.md"}},
		{Dir: filepath.Join(root, "d"), Files: []string{"link.md"}},
	}})
	assert.Contains(t, texts(root, got.Extension), "a/GEMINI.md=of a b/docs/B.md=of b, ")
	assert.Contains(t, texts(root, got.Extension), "more")
	assert.NotContains(t, texts(root, got.Extension), "secret")
	assert.Equal(t, []string{filepath.Join(root, "a", "GEMINI.md"), filepath.Join(root, "b", "docs", "B.md")}, got.Paths())
	var told []string
	for _, w := range got.Warnings {
		told = append(told, strings.TrimPrefix(w.String(), root+"/"))
	}
	assert.Equal(t, []string{
		"b/gone.md: the extension names it as a context file, and it does not exist",
		"outside.md: leads out of the project, skipped",
		"d/link.md: leads out of the project, skipped",
	}, told)
}
