package agents

import (
	"encoding/json"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEveryRowHasEvidence checks that each row is measured, read or documented.
func TestEveryRowHasEvidence(t *testing.T) {
	t.Parallel()
	levels := []Evidence{Measured, Binary, Documented}
	for _, a := range All() {
		t.Run(a.ID, func(t *testing.T) {
			t.Parallel()
			check := func(what string, e Evidence) { assert.Contains(t, levels, a.Of(e), what) }
			assert.NotEmpty(t, a.Name)
			assert.Equal(t, a.Evidence == Documented, a.Version == "", "what was run has a version")
			for _, rows := range [][]Row{a.Env, a.Entry, a.Payload} {
				for _, r := range rows {
					assert.NotEmpty(t, r.Name)
					check(r.Name, r.Evidence)
				}
			}
			for _, e := range a.Events {
				check(e.Native, e.Evidence)
				assert.Contains(t, []string{"", "yes", "no"}, e.Fires)
				assert.False(t, e.Fires != "" && a.Of(e.Evidence) != Measured, "%s: nobody saw it fire", e.Native)
			}
			for _, tool := range a.Tools {
				check(tool.Action, tool.Evidence)
				assert.NotEmpty(t, tool.Hook)
				assert.Contains(t, Actions, tool.Action)
			}
			assert.Contains(t, []string{"", "s", "ms"}, a.Timeout.Unit)
			assert.Contains(t, []string{"allow", "unknown"}, a.Timeout.OnExpiry)
			for _, name := range a.Answer.Say {
				assert.NotNil(t, spellers[name], "there is no speller %q", name)
			}
			if a.Evidence == Measured && a.Answer.Rules.Read != nil {
				assert.NotEmpty(t, Observed()[a.ID], "what was measured was observed")
			}
		})
	}
}

// TestFilesAreWholeTables checks that each key of a data file has a field, so that
// nothing in it is ignored. (Files of agents are never read in another way.)
func TestFilesAreWholeTables(t *testing.T) {
	t.Parallel()
	found, err := fs.Glob(files, "data/*.toml")
	require.NoError(t, err)
	assert.Len(t, All(), len(found))
	strictly(t, "data/unmeasured.json", &map[string]Unmeasured{})
	strictly(t, "data/answers.json", &map[string]Case{})
	strictly(t, "data/effects.json", &map[string]map[string]Observation{})
}

func strictly(t *testing.T, name string, into any) {
	t.Helper()
	data, err := files.ReadFile(name)
	require.NoError(t, err)
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(into), name)
}

// TestObservationsBelongToTheCorpus checks that each observation belongs to an answer in
// the corpus.
func TestObservationsBelongToTheCorpus(t *testing.T) {
	t.Parallel()
	agents, cells := 0, 0
	for id, observed := range Observed() {
		a, err := Find(id)
		require.NoError(t, err)
		agents++
		for name, o := range observed {
			cells++
			c, ok := Corpus()[name]
			require.True(t, ok, name)
			if o.Retries > 0 {
				assert.Equal(t, a.Stop.Endless, o.Endless, id)
				assert.True(t, o.Endless || o.Retries == a.Stop.Retries, "%s: %d retries", id, o.Retries)
			}
			_, has := a.Event(c.Event)
			assert.True(t, has, "%s has no event at %s", id, c.Event)
		}
	}
	assert.GreaterOrEqual(t, agents, 7)
	assert.GreaterOrEqual(t, cells, 84*7)
}

// TestUnknownStaysUnknown checks that nothing is claimed that was not examined.
func TestUnknownStaysUnknown(t *testing.T) {
	t.Parallel()
	for id, points := range map[string][]Point{
		"opencode": {BeforeTool, AfterTool},
		"claude":   {"session_end", "before_compact", "no such point"},
	} {
		a, err := Find(id)
		require.NoError(t, err)
		for _, p := range points {
			assert.Equal(t, Unknown, a.Read(Answer{Point: p, Exit: 2, Stderr: "no"}).Kind, "%s %s", id, p)
		}
	}
	for _, a := range All() {
		assert.Equal(t, Unknown, a.Read(Answer{Point: BeforeTool, Odd: true}).Kind, a.ID)
	}
	_, err := Find("cluade")
	require.ErrorContains(t, err, "gemini, claude, codex")
	_, err = Find("cursor")
	require.EqualError(t, err,
		"the hooks of Cursor have not been measured; its documentation is at https://cursor.com/docs/hooks")
}

func TestFires(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		agent, matcher, name string
		want, known          bool
	}{
		{"claude", "Bash", "BashOutput", false, true},
		{"claude", "Bash.*", "BashOutput", true, true},
		{"claude", "Edit, Write", "Write", true, true},
		{"claude", "(", "Bash", false, true},
		{"codex", "Write|Edit", "apply_patch", true, true},
		{"qwen", "^run_shell_command$", "run_shell_command", true, true},
		{"qwen", "Shell|Nothing", "run_shell_command", true, true},
		{"copilot", "ba.*|cre.*", "create", true, true},
		{"copilot", "Bash", "bash", false, true},
		{"copilotc", "Bash", "Bash", true, true},
		{"copilotc", "bash", "Bash", true, true},
		{"gemini", "shell", "run_shell_command", true, true},
		{"kimi", "as", "Bash", true, true},
		{"cline", "anything", "run_commands", true, true},
	} {
		a, err := Find(tt.agent)
		require.NoError(t, err)
		fires, known := a.Fires(tt.matcher, tt.name)
		assert.Equal(t, tt.known, known, "%+v", tt)
		assert.Equal(t, tt.want, fires, "%+v", tt)
	}
}

// FuzzRead checks that no answer makes a reader panic, and that effects have nothing
// that the agent cannot know.
func FuzzRead(f *testing.F) {
	for _, c := range Corpus() {
		f.Add(c.Exit, c.Stdout, c.Stderr)
	}
	f.Add(0, `"{\"decision\":\"deny\"}"`, "")
	f.Add(0, "{}\n{}", "")
	f.Fuzz(func(t *testing.T, exit int, stdout, stderr string) {
		for _, a := range All() {
			for _, p := range []Point{BeforeTool, AfterTool, BeforePrompt, AgentStop, SessionStart} {
				e := a.Read(Answer{Point: p, Exit: exit, Stdout: stdout, Stderr: stderr})
				if e.Kind == "" || e.Kind == Rewritten && e.Input == nil {
					t.Errorf("%s %s: %+v", a.ID, p, e)
				}
				if e.Ran && e.Kind != RunEnded {
					t.Errorf("%s %s: it ran, and did not end: %+v", a.ID, p, e)
				}
			}
			a.Fires(stdout, "run_shell_command")
		}
	})
}

func TestIDsAreACopy(t *testing.T) {
	t.Parallel()
	ids := IDs()
	ids[0] = "x"
	assert.Equal(t, "gemini", IDs()[0])
	assert.True(t, slices.IsSorted(Names()))
}

// allRules returns the rules for reading answers, by agent.
func allRules() map[string]*Rules {
	all := map[string]*Rules{}
	for _, a := range All() {
		if a.Answer.Rules.Read != nil {
			all[a.ID] = &a.Answer.Rules
		}
		if a.bridged() {
			all[a.ID+" run"] = a.Play.Run
		}
	}
	return all
}

// TestWordsOfRules checks that every word, text and kind in a rule is known.
func TestWordsOfRules(t *testing.T) {
	t.Parallel()
	a, err := Find("claude")
	require.NoError(t, err)
	kinds := []Kind{
		"", end, block, Unknown, Allowed, Refused, Asked, Rewritten, Replaced, Appended, Context, Retry, PromptBlocked,
		RunEnded, Answered,
	}
	rows := 0
	for reader, rules := range allRules() {
		r := &reading{agent: a, rules: rules, answer: Answer{Point: BeforeTool}}
		assert.NotNil(t, parsers[rules.JSON], reader)
		assert.Subset(t, []string{"stdout", "stderr"}, append(rules.From, rules.FromExit2...), reader)
		for _, row := range rules.Read {
			rows++
			for _, word := range strings.Fields(row.If) {
				if word != "or" {
					assert.NotPanics(t, func() { r.holds(strings.TrimPrefix(word, "!")) }, "%s: %s", reader, word)
				}
			}
			for _, at := range strings.Fields(row.At) {
				assert.Contains(t, slices.Collect(maps.Values(points)), at, reader)
			}
			for _, kind := range []Kind{row.Then, row.Now, row.Set} {
				assert.Contains(t, kinds, kind, reader)
			}
			for name := range strings.SplitSeq(row.Reason+" | "+row.Context, " | ") {
				name = strings.TrimLeft(name, "~^&#{}")
				known := name == "" || name[0] == '\'' || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "$.")
				assert.True(t, known || slices.Contains([]string{"stdout", "stderr", "text"}, name), "%s: %s", reader, name)
			}
		}
	}
	assert.Greater(t, rows, 150)
}
