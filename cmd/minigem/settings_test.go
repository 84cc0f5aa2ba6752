package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/listing"
)

func TestSettingsList(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, map[string]string{
		".gemini/settings.json": "{\n  \"tools\": {\"truncateToolOutputThreshold\": 5, \"exclude\": [\"web_fetch\"]},\n  \"mcpServers\": {\"a\": {\"command\": \"$TOKEN\"}}\n}",
		"~/.gemini/settings.json": `{"model": {"maxSessionTurns": "seven"},
			"tools": {"exclude": ["glob"]}, "modl": {}}`,
	})
	got := w.run("settings list tools --origin")
	assert.Equal(t, said{`tools.exclude                      ["glob","web_fetch"]  workspace .gemini/settings.json:2
tools.shell.inactivityTimeout      300                   default
tools.truncateToolOutputThreshold  5                     workspace .gemini/settings.json:2
`, "[WARNING] HOME/.gemini/settings.json:1:31: model.maxSessionTurns: must be a whole number, not \"seven\"; ignored\n[WARNING] ~/.gemini/settings.json:2: the key \"modl\" is not known; did you mean \"model\"?\n", 0}, got)

	assert.Equal(t, "model.maxSessionTurns  -1\n", w.run("settings list model.maxSessionTurns").out)
	assert.NotContains(t, w.run("settings list mcpServers", "TOKEN=sk-0123456789abcdef0123").out, "0123456789", "secrets are masked")

	var all struct{ Settings []listing.ListedSetting }
	require.NoError(t, json.Unmarshal([]byte(w.run("settings list --json").out), &all))
	assert.Contains(t, all.Settings, listing.ListedSetting{
		Key: "tools.truncateToolOutputThreshold", Value: json.RawMessage("5"), Layer: "workspace", File: "PROJECT/.gemini/settings.json", Line: 2, Effect: "works",
	})
}

// TestSettingsWithoutEffect checks that settings list shows each one's location, that a
// run with -d names them in one line, and that other runs say nothing.
func TestSettingsWithoutEffect(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, map[string]string{
		".gemini/settings.json":   `{"ui": {"hideBanner": "a", "hideTips": true}}`,
		"~/.gemini/settings.json": "{\n \"ui\": {\"hideBanner\": \"b\"}, \"model\": {\"maxSessionTurns\": 9}, \"general\": {\"vimMode\": true, \"devtools\": true}}",
		"answers":                 writesOnce,
	})
	const line = "3 settings have no effect in minigem: ui.hideBanner, general.devtools, ui.hideTips; minigem settings list says more\n"
	assert.Equal(t, "[WARNING] ~/.gemini/settings.json:2: ui.hideBanner has no effect in minigem\n"+
		"[WARNING] ~/.gemini/settings.json:2: general.devtools has no effect in minigem\n"+
		"[WARNING] .gemini/settings.json:1: ui.hideBanner has no effect in minigem\n"+
		"[WARNING] .gemini/settings.json:1: ui.hideTips has no effect in minigem\n", w.run("settings list").err)
	assert.Equal(t, "ui             {}\nui.hideBanner  \"a\"  (no effect in minigem)\nui.hideTips    true  (no effect in minigem)\n", w.run("settings list ui").out)
	assert.Equal(t, said{"model.fallback  works\n", "", 0}, w.run("settings list --known model.fallback"))
	got := w.run("--yolo -d -p go --fake-responses " + w.path("answers"))
	assert.Equal(t, 1, strings.Count(got.err, line), got.err)
	got = w.run("--yolo -p go --fake-responses " + w.path("answers"))
	assert.Equal(t, said{"Done.\n", "", 0}, got)
}

func TestSettingsOfAnUntrustedFolder(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, map[string]string{".gemini/settings.json": `{"model": {"maxSessionTurns": 3}}`})
	assert.Equal(t, said{"model.maxSessionTurns  -1\n", "[WARNING] .gemini/settings.json is not read: the folder is not trusted\n", 0},
		w.run("settings list model.maxSessionTurns", untrusted))
}
