package skills

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func write(t *testing.T, path, content string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
	return path
}

func skill(name string) string {
	return "---\nname: " + name + "\ndescription: d of " + name + "\n---\nDo it.\n"
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ data, name, description, body, says string }{
		{"---\nname: a\ndescription: b\n---\nbody\n", "a", "b", "body", ""},
		{"\ufeff---\r\nname: \"a\"\r\ndescription: 'b'\r\nlicense: MIT\r\n---\r\nx\r\ny", "a", "b", "x\ny", ""},
		{"---\nname: a\ndescription: >\n  one\n  two\nallowed-tools: [x]\n---", "a", "one two", "", ""},
		{"---\nname: a\ndescription: Use it: always\n  and more\nother: : x\n---\nb", "a", "Use it: always and more", "b", ""},
		{"---\nname: a:b/c\\d<e>*?\"|\ndescription: d\n---\nb", "a-b-c-d-e-----", "d", "b", ""},
		{"---\nname: e\x1b[2Jvil\u202e\ndescription: \"x\\e[2J\"\n---\nb\x1b[2J", "", "", "", "-"},
		{"---\nname: a\n---\nb", "", "", "", "it has no description"},
		{"---\ndescription: a\n---\nb", "", "", "", "it has no name"},
		{"name: a\ndescription: b\n", "", "", "", `it must begin with "---"`},
		{"", "", "", "", `it must begin with "---"`},
		{"---\nname: [1]\ndescription: {}\n---\n", "[1]", "{}", "", ""},
	} {
		got, err := parse(tt.data)
		if tt.says == "-" {
			assert.NotContains(t, got.Name+got.Description+got.Body, "\x1b")
			assert.NotContains(t, got.Name, "\u202e")
			continue
		}
		if tt.says != "" {
			assert.ErrorContains(t, err, tt.says)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, Skill{Name: tt.name, Description: tt.description, Body: tt.body}, got)
	}
}

func TestDiscover(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	low, high := filepath.Join(dir, "low"), filepath.Join(dir, "high")
	write(t, filepath.Join(low, "b", "SKILL.md"), skill("b"))
	write(t, filepath.Join(low, "x", "SKILL.md"), skill("a"))
	write(t, filepath.Join(low, "deep", "er", "SKILL.md"), skill("deep"))
	write(t, filepath.Join(low, "node_modules", "SKILL.md"), skill("npm"))
	write(t, filepath.Join(low, "broken", "SKILL.md"), "no")
	mine := write(t, filepath.Join(high, "SKILL.md"), strings.Replace(skill("a"), "Do it", "In ${extensionPath}", 1))
	found, problems := Discover([]Source{{Dir: low, Name: "user"}, {Dir: filepath.Join(dir, "none")},
		{Dir: high, Name: "extension e", Replace: strings.NewReplacer("${extensionPath}", "/e")}})
	require.Len(t, found, 2)
	assert.Equal(t, Skill{Name: "a", Description: "d of a", Body: "In /e.", File: mine, Source: "extension e"}, found[0])
	assert.Equal(t, "b", found[1].Name)
	require.Len(t, problems, 2)
	assert.Contains(t, problems[0], filepath.Join("broken", "SKILL.md")+" is left out")
	assert.Contains(t, problems[1], "the skill a of "+filepath.Join(low, "x", "SKILL.md")+" is not used: "+mine)
}

// TestInstall checks copies and links, that replacing a skill leaves nothing else of
// the old one, and that removing one keeps its source.
func TestInstall(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "made", "skills")
	write(t, filepath.Join(from, "a", "SKILL.md"), skill("one"))
	write(t, filepath.Join(from, "a", "ref", "x.txt"), "x")
	write(t, filepath.Join(from, "a", ".git", "config"), "secret")
	write(t, filepath.Join(from, "b", "SKILL.md"), skill("two"))
	install := func(link bool) []Change {
		plan, err := Plan(from, to, link)
		require.NoError(t, err)
		require.Len(t, plan, 2)
		for _, c := range plan {
			require.NoError(t, c.Do())
		}
		return plan
	}
	first := install(false)
	assert.Equal(t, []any{2, false, filepath.Join(to, "one")}, []any{first[0].Items, first[0].Replaces, first[0].To})
	assert.FileExists(t, filepath.Join(to, "one", "ref", "x.txt"))
	assert.NoDirExists(t, filepath.Join(to, "one", ".git"))
	write(t, filepath.Join(to, "one", "stale.txt"), "old")
	assert.True(t, install(false)[0].Replaces)
	assert.NoFileExists(t, filepath.Join(to, "one", "stale.txt"))
	if runtime.GOOS != "windows" {
		install(true)
		target, err := os.Readlink(filepath.Join(to, "two"))
		require.NoError(t, err)
		assert.Equal(t, filepath.Join(from, "b"), target)
	}
	for _, name := range []string{"ONE", "two"} {
		found, err := Uninstall(to, name)
		require.NoError(t, err)
		assert.True(t, found, name)
	}
	found, err := Uninstall(to, "one")
	require.NoError(t, err)
	assert.False(t, found)
	left, err := os.ReadDir(to)
	require.NoError(t, err)
	assert.Empty(t, left)
	assert.FileExists(t, filepath.Join(from, "b", "SKILL.md"), "the source stays")
}

func TestPlanRefuses(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]map[string]string{
		"there is no skill in":       {"x/readme.md": "x"},
		"two skills are called s":    {"a/SKILL.md": skill("s"), "b/SKILL.md": skill("s")},
		"is left out":                {"a/SKILL.md": "x"},
		"cannot be the name of a sk": {"a/SKILL.md": skill("..")},
	} {
		dir := t.TempDir()
		for file, content := range files {
			write(t, filepath.Join(dir, file), content)
		}
		_, err := Plan(dir, filepath.Join(dir, "to"), false)
		assert.ErrorContains(t, err, name)
	}
	_, err := Plan(filepath.Join(t.TempDir(), "none"), "", false)
	assert.ErrorContains(t, err, "there is no folder ")
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a", "SKILL.md"), skill("s"))
	if os.Symlink("/etc/passwd", filepath.Join(dir, "a", "leak")) == nil {
		_, err = Plan(dir, filepath.Join(dir, "to"), false)
		assert.ErrorContains(t, err, "leak is neither a file nor a folder")
	}
}

// FuzzParse checks that, whatever a SKILL.md contains, a skill's name and description
// are single lines, and its name stays inside its folder.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{skill("a"), "---\nname: a: b\n description\n---\n", "---\nname: &a [*a]\ndescription: x\n---\n", "---\n\n---", "---\nname: |\n  a\n  b\ndescription: d\n---\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data string) {
		s, err := parse(data)
		if err != nil {
			return
		}
		require.NotEmpty(t, s.Name)
		require.NotEmpty(t, s.Description)
		require.NotContains(t, s.Name+s.Description, "\n")
		require.NotContains(t, s.Name, "/")
		require.NotContains(t, s.Name, `\`)
	})
}

// TestASkillDoesNotReplaceItself checks that a skill already in place stays, however
// its path is written.
func TestASkillDoesNotReplaceItself(t *testing.T) {
	t.Parallel()
	to := t.TempDir()
	file := write(t, filepath.Join(to, "pdf", "SKILL.md"), skill("pdf"))
	from := []string{filepath.Join(to, "pdf"), to}
	if runtime.GOOS != "windows" {
		link := filepath.Join(t.TempDir(), "link")
		require.NoError(t, os.Symlink(to, link))
		from = append(from, filepath.Join(link, "pdf"))
	}
	for _, from := range from {
		for _, link := range []bool{false, true} {
			_, err := Plan(from, to, link)
			require.ErrorContains(t, err, "the skill pdf is in "+filepath.Join(to, "pdf")+" already")
			require.FileExists(t, file)
		}
	}
}
