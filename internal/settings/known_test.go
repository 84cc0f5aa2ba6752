package settings

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// leaves returns the dotted keys of the fields of t that are not structs.
func leaves(t reflect.Type, path string) []string {
	var out []string
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Type.Kind() == reflect.Struct {
			out = append(out, leaves(f.Type, join(path, name))...)
		} else {
			out = append(out, join(path, name))
		}
	}
	return out
}

// TestEveryKeyHasAnEffect checks that each key of the type is in the list with an
// effect, and that each key that works is in the type.
func TestEveryKeyHasAnEffect(t *testing.T) {
	t.Parallel()
	typed := leaves(reflect.TypeFor[Settings](), "")
	for _, key := range typed {
		k, ok := knownKey(key)
		assert.True(t, ok || len(knownBelow(key)) > 0, "%s is in the type and not in known.txt", key)
		assert.NotEqual(t, EffectNone, k.Effect, "%s has no effect, and needs no field", key)
	}
	seen := map[string]bool{}
	require.Greater(t, len(KnownKeys()), 200)
	for _, k := range KnownKeys() {
		assert.False(t, seen[k.Key], k.Key)
		seen[k.Key] = true
		assert.Less(t, strings.Count(k.Key, "."), knownDepth)
		switch k.Effect {
		case EffectWorks:
			there := false
			for _, key := range typed {
				there = there || key == k.Key || strings.HasPrefix(key, k.Key+".")
			}
			assert.True(t, there, "%s works, and nothing can read it", k.Key)
		case EffectRestriction:
			assert.NotEmpty(t, k.Harmless, k.Key)
		case EffectNone:
		default:
			t.Errorf("%s: %q is no effect", k.Key, k.Effect)
		}
	}
}

// TestAProjectLiftsNoRestriction checks that the stricter of the user's and the
// project's values applies, and that the system's overrides both.
func TestAProjectLiftsNoRestriction(t *testing.T) {
	t.Parallel()
	const on, off = `{"security": {"toolSandboxing": true}}`, `{"security": {"toolSandboxing": false}}`
	for _, c := range []struct {
		user, workspace, system string
		holds                   bool
	}{
		{"", "", "", false},
		{off, "", "", false},
		{on, "", "", true},
		{on, off, "", true},
		{off, on, "", true},
		{"", on, off, false},
		{on, "", off, false},
		{off, off, on, true},
	} {
		dir := t.TempDir()
		write := func(name, text string) string {
			path := filepath.Join(dir, name)
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			if text != "" {
				require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
			}
			return path
		}
		write("home/.gemini/settings.json", c.user)
		write("work/.gemini/settings.json", c.workspace)
		system := write("sys/settings.json", c.system)
		l, err := Load(Options{
			Home: filepath.Join(dir, "home"), Dir: filepath.Join(dir, "work"), Trusted: func(Settings) bool { return true },
			Lookup: func(name string) (string, bool) { return system, name == envSystem },
		})
		require.NoError(t, err)
		_, holds := l.Holding("security.toolSandboxing")
		assert.Equal(t, c.holds, holds, "%+v", c)
	}
}
