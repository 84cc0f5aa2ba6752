package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/config"
)

// settingsFixture is a set of settings files and their editor.
type settingsFixture struct {
	dir string
	config.Editor
}

// newSettings writes the files of the layers; "" writes none. In texts that tests
// compare, {dir} is the directory.
func newSettings(t *testing.T, project, user, system string) settingsFixture {
	t.Helper()
	d := settingsFixture{dir: t.TempDir()}
	d.Project, d.User = filepath.Join(d.dir, "project.json"), filepath.Join(d.dir, "user.json")
	for name, data := range map[string]string{"project": project, "user": user, "system": system} {
		if data != "" {
			write(t, filepath.Join(d.dir, name+".json"), data)
		}
	}
	d.reload(t)
	return d
}

func (d *settingsFixture) reload(t *testing.T) {
	t.Helper()
	d.Sections = nil
	for _, layer := range []hooks.Layer{hooks.LayerProject, hooks.LayerUser, hooks.LayerSystem} {
		file := filepath.Join(d.dir, string(layer)+".json")
		data, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		s, err := config.LoadSettings(layer, file, data)
		require.NoError(t, err)
		d.Sections = append(d.Sections, s)
	}
}

func (d settingsFixture) text(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(d.dir, name))
	require.NoError(t, err)
	return string(data)
}

// said returns the outcome of an edit, without the directory.
func (d settingsFixture) said(text string, err error) string {
	if err != nil {
		text = "error: " + err.Error()
	}
	return strings.ReplaceAll(text, d.dir+"/", "")
}

const (
	twoHooks = `{
  // the project's
  "theme": "dark", "mine": {"kept": [1, 2]},
  "hooks": {
    "BeforeTool": [{"hooks": [
      {"type": "command", "command": "./guard.sh", "name": "guard"}, // a
      {"type": "command", "command": "./log.sh"}
    ]}]
  }
}
`
	userHook = `{"hooks": {"AfterTool": [{"hooks": [{"type": "command", "command": "fmt"}]}]}}`
)

func TestDisableAndEnable(t *testing.T) {
	t.Parallel()
	d := newSettings(t, twoHooks, userHook, "")
	assert.Equal(t, `Hook "guard" is not disabled.`, d.said(d.Enable("guard")))
	assert.Equal(t, `Hook "guard" disabled in project.json.`, d.said(d.Disable("guard")))
	assert.Equal(t, strings.TrimSuffix(twoHooks, "\n}\n")+`,
  "hooksConfig": {
    "disabled": [
      "guard"
    ]
  }
}
`, d.text(t, "project.json"))

	d.reload(t)
	assert.Equal(t, `Hook "guard" is already disabled, in project.json:12.`, d.said(d.Disable("guard")))
	assert.Equal(t, []string{"guard"}, d.Names(true))
	assert.Equal(t, []string{"./log.sh", "fmt"}, d.Names(false))
	assert.Equal(t, `Hook "fmt" disabled in project.json.`, d.said(d.Disable("fmt")))

	d.reload(t)
	assert.Equal(t, `Hook "guard" enabled in project.json.`, d.said(d.Enable("guard")))
	d.reload(t)
	assert.Equal(t, `Hook "fmt" enabled in project.json.`, d.said(d.Enable("fmt")))
	assert.Equal(t, twoHooks, d.text(t, "project.json"), "nothing is left of it")
	assert.Equal(t, userHook, d.text(t, "user.json"))
}

func TestNamesThatAreNotHooks(t *testing.T) {
	t.Parallel()
	d := newSettings(t, twoHooks, "", "")
	assert.Equal(t, `error: there is no hook "gaurd"; did you mean "guard"?`, d.said(d.Disable("gaurd")))
	assert.Equal(t, `error: there is no hook "nothing like it"`, d.said(d.Enable("nothing like it")))
	assert.Equal(t, twoHooks, d.text(t, "project.json"))
	none := newSettings(t, "", "", "")
	assert.Equal(t, `error: there is no hook "x": no hooks are configured`, none.said(none.Disable("x")))
	assert.NoFileExists(t, none.Project)

	stale := newSettings(t, `{"hooksConfig": {"disabled": ["gone"]}}`, "", "")
	assert.Equal(t, `Hook "gone" enabled in project.json.`, stale.said(stale.Enable("gone")))
}

func TestWhatTheSystemDisables(t *testing.T) {
	t.Parallel()
	d := newSettings(t, twoHooks, "", "{\"hooksConfig\":\n{\"disabled\": [\"guard\"]}}")
	const why = `hook "guard" is disabled by the system's settings, system.json:2; only the administrator of this machine can enable it`
	assert.Equal(t, "error: "+why, d.said(d.Enable("guard")))
	assert.Equal(t, `Hook "guard" is already disabled, in system.json:2.`, d.said(d.Disable("guard")))
	assert.Equal(t, "Nothing to enable.\n"+why, d.said(d.EnableAll()))
	assert.Equal(t, "1 hook disabled in project.json.", d.said(d.DisableAll()))
	d.reload(t)
	assert.Equal(t, "1 hook enabled in project.json.\n"+why, d.said(d.EnableAll()))
}

func TestAllAtOnce(t *testing.T) {
	t.Parallel()
	d := newSettings(t, strings.Replace(twoHooks, `"theme"`, `"hooksConfig": {"disabled": ["old"] /* keep */}, "theme"`, 1),
		`{"hooks": {"disabled": ["fmt"], "AfterTool": [{"hooks": [{"type": "command", "command": "fmt"}]}]}}`, "")
	assert.Equal(t, "2 hooks disabled in project.json.", d.said(d.DisableAll()))
	assert.Contains(t, d.text(t, "project.json"), `{"disabled": ["old", "guard", "./log.sh"] /* keep */}`, "the list is not overwritten")
	d.reload(t)
	assert.Equal(t, "All hooks are already disabled.", d.said(d.DisableAll()))
	assert.Equal(t, "3 hooks enabled in project.json and user.json.", d.said(d.EnableAll()))
	assert.Equal(t, `{"hooks": {"AfterTool": [{"hooks": [{"type": "command", "command": "fmt"}]}]}}`, d.text(t, "user.json"), "the older list too")
	d.reload(t)
	assert.Equal(t, "All hooks are already enabled.", d.said(d.EnableAll()))

	none := newSettings(t, "", "", "")
	assert.Equal(t, "No hooks are configured.", none.said(none.DisableAll()))
	assert.Equal(t, "No hooks are configured.", none.said(none.EnableAll()))
}

func TestWhereTheProjectMustNotBeWritten(t *testing.T) {
	t.Parallel()
	d := newSettings(t, "", userHook, "")
	d.Project = ""
	assert.Equal(t, `Hook "fmt" disabled in user.json.`, d.said(d.Disable("fmt")))
	assert.NoFileExists(t, filepath.Join(d.dir, "project.json"))

	d = newSettings(t, `{"hooksConfig": {"disabled": ["fmt"]}}`, userHook, "")
	d.Project = ""
	assert.Equal(t, `error: hook "fmt" is disabled in project.json:1, which cannot be changed from here`, d.said(d.Enable("fmt")))
}

func TestFilesThatMustNotBeTouched(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ now, want string }{
		{`{"hooksConfig": `, `error: disabling hook "fmt": project.json:1:17: parsing value: unexpected EOF`},
		{`{"hooksConfig": []}`, `error: disabling hook "fmt": project.json: hooksConfig is an array: not an object`},
		{`{"hooksConfig": {"disabled": "x"}}`, `error: disabling hook "fmt": project.json: hooksConfig.disabled is a string, not an array`},
		{"{\n\"a\": \"\xff\"}", `error: disabling hook "fmt": project.json:2: a byte that is not UTF-8 would be lost; repair it first`},
	} {
		d := newSettings(t, "", userHook, "")
		write(t, d.Project, c.now) // changed since it was loaded
		assert.Equal(t, c.want, d.said(d.Disable("fmt")))
		assert.Equal(t, c.now, d.text(t, "project.json"))
	}
}

func TestALinkedSettingsFileStaysLinked(t *testing.T) {
	t.Parallel()
	d := newSettings(t, "", userHook, "")
	write(t, filepath.Join(d.dir, "dotfiles", "gemini.json"), "{}")
	require.NoError(t, os.Symlink("dotfiles/gemini.json", d.Project))
	assert.Equal(t, `Hook "fmt" disabled in project.json.`, d.said(d.Disable("fmt")))
	target, err := os.Readlink(d.Project)
	require.NoError(t, err)
	assert.Equal(t, "dotfiles/gemini.json", target)
	assert.Contains(t, d.text(t, "dotfiles/gemini.json"), `"fmt"`)
}

// TestNothingEmptyStays checks that enabling a hook again removes empty lists and keeps
// everything else.
func TestNothingEmptyStays(t *testing.T) {
	t.Parallel()
	for before, after := range map[string]string{
		`{"hooksConfig": {"disabled": ["fmt"]}}`:                           `{}`,
		`{"hooksConfig": {"disabled": ["fmt"], "enabled": true}, "a": 1}`:  `{"hooksConfig": {"enabled": true}, "a": 1}`,
		`{"a": 1, "hooksConfig": {"disabled": ["fmt"]}}`:                   `{"a": 1}`,
		"{\n  \"a\": 1,\n  \"hooksConfig\": {\"disabled\": [\"fmt\"]},\n}": "{\n  \"a\": 1,\n}",
		`{"hooksConfig": {"disabled": ["fmt", "b"]}}`:                      `{"hooksConfig": {"disabled": ["b"]}}`,
		`{"hooksConfig": {"disabled": [/* why */ "fmt"]}}`:                 `{"hooksConfig": {"disabled": [/* why */]}}`,
		`{"hooksConfig": {/* mine */ "disabled": ["fmt"]}}`:                `{"hooksConfig": {/* mine */ "disabled": []}}`,
		`{"a": {}, "hooksConfig": {"disabled": ["fmt"]} /* end */}`:        `{"a": {} /* end */}`,
	} {
		d := newSettings(t, before, userHook, "")
		assert.Equal(t, `Hook "fmt" enabled in project.json.`, d.said(d.Enable("fmt")), before)
		assert.Equal(t, after, d.text(t, "project.json"))
	}
}
