package hooks_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/config"
)

// TestWhoMayAllow checks that the hooks of the user and the system may allow, and other
// hooks only if the user or the system names them. A project or an extension cannot
// name itself.
func TestWhoMayAllow(t *testing.T) {
	t.Parallel()
	const own = `{"hooksConfig": {"mayAllow": ["named"]}, "hooks": {"PermissionRequest": [{"hooks": [
	  {"type": "command", "name": "named", "command": "a"}, {"type": "command", "name": "other", "command": "b"}]}]}}`
	load := func(layer hooks.Layer, text string) config.Section {
		s, err := config.LoadSettings(layer, "/"+string(layer), []byte(text))
		require.NoError(t, err)
		return s
	}
	may := func(sections ...config.Section) (names []string) {
		for _, h := range config.Merge(sections...).Hooks {
			if h.MayAllow {
				names = append(names, string(h.Source.Layer)+" "+h.Name)
			}
		}
		return names
	}
	project := load(hooks.LayerProject, own)
	require.Len(t, project.Problems, 1)
	assert.Contains(t, project.Problems[0].Text, "hooksConfig.mayAllow counts only in the settings of the user and the system")
	assert.Empty(t, may(project))
	const names = `{"hooksConfig": {"mayAllow": ["named"]}}`
	assert.Equal(t, []string{"project named"}, may(project, load(hooks.LayerUser, names)))
	assert.Equal(t, []string{"project named"}, may(project, load(hooks.LayerSystem, names)))
	assert.Equal(t, []string{"user named", "user other"}, may(load(hooks.LayerUser, own)))
	assert.Equal(t, []string{"system named", "system other"}, may(load(hooks.LayerSystem, own)))
	extension := project
	extension.Hooks = nil
	for _, h := range project.Hooks {
		h.Source.Layer = hooks.LayerExtension
		extension.Hooks = append(extension.Hooks, h)
	}
	assert.Empty(t, may(extension), "an extension is not the user")
}
