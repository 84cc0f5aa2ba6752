package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks/author/scaffold"
	"minigem/hooks/config"
	"minigem/hooks/elsewhere"
	"minigem/hooks/protocol"
	"minigem/internal/exit"
	"minigem/internal/thorough"
	"minigem/internal/trials"
)

// New hooks pass their own case and get no lint findings, for every event in every
// language.
func TestHooksNew(t *testing.T) {
	t.Parallel()
	for i, ev := range protocol.Events {
		for j, lang := range scaffold.Languages {
			t.Run(string(ev)+" "+lang, func(t *testing.T) {
				t.Parallel()
				if often := ev == protocol.BeforeTool || ev == protocol.AfterAgent || (i+j)%3 == 0; !often && !thorough.Asked() {
					t.Skip("other events have it: MINIGEM_THOROUGH=1 runs it")
				}
				if p := map[string]string{"py": "python3", "js": "node"}[lang]; p != "" {
					if _, err := exec.LookPath(p); err != nil {
						t.Skip(p + " is not there")
					}
				}
				w := newHookWorld(t, map[string]string{".gemini/settings.json": "{\n  // mine\n}\n"})
				env := goCache(t)
				made := w.run("hooks new first --event "+string(ev)+" --lang "+lang, env)
				require.Equal(t, 0, made.code, made.err)
				assert.Contains(t, w.read(".gemini/settings.json"), "  // mine\n")
				lint := w.run("hooks lint", env)
				found := regexp.QuoteMeta("no findings; checked 1 hook in 1 file\n")
				if ev.IsAdded() { // these are the only findings
					found = `.gemini/settings.json:\d: note HK015: ` + regexp.QuoteMeta(elsewhere.DifferenceByID("event-added").String()) +
						"\n\n0 errors, 0 warnings, 1 note; checked 1 hook in 1 file\nminigem hooks lint --explain CODE explains a finding\n"
				}
				assert.Regexp(t, "^"+found+"$", lint.out)
				assert.Equal(t, 0, lint.code, lint.err)
				test := w.run("hooks test "+w.path(".gemini/hooks/tests"), env)
				assert.Equal(t, 0, test.code, test.out+test.err)
				assert.Contains(t, test.out, "1 passed")
				fire := regexp.MustCompile(`(?m)^  minigem (hooks fire .*)$`).FindStringSubmatch(made.out)
				require.Len(t, fire, 2, made.out)
				fired := w.run(fire[1], env)
				assert.Contains(t, []int{0, trials.ExitDenied}, fired.code, fired.err)
				assert.Regexp(t, `(?m)^  parsed +\{"`, fired.out, fire[1])
			})
		}
	}
}

// kindsMade lists what hooks new makes in addition to synchronous commands.
var kindsMade = []struct{ flags, program string }{
	{"--kind http", "python3"}, {"--kind http --lang js", "node"}, {"--kind mcp_tool", "python3"}, {"--kind mcp_tool --lang js", "node"}, {"--kind prompt", ""}, {"--async", ""},
}

// A hook of each kind is made for each event that supports it. Its case passes with the
// hook and fails without it, and lint has only notes.
func TestHooksNewOfEachKind(t *testing.T) {
	t.Parallel()
	for _, kind := range config.Kinds() {
		assert.True(t, kind == "command" || slices.ContainsFunc(kindsMade, func(k struct{ flags, program string }) bool { return strings.HasPrefix(k.flags, "--kind "+kind) }), kind)
	}
	for _, ev := range protocol.Events {
		for _, k := range kindsMade {
			t.Run(string(ev)+" "+k.flags, func(t *testing.T) {
				t.Parallel()
				often := ev == protocol.BeforeTool || ev == protocol.AfterAgent || thorough.Asked()
				if strings.HasSuffix(k.flags, "js") && !often {
					t.Skip("the program differs from the others in one line: MINIGEM_THOROUGH=1 runs it")
				}
				if _, err := exec.LookPath(k.program); k.program != "" && err != nil {
					t.Skip(k.program + " is not there")
				}
				if k.flags == "--async" && runtime.GOOS == "windows" {
					t.Skip("its case has a terminal")
				}
				w := newHookWorld(t, nil)
				made := w.run("hooks new first --event " + string(ev) + " " + k.flags)
				if cannot := "a hook of the type prompt can do nothing but refuse|there is no example of an async hook for this"; made.code == exit.Input {
					assert.Regexp(t, cannot, made.err)
					assert.False(t, ev == protocol.BeforeTool || strings.HasPrefix(k.flags, "--kind http") || strings.HasPrefix(k.flags, "--kind mcp_tool"), made.err)
					return
				}
				require.Equal(t, 0, made.code, made.err)
				lint := w.run("hooks lint")
				assert.Equal(t, 0, lint.code, lint.err)
				assert.Contains(t, lint.out, "\n0 errors, 0 warnings, ")
				test := w.run("hooks test " + w.path(".gemini/hooks/tests"))
				assert.Equal(t, 0, test.code, test.out+test.err)
				assert.Contains(t, test.out, "1 passed")
				if !often {
					return
				}
				settings := strings.Replace(w.read(".gemini/settings.json"), `"hooks": {`, `"none": {`, 1)
				require.NoError(t, os.WriteFile(w.path(".gemini/settings.json"), []byte(settings), 0o600))
				assert.Equal(t, 1, w.run("hooks test "+w.path(".gemini/hooks/tests")).code, "without the hook")
			})
		}
	}
}

// goCache returns the setting of Go's build cache, because the home of a hookWorld is
// empty.
func goCache(t *testing.T) string {
	t.Helper()
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	require.NoError(t, err)
	return "GOCACHE=" + strings.TrimSpace(string(cache))
}

// If a language is missing, its case is skipped with a reason, and does not count as
// passed.
func TestHooksNewWithoutTheLanguage(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	for _, p := range []string{"bash", "sh", "cat"} {
		path, err := exec.LookPath(p)
		require.NoError(t, err)
		require.NoError(t, os.Symlink(path, filepath.Join(bin, p)))
	}
	for lang, program := range map[string]string{"py": "python3", "js": "node", "go": "go"} {
		w := newHookWorld(t, nil)
		require.Equal(t, 0, w.run("hooks new first --event AfterAgent --lang "+lang, "PATH="+bin).code)
		test := w.run("hooks test "+w.path(".gemini/hooks/tests"), "PATH="+bin)
		assert.Equal(t, 1, test.code, test.out+test.err)
		assert.Contains(t, test.out, "there is no "+program+" here")
		assert.Contains(t, test.out, "1 skipped")
		assert.Contains(t, w.run("hooks lint", "PATH="+bin).out, `HK030: there is no program "`+program+`" on the PATH`)
	}
}

func TestHooksNewRefuses(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, map[string]string{".gemini/settings.json": guarded, ".gemini/hooks/taken.sh": "mine"})
	for args, want := range map[string]string{
		"hooks new":                                "needs a name for the hook; --event EVENT says where it runs",
		"hooks new x --event PreToolUse":           `did you mean "BeforeTool"?`,
		"hooks new x --event BeforeTool --lang rb": `there is no language "rb"; they are sh, py, js, go`,
		"hooks new ../x --event BeforeTool":        `"../x" is not a name for a hook`,
		"hooks new guard":                          `there is a hook "guard" already, at `,
		"hooks new taken --event BeforeTool":       ".gemini/hooks/taken.sh already exists",
		"hooks new x --evnt BeforeTool":            "unknown flag: --evnt",
		"hooks new x --event BeforeTool --kind x":  `there is no kind of hook "x"; they are command, http, prompt, mcp_tool`,
	} {
		got := w.run(args)
		assert.Equal(t, exit.Input, got.code, args)
		assert.Contains(t, got.err, want, args)
	}
	assert.Equal(t, guarded, w.read(".gemini/settings.json"), "nothing was written")
	assert.Equal(t, "mine", w.read(".gemini/hooks/taken.sh"))
}

// The entry has the matcher and the onError, and the case passes.
func TestHooksNewNarrowed(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, nil)
	made := w.run("hooks new guard --event BeforeTool --matcher ^(write_file|replace)$ --on-error block")
	require.Equal(t, 0, made.code, made.err)
	settings := w.read(".gemini/settings.json")
	assert.Contains(t, settings, `"matcher": "^(write_file|replace)$"`)
	assert.Contains(t, settings, `"onError": "block"`)
	test := w.run("hooks test " + w.path(".gemini/hooks/tests"))
	assert.Equal(t, 0, test.code, test.out+test.err)
	for args, want := range map[string]string{
		"BeforeTool --matcher ^glob$":     "does not match write_file",
		"BeforeTool --matcher (":          "not a regular expression",
		"BeforeAgent --matcher glob":      "BeforeAgent has none",
		"BeforeTool --on-error sometimes": "it is allow or block",
	} {
		got := w.run("hooks new other --event " + args)
		assert.Equal(t, exit.Input, got.code, args)
		assert.Contains(t, got.err, want, args)
	}
	assert.NoFileExists(t, w.path(".gemini/hooks/other.sh"))
}

// A hook is made for each tool that has an example, and its case passes: the loop
// accepts the case's call.
func TestHooksNewForATool(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"run_shell_command", "read_file", "read_many_files", "write_file", "replace", "list_directory", "glob", "grep_search", "web_fetch", "google_web_search", "save_memory"} {
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			w := newHookWorld(t, nil)
			made := w.run("hooks new guard --event BeforeTool --on-error block --tool " + tool)
			require.Equal(t, 0, made.code, made.err)
			assert.Contains(t, w.read(".gemini/settings.json"), `"matcher": "^`+tool+`$"`)
			test := w.run("hooks test " + w.path(".gemini/hooks/tests"))
			assert.Equal(t, 0, test.code, test.out+test.err)
			assert.Contains(t, test.out, "1 passed")
		})
	}
	w := newHookWorld(t, nil)
	for args, want := range map[string]string{
		"AfterTool --tool read_file":                   "--tool makes a hook of BeforeTool, not of AfterTool",
		"BeforeTool --tool mcp_a_b":                    "no example is known of a call of mcp_a_b",
		"BeforeTool --tool read_file --matcher ^glob$": "does not match read_file",
	} {
		got := w.run("hooks new other --event " + args)
		assert.Equal(t, exit.Input, got.code, args)
		assert.Contains(t, got.err, want, args)
	}
}
