package slash_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/slash"
)

func TestIncludes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want []string
	}{
		{"what is @a.txt?", []string{"a.txt"}},
		{"@a.txt, @b/c.go and (@d) @a.txt.", []string{"a.txt", "b/c.go", "d"}},
		{`@my\ file.txt here`, []string{"my file.txt"}},
		{"say \"@x y\"", []string{"x"}},
		// none
		{`a literal \@a.txt`, nil},
		{"me@example.org", nil},
		{"@", nil},
		{"nothing", nil},
	} {
		assert.Equal(t, c.want, slash.Includes(c.text), c.text)
	}
}

func TestLoadCustom(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	write("git/commit.toml", "prompt = \"commit\"\ndescription = \"Commit\"")
	write("plain.toml", `prompt = "plain"`)
	write("broken.toml", `prompt = `)
	write("empty.toml", `description = "x"`)
	write("other.txt", `prompt = "x"`)
	write("odd.toml", "prompt = \"x\"\ndescription = \"a\\u202eb\\u001b]0;owned\\u0007 \\n c\"")
	write("hid\u202eden.toml", `prompt = "x"`)
	write("large.toml", "prompt = '"+strings.Repeat("x", 256<<10)+"'")
	write("many.toml", "prompt = 'x'\n"+strings.Repeat("[[x]]\n", 5001))
	found, problems := slash.LoadCustom(dir)
	assert.Equal(t, []slash.Custom{
		{Name: "git:commit", File: filepath.Join(dir, "git/commit.toml"), Description: "Commit", Prompt: "commit"},
		{Name: "odd", File: filepath.Join(dir, "odd.toml"), Description: "ab c", Prompt: "x"},
		{Name: "plain", File: filepath.Join(dir, "plain.toml"), Prompt: "plain"},
	}, found)
	require.Len(t, problems, 5)
	assert.ErrorContains(t, problems[2], "characters that are invisible")
	assert.ErrorContains(t, problems[3], "larger than 256 KiB")
	assert.ErrorContains(t, problems[4], "more than 5000 keys and tables")
	assert.ErrorContains(t, problems[0], "broken.toml")
	assert.ErrorContains(t, problems[1], `no "prompt"`)

	none, problems := slash.LoadCustom(filepath.Join(dir, "nowhere"))
	assert.Empty(t, none)
	assert.Empty(t, problems)
}

func TestNamed(t *testing.T) {
	t.Parallel()
	got := slash.Named("user.", []slash.Custom{{Name: "help"}, {Name: "deploy"}, {Name: "user.help"}}, []string{"help"})
	assert.Equal(t, []slash.Custom{{Name: "user.help"}, {Name: "deploy"}, {Name: "user.user.help"}}, got)
}

func TestFill(t *testing.T) {
	t.Parallel()
	f := slash.Filler{
		File: func(_ context.Context, path string) (string, error) {
			if path == "missing" {
				return "", errors.New("there is no missing")
			}
			return "<" + path + " !{rm} {{args}}>", nil
		},
		Shell: func(_ context.Context, command string) (string, error) { return "[" + command + "]", nil },
	}
	for _, c := range []struct{ prompt, args, want, err string }{
		{"do it", "", "do it", ""},
		{"do it", "now", "do it\n\n/c now", ""},
		{"do {{args}}!", "now", "do now!", ""},
		{"do {{args}}!", "", "do !", ""},
		// commands quote, texts do not
		{"{{args}} !{grep {{args}} x}", "it's $HOME", `it's $HOME [grep "it's \$HOME" x]`, ""},
		{"!{grep {{args}} x}", "", "[grep  x]", ""},
		{"!{awk '{print}' x} end", "", "[awk '{print}' x] end", ""},
		{"!{}", "", "", ""},
		// what comes in is not looked into
		{"@{a b.txt} {{args}}", "!{rm}", "<a b.txt !{rm} {{args}}> !{rm}", ""},
		// faults
		{"!{ls", "", "", "c.toml: a !{ has no closing brace"},
		{"@{missing}", "", "", "c.toml: there is no missing"},
	} {
		got, err := slash.Custom{File: "c.toml", Prompt: c.prompt}.Fill(t.Context(), f, "/c "+c.args, c.args)
		if c.err != "" {
			assert.EqualError(t, err, c.err, c.prompt)
			continue
		}
		require.NoError(t, err, c.prompt)
		assert.Equal(t, c.want, got, c.prompt)
	}
}

// A short prompt cannot expand without limit.
func TestFillIsBounded(t *testing.T) {
	t.Parallel()
	f := slash.Filler{
		File:  func(context.Context, string) (string, error) { return strings.Repeat("x", 1<<20), nil },
		Shell: func(context.Context, string) (string, error) { return strings.Repeat("x", 1<<20), nil },
	}
	for _, prompt := range []string{
		"{{args}}", "@{f}", "!{ls}",
		"!{ls {{args}}{{args}}{{args}}{{args}}{{args}}{{args}}{{args}}{{args}}{{args}}{{args}}{{args}}{{args}}{{args}}{{args}}{{args}}{{args}}{{args}}}"} {
		got, err := slash.Custom{File: "x.toml", Prompt: strings.Repeat(prompt, 10_000)}.Fill(t.Context(), f, "/x",
			strings.Repeat("a", 1<<20))
		assert.ErrorContains(t, err, "becomes larger than 16 MiB", prompt[:4])
		assert.Empty(t, got)
	}
}
