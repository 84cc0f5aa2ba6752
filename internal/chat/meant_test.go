package chat

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/app"
	"minigem/internal/slash"
	"minigem/internal/wiring"
)

// TestEveryNameIsMeant checks that each command taking one of a list of names has a
// step in the case about misspelled names.
func TestEveryNameIsMeant(t *testing.T) {
	t.Parallel()
	other := map[string]string{
		"/chat":        "what follows is a command",
		"/chat save":   "any name goes",
		"/editor":      "any command goes",
		"/model set":   "any name goes: servers know their models",
		"/restore":     "its names have the time in them; internal/undo has the test",
		"/resume save": "any name goes",
	}
	text, err := os.ReadFile(filepath.Join("..", "cases", "testdata", "chat", "meant.txtar"))
	require.NoError(t, err)
	n := 0
	var walk func(said string, all []row)
	walk = func(said string, all []row) {
		for _, c := range all {
			path := said + c.Name
			walk(path+" ", c.Sub)
			named := strings.Contains(c.Args, "NAME") || strings.Contains(c.Args, "TAG")
			if other[path] != "" || c.Values == nil && !named {
				continue
			}
			n++
			assert.Regexp(t, `(?m)^prompt `+path+` \w+\nwaitfor did you mean`, string(text))
		}
	}
	walk("/", builtinCommands(&wiring.Runtime{Config: &app.Configuration{}}))
	assert.Greater(t, n, 20)
}

// TestNamesOutsideTheChat checks that a run without a terminal knows each command of
// the chat, and does not send a misspelled one to a model.
func TestNamesOutsideTheChat(t *testing.T) {
	t.Parallel()
	for _, c := range builtinCommands(&wiring.Runtime{Config: &app.Configuration{}}) {
		for _, name := range append([]string{c.Name}, c.Aliases...) {
			assert.True(t, slash.Meant(name), name)
			assert.True(t, slash.Meant(name[:max(1, len(name)-1)]), name)
		}
	}
	for _, word := range []string{"tmp", "usr", "etc", "qqq", "dev", "var", "bin", "api", "login-page"} {
		assert.False(t, slash.Meant(word), word)
	}
}
