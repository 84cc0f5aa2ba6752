package mutate

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/config"
)

// shown describes mutants as reports do.
func shown(all []Mutant) []string {
	var out []string
	for _, m := range all {
		out = append(out, fmt.Sprintf("%s:%d %s", m.Class, m.Line, m.What))
	}
	return out
}

func TestProgram(t *testing.T) {
	t.Parallel()
	tests := map[string][]string{
		"cat\nexit 2\n":                                {"exit:2 exit 2 -> exit 1"},
		"# exit 2\n// exit 2\nexit 20\nexit 0\n":       nil,
		"\"\"\"exit 2\nexit 2\n\"\"\"\nsys.exit(2)\n":  {"exit:4 exit(2 -> exit(1"},
		"os.Exit(2); process.exitCode = 2":             {"exit:1 Exit(2 -> Exit(1", "exit:1 exitCode = 2 -> exitCode = 1"},
		`echo '{"decision": "deny", "reason": "no"}'`:  {`decision:1 "deny" -> "allow"`, `reason:1 reason": -> unused":`},
		`echo "{\"decision\": \"block\"}"`:             {`decision:1 \"block\" -> \"allow\"`},
		`{ decision: 'approve', reason: why }`:         {`decision:1 'approve' -> 'deny'`, `reason:1 reason: -> unused:`},
		`echo no >&2`:                                  {"reason:1 >&2 -> >/dev/null"},
		`print("no", file=sys.stderr)`:                 {"reason:1 , file=sys.stderr -> nothing"},
		`console.error("no")`:                          {"reason:1 console.error( -> void ("},
		`{"hookSpecificOutput": {"tool_input": {}}}`:   {`answer:1 hookSpecificOutput": -> unused":`},
		`{"additionalContext": "x","continue": false}`: {`decision:1 continue": false -> continue": true`, `answer:1 additionalContext": -> unused":`},
		"exit 2; exit 2":                               {"exit:1 exit 2 -> exit 1", "exit:1 exit 2 -> exit 1"},
		"exit 2\x00":                                   nil,
	}
	for text, want := range tests {
		got := Program([]byte(text))
		assert.Equal(t, want, shown(got), text)
		for _, m := range got {
			assert.NotEqual(t, text, string(m.Text))
		}
	}
}

const guarded = `{
  // ours
  "hooks": {
    "BeforeTool": [
      {"matcher": "^(read_file|glob)$", "hooks": [
        {"type": "command", "name": "guard", "command": "echo no >&2; exit 2", "onError": "block"}
      ]},
      {"matcher": "*", "hooks": [{"type": "command", "command": "true"}]}
    ],
    "AfterTool": [],
    "SessionEnd": [{"hooks": [{"type": "url"}]}]
  }
}
`

func TestSettings(t *testing.T) {
	t.Parallel()
	all, err := Settings("s.json", []byte(guarded))
	require.NoError(t, err)
	assert.Equal(t, []string{
		`matcher:5 matcher "^(read_file|glob)$" removed`,
		`matcher:5 matcher "^(read_file|glob)$" -> "^(glob)$"`,
		`matcher:5 matcher "^(read_file|glob)$" -> "^(read_file)$"`,
		"event:4 BeforeTool -> SessionStart",
		"event:11 SessionEnd -> SessionStart",
		"script:6 the command -> true",
		"timeout:6 it hangs, and gets 1 ms",
		"timeout:8 it hangs, and gets 1 ms",
		`onError:6 onError "block" removed`,
		"exit:6 exit 2 -> exit 1",
		"reason:6 >&2 -> >/dev/null",
	}, shown(all))
	for _, m := range all {
		assert.Contains(t, string(m.Text), "// ours", "what is not broken stays")
		c, err := config.LoadSettings(hooks.LayerProject, "/p/s.json", m.Text)
		require.NoError(t, err, m.What)
		if m.Class == Timeout && m.Line == 6 {
			h := config.Merge(c).Hooks[0]
			assert.Equal(t, []any{hangs, "1ms"}, []any{h.Command, h.Timeout.String()})
		}
	}
	_, err = Settings("s.json", []byte("{"))
	require.Error(t, err)
}

// FuzzMutate checks that, for any file, all mutants differ from it and from each other,
// and that mutants of settings parse if the file does.
func FuzzMutate(f *testing.F) {
	for _, text := range []string{guarded, `{"hooks":{"A":[{"matcher":"a|b"}],"A":[{"hooks":[{"command":"exit 2"}]}]}}`, `{"hooks":[1]}`, "exit 2\n\"\"\"\nexit(2)"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		check := func(all []Mutant) {
			for i, m := range all {
				require.NotEqual(t, data, m.Text)
				require.Contains(t, Classes, m.Class)
				require.LessOrEqual(t, m.Line, bytes.Count(data, []byte("\n"))+1)
				for _, o := range all[:i] {
					require.NotEqual(t, o.Text, m.Text)
				}
			}
		}
		check(Program(data))
		all, err := Settings("s.json", data)
		if err == nil {
			check(all)
		}
		for _, m := range all {
			_, err := Settings("s.json", m.Text)
			require.NoError(t, err)
		}
	})
}
