package export_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks/agents"
	"minigem/hooks/author/export"
)

const settings = `{"hooks": {
 "BeforeTool": [
  {"matcher": "^(write_file|replace)$", "hooks": [{"type": "command", "command": "$GEMINI_PROJECT_DIR/guard.sh", "timeout": 5000}]},
  {"matcher": "Bash", "hooks": [{"type": "command", "command": "./c.sh", "dialect": "claude", "timeout": 2000000}]}
 ],
 "BeforeModel": [{"hooks": [{"type": "command", "command": "./model.sh"}]}],
 "SessionStart": [{"hooks": [{"type": "command", "command": "off.sh"}, {"type": "http", "url": "x"}]}]
}, "hooksConfig": {"disabled": ["off.sh"]}}`

// written is a hook in an agent's configuration.
type written struct{ event, matcher, command, timeout string }

// read parses a configuration in the agent's form.
func read(t *testing.T, f export.File) []written {
	t.Helper()
	type entry struct {
		Matcher, Command, Bash, Event string
		Timeout, TimeoutSec           json.Number
		Hooks                         []struct {
			Command string
			Timeout json.Number
		}
	}
	var out []written
	switch {
	case strings.HasSuffix(f.Name, ".toml"):
		var all struct {
			Hooks []struct {
				Event, Matcher, Command string
				Timeout                 int
			}
		}
		require.NoError(t, toml.Unmarshal(f.Data, &all))
		for _, h := range all.Hooks {
			data, err := json.Marshal(h.Timeout)
			require.NoError(t, err)
			out = append(out, written{h.Event, h.Matcher, h.Command, string(data)})
		}
	case f.Program:
		out = append(out, written{filepath.Base(f.Name), "", string(f.Data), ""})
	default:
		var all struct{ Hooks map[string][]entry }
		require.NoError(t, json.Unmarshal(f.Data, &all), string(f.Data))
		for event, groups := range all.Hooks {
			for _, g := range groups {
				for _, h := range g.Hooks {
					out = append(out, written{event, g.Matcher, h.Command, h.Timeout.String()})
				}
				if g.Bash != "" {
					out = append(out, written{event, g.Matcher, g.Bash, g.TimeoutSec.String()})
				}
			}
		}
	}
	return out
}

func nothing(string) ([]byte, error) { return nil, nil }

// TestEveryAgent checks, in each agent's form, that each hook is configured, fires for
// its tools and no others, and has its timeout.
func TestEveryAgent(t *testing.T) {
	t.Parallel()
	times := map[string][2]string{"claude": {"5", "2000"}, "codex": {"5", "2000"}, "copilot": {"5", "2000"}, "kimi": {"5", "2000"}, "qwen": {"5", "2000000"}}
	for _, id := range export.Agents {
		a, err := agents.Find(id)
		require.NoError(t, err)
		r, err := export.Export([]byte(settings), export.Options{Agent: id}, nothing)
		require.NoError(t, err)
		var all []written
		for _, f := range r.Files {
			all = append(all, read(t, f)...)
		}
		before, _ := a.Event(agents.BeforeTool)
		find := func(part string) (w written) {
			for _, h := range all {
				if strings.Contains(h.command, part) && h.event == before.Native {
					w = h
				}
			}
			return w
		}
		guard, bash := find("guard.sh"), find("./c.sh")
		require.NotEmpty(t, guard.command, id)
		assert.Contains(t, guard.command, "minigem hooks run --portable --match '^(write_file|replace)$'", id)
		assert.Contains(t, strings.Join(r.Remarks, "\n"), "has no event at BeforeModel", id)
		assert.Contains(t, strings.Join(r.Remarks, "\n"), "off.sh is disabled", id)
		assert.Contains(t, strings.Join(r.Remarks, "\n"), `type "http"`, id)
		if id == "cline" { // one program per event, which checks the tool itself
			assert.Empty(t, bash.command)
			assert.Contains(t, strings.Join(r.Remarks, "\n"), "has one per event: call this there: minigem hooks run --portable --dialect claude --match Bash")
			continue
		}
		assert.Contains(t, bash.command, "--dialect claude --match Bash", id)
		assert.Equal(t, times[id], [2]string{guard.timeout, bash.timeout}, id)
		for _, tool := range a.Tools {
			for w, actions := range map[written]string{guard: "write edit", bash: "shell"} {
				fires, known := a.Fires(w.matcher, tool.Hook)
				assert.True(t, known)
				assert.Equal(t, strings.Contains(actions, tool.Action), fires, "%s: %q for %s", id, w.matcher, tool.Hook)
			}
		}
	}
}

// TestASecondExportAddsNothing checks that a second export keeps existing entries and adds nothing.
func TestASecondExportAddsNothing(t *testing.T) {
	t.Parallel()
	for id, theirs := range map[string]string{
		"claude":  "{\n  // mine\n  \"model\": \"x\",\n  \"hooks\": {\"PreToolUse\": [{\"matcher\": \"Read\", \"hooks\": []}]}\n}\n",
		"copilot": "{\"version\": 1, \"hooks\": {}}", "kimi": "# mine\nmodel = \"x\"\n\n[[hooks]]\nevent = \"Stop\"\ncommand = \"s\"\n",
	} {
		holds := func(content map[string]string) func(string) ([]byte, error) {
			return func(name string) ([]byte, error) { return []byte(content[name]), nil }
		}
		first, err := export.Export([]byte(settings), export.Options{Agent: id}, func(string) ([]byte, error) { return []byte(theirs), nil })
		require.NoError(t, err)
		require.Len(t, first.Files, 1)
		for _, line := range []string{"mine", "model"} {
			if strings.Contains(theirs, line) {
				assert.Contains(t, string(first.Files[0].Data), line, id)
			}
		}
		assert.NotContains(t, first.Files[0].Diff, "\n-#", "nothing of theirs is taken out")
		again, err := export.Export([]byte(settings), export.Options{Agent: id}, holds(map[string]string{first.Files[0].Name: string(first.Files[0].Data)}))
		require.NoError(t, err)
		assert.Zero(t, again.Added, id)
		assert.Empty(t, again.Files, id)
	}
}

// TestBareSaysWhatIsInverted checks that, without the translation, a remark names each
// refusal that would let the call pass.
func TestBareSaysWhatIsInverted(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"claude": `inverted: .gemini/settings.json:3: {"decision":"deny","reason":"no"} refuses in Gemini CLI, and allows in Claude Code`,
		"codex":  `allows in Codex CLI`, "kimi": "allows in Kimi Code", "cline": "exit 2 with a reason on stderr refuses in Gemini CLI, and allows in Cline CLI", "copilot": "allows in Copilot CLI",
	} {
		r, err := export.Export([]byte(settings), export.Options{Agent: id, Bare: true}, nothing)
		require.NoError(t, err)
		assert.Contains(t, strings.Join(r.Remarks, "\n"), want, id)
	}
	r, err := export.Export([]byte(settings), export.Options{Agent: "claude"}, nothing)
	require.NoError(t, err)
	assert.NotContains(t, strings.Join(r.Remarks, "\n"), "inverted")
}

// TestFaults checks that files that cannot be parsed, or lead elsewhere, are left
// alone.
func TestFaults(t *testing.T) {
	t.Parallel()
	for id, content := range map[string]string{"claude": `{"hooks": `, "codex": `{"hooks": 1}`, "kimi": "hooks = []", "qwen": "{\"a\": \"\xff\"}"} {
		_, err := export.Export([]byte(settings), export.Options{Agent: id}, func(string) ([]byte, error) { return []byte(content), nil })
		assert.Error(t, err, id)
	}
	_, err := export.Export([]byte("{"), export.Options{Agent: "claude"}, nothing)
	require.Error(t, err)
	_, err = export.Export([]byte("{}"), export.Options{Agent: "amp"}, nothing)
	require.ErrorContains(t, err, `there is no form for "amp"`)

	dir, elsewhere := t.TempDir(), t.TempDir()
	p := export.Place{Dir: dir, Kimi: filepath.Join(dir, "kimi")}
	require.NoError(t, os.Mkdir(filepath.Join(dir, ".gemini"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, export.Source), []byte(settings), 0o644))
	require.NoError(t, os.Symlink(elsewhere, filepath.Join(dir, ".claude")))
	_, err = export.Project(p, export.Options{Agent: "claude"})
	require.ErrorContains(t, err, "is a link")

	o := export.Options{Agent: "cline"}
	r, err := export.Project(p, o)
	require.NoError(t, err)
	require.NoError(t, p.Write(o, r))
	info, err := os.Stat(filepath.Join(dir, ".clinerules/hooks/PreToolUse"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o755), info.Mode().Perm())

	o = export.Options{Agent: "codex"}
	r, err = export.Project(p, o)
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(dir, ".codex"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".codex/hooks.json"), []byte(`{"hooks": {"Stop": []}}`), 0o644))
	require.ErrorContains(t, p.Write(o, r), "changed in the meantime")
}
