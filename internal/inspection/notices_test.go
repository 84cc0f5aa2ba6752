package inspection

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/config"
	"minigem/internal/app"
	"minigem/internal/place"
)

// The problems of one file fit on a screen and do not hide those of another.
func TestHookProblemsAreCounted(t *testing.T) {
	t.Parallel()
	c := &app.Configuration{}
	for i := range 500 {
		c.Hooks.Problems = append(c.Hooks.Problems, config.Problem{File: "/a", Line: i + 1, Text: fmt.Sprint("p", i)})
	}
	c.Hooks.Problems = append(c.Hooks.Problems, config.Problem{File: "/b", Text: "q"})
	told := Problems(c)
	require.Len(t, told, 22)
	assert.Equal(t, []string{"/a:20: p19", "/b: q", "/a: and 480 more; minigem hooks lint shows them all"}, told[19:])
}

// A problem with a key that two readers know is reported once.
func TestFaultsOfHooksConfigAreReportedOnce(t *testing.T) {
	t.Parallel()
	home, dir := t.TempDir(), t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(home, ".gemini"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(home, ".gemini", "settings.json"),
		[]byte(`{"hooksConfig": {"blockedExitCod": 3, "maxRetries": "3"}, "model": {"nam": 1}}`), 0o600))
	c, err := app.Configure(&app.System{Env: []string{"HOME=" + home}, Dir: dir, Now: time.Now}, &app.Options{})
	require.NoError(t, err)
	said := strings.Join(Notices(c), "\n")
	for _, once := range []string{`"blockedExitCod"`, "maxRetries must be", `"model.nam"`} {
		assert.Equal(t, 1, strings.Count(said, once), said)
	}
	assert.Len(t, strings.Split(said, "\n"), 3, said)
}

// Hooks that run without approval are named on a single line, however many there are.
func TestUnapprovedHooksAreOneLine(t *testing.T) {
	t.Parallel()
	c := &app.Configuration{Place: place.Place{Dir: "/p"}}
	for i := range 12 {
		c.Hooks.Hooks = append(c.Hooks.Hooks, hooks.Hook{
			Event: "BeforeTool", Name: fmt.Sprint("h", i), Note: "this project's hooks were never trusted",
			Source: hooks.Source{File: "/p/.gemini/settings.json", Line: i + 2},
		})
	}
	told := Notices(c)
	require.Len(t, told, 1)
	assert.Contains(t, told[0], `12 hooks run unasked: this project's hooks were never trusted. Look at them, then say `+
		`yes to them with minigem trust: BeforeTool "h0" (.gemini/settings.json:2), `)
	assert.Contains(t, told[0], `"h11" (.gemini/settings.json:13)`)

	c.Hooks.Hooks[0].Note = "changed since you last trusted this project's hooks: command"
	told = Notices(c)
	require.Len(t, told, 2)
	assert.Equal(t, `/p/.gemini/settings.json:2: the BeforeTool hook "h0" runs unasked: changed since you last trusted `+
		`this project's hooks: command. Look at it, then say yes to it with minigem trust`, told[0])

	for i := range c.Hooks.Hooks {
		c.Hooks.Hooks[i].Note = fmt.Sprintf("changed since you last trusted this project's hooks: script h%d.sh", i)
	}
	told = Notices(c)
	require.Len(t, told, 1)
	assert.Contains(t, told[0], `12 hooks run unasked: changed since you last trusted this project's hooks. Look at `+
		`them, then say yes to them with minigem trust: BeforeTool "h0" (.gemini/settings.json:2; script h0.sh), `)
}
