package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/scaffold"
	"minigem/hooks/protocol"
)

// What is made passes its own test and has nothing for the linter, for every
// event in the shell, and for some in every language.
func TestHooksNew(t *testing.T) {
	t.Parallel()
	for _, ev := range protocol.Events {
		for _, lang := range scaffold.Languages {
			if lang != "sh" && ev != protocol.AfterAgent && ev != protocol.BeforeTool && ev != protocol.BeforeModel {
				continue
			}
			if lang == "go" {
				continue // see TestHooksNewInGo
			}
			t.Run(string(ev)+" "+lang, func(t *testing.T) {
				t.Parallel()
				if p := map[string]string{"py": "python3", "js": "node"}[lang]; p != "" {
					if _, err := exec.LookPath(p); err != nil {
						t.Skip(p + " is not there")
					}
				}
				w := newHookWorld(t, map[string]string{".gemini/settings.json": "{\n  // mine\n}\n"})
				made := w.run("hooks new first --event " + string(ev) + " --lang " + lang)
				require.Equal(t, 0, made.code, made.err)
				assert.Contains(t, w.read(".gemini/settings.json"), "  // mine\n")
				lint := w.run("hooks lint")
				assert.Equal(t, said{"no findings\n", "", 0}, lint)
				test := w.run("hooks test " + w.path(".gemini/hooks/tests"))
				assert.Equal(t, 0, test.code, test.out+test.err)
				assert.Contains(t, test.out, "1 passed")
			})
		}
	}
}

func TestHooksNewRefuses(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, map[string]string{".gemini/settings.json": guarded, ".gemini/hooks/taken.sh": "mine"})
	for args, want := range map[string]string{
		"hooks new":                      "needs a name for the hook",
		"hooks new x":                    "--event is missing: SessionStart, ",
		"hooks new x --event PreToolUse": `did you mean "BeforeTool"?`,
		"hooks new x --event BeforeTool --lang rb": `there is no language "rb"; they are sh, py, js, go`,
		"hooks new ../x --event BeforeTool":        `"../x" is no name for a hook`,
		"hooks new guard --event BeforeTool":       `there is a hook "guard" already, at `,
		"hooks new taken --event BeforeTool":       ".gemini/hooks/taken.sh is there already",
		"hooks new x --evnt BeforeTool":            "unknown flag: --evnt",
	} {
		got := w.run(args)
		assert.Equal(t, exitInput, got.code, args)
		assert.Contains(t, got.err, want, args)
	}
	assert.Equal(t, guarded, w.read(".gemini/settings.json"), "nothing was written")
	assert.Equal(t, "mine", w.read(".gemini/hooks/taken.sh"))
}

// A case would build the program in an empty home, which takes long: here it is
// fired with what was built before.
func TestHooksNewInGo(t *testing.T) {
	t.Parallel()
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	require.NoError(t, err)
	w := newHookWorld(t, nil)
	require.Equal(t, 0, w.run("hooks new first --event AfterAgent --lang go").code)
	env := []string{"GOCACHE=" + strings.TrimSpace(string(cache)), "GOFLAGS=-mod=mod"}
	for set, want := range map[string]int{
		"prompt_response=TODO": exitDenied, "prompt_response=done": 0,
		"prompt_response=TODO --set stop_hook_active=true": 0,
	} {
		got := w.run("hooks fire AfterAgent --set "+set, env...)
		assert.Equal(t, want, got.code, set+got.out+got.err)
	}
}
