package contextfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"minigem/internal/thorough"

	"github.com/stretchr/testify/require"
)

// FuzzLoad checks that, whatever a context file and its imports contain, nothing comes
// from outside the project, the text is valid and bounded, and warnings name files.
func FuzzLoad(f *testing.F) {
	for _, seed := range [][2]string{
		{"see @b.md, and @./b.md.\n\n`@b.md`\n\n    @b.md\n", "@GEMINI.md @b.md"}, {"@../secret @/etc/passwd @link @missing.md", "x"}, {"@b.md @b.md @b.md\n```\n@b.md", "@./sub/../b.md\xff"}, {"\ufeff@b.md)", "-->"},
		{"> > @b.md\n* @b.md\n[a]: @b.md\n<!-- @b.md", ""},
	} {
		f.Add(seed[0], seed[1], false)
		f.Add(seed[0], seed[1], true)
	}
	top := f.TempDir()
	dir := filepath.Join(top, "p")
	require.NoError(f, os.Mkdir(dir, 0o700))
	const secret = "5e1f-what-nobody-may-read"
	require.NoError(f, os.WriteFile(filepath.Join(top, "secret"), []byte(secret), 0o600))
	require.NoError(f, os.Symlink(filepath.Join(top, "secret"), filepath.Join(dir, "link")))
	f.Fuzz(func(t *testing.T, one, two string, flat bool) {
		if strings.Contains(one+two, secret[:4]) {
			return
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, DefaultName), []byte(one), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "b.md"), []byte(two), 0o600))
		s := Load(Config{Dirs: []string{dir}, Flat: flat})
		require.LessOrEqual(t, len(s.Project), 1)
		text := Render(s.Project, dir)
		require.NotContains(t, text, secret)
		require.True(t, utf8.ValidString(text))
		times := strings.Count(one, "@") + 1
		inner := strings.Count(two, "@") + 1
		require.LessOrEqual(t, len(text), 200+3*len(one)+times*(300+len(one)+3*len(two)+inner*(300+2*len(two))))
		for _, w := range s.Warnings {
			require.True(t, filepath.IsAbs(w.Path), "%v", w)
		}
		if !strings.Contains(one, "@") && s.Project != nil && !strings.Contains(one, "\ufeff") && utf8.ValidString(one) {
			require.Equal(t, one, s.Project[0].Text)
		}
	})
}

// A file in which every word is an import stays within the limit, and says once what it
// leaves out.
func TestImportsAreBounded(t *testing.T) {
	t.Parallel()
	for _, flat := range []bool{false, true} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, DefaultName), []byte(strings.Repeat("@b.md ", thorough.Times(2_000, 20_000))), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "b.md"), []byte(strings.Repeat("word ", 40_000)), 0o600))
		s := Load(Config{Dirs: []string{dir}, Flat: flat})
		require.Less(t, len(s.Project[0].Text), 4<<20)
		if flat {
			require.Empty(t, s.Warnings)
			continue
		}
		require.Contains(t, s.Project[0].Text, "are more than 1 MiB")
		require.Len(t, s.Warnings, 1)
	}
}
