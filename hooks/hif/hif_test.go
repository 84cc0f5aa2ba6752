package hif_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks/dialect"
	"minigem/hooks/hif"
	"minigem/hooks/protocol"
)

func vector(t testing.TB, name string) hif.Document {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	require.True(t, hif.Is(data))
	d, err := hif.Parse(data)
	require.NoError(t, err)
	return d
}

// TestRoundTrip: what is read is written again, and what is not known is left
// alone.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"guard.json", "full.json"} {
		d := vector(t, name)
		data, err := d.Bytes()
		require.NoError(t, err)
		again, err := hif.Parse(data)
		require.NoError(t, err)
		assert.Equal(t, d, again, name)
		if data, err = d.YAML(); assert.NoError(t, err) {
			assert.True(t, hif.Is(data), "%s", data)
			again, err = hif.Parse(data)
			require.NoError(t, err, "%s", data)
			assert.Equal(t, d, again, "%s", data)
		}
	}
	assert.Equal(t, vector(t, "full.json"), vector(t, "full.yaml"), "the same document, as somebody would write it in YAML")
	full := vector(t, "full.json").Hooks
	assert.Equal(t, &hif.Matcher{Words: []string{"file_write", "file_edit"}, Patterns: []string{"^notebook"}, Servers: []string{"github/create_issue"}}, full[0].Matcher)
	assert.False(t, full[1].Blocking, "where nothing is said, a hook observes")
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		`{"spec":"hooks/9"}`:                           "spec is",
		`{"spec":"hooks/0.1","hooks":[{"event":"x"}]}`: "no handler",
		`{"spec":"hooks/0.1","hooks":[{"handler":{"type":"command","command":"x"}}]}`:                                        "no event",
		`{"spec":"hooks/0.1","hooks":[{"event":"x","handler":{"type":"http","command":"x"}}]}`:                               "no handler",
		`{"spec":"hooks/0.1","hooks":[{"event":"x","handler":{"type":"command","command":"x","timeout":-1}}]}`:               "timeout",
		`{"spec":"hooks/0.1","hooks":[{"event":"x","matcher":{},"handler":{"type":"command","command":"x"}}]}`:               "a matcher is",
		`{"spec":"hooks/0.1","hooks":[{"event":"x","matcher":[["y"]],"handler":{}}]}`:                                        "a list in a list",
		`{"spec":"hooks/0.1","hooks":[{"event":"x","handler":{"type":"command","command":"x","timeout_action":"explode"}}]}`: "timeout_action",
	} {
		_, err := hif.Parse([]byte(text))
		assert.ErrorContains(t, err, says, text)
	}
	assert.False(t, hif.Is([]byte(`{"hooks":{}}`)))
}

// TestRead: exit 2 refuses where the hook is blocking, an object decides at exit
// 0, and nothing else refuses.
func TestRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		ran      protocol.Ran
		observes bool
		decision string
		failed   bool
	}{
		{"exit 2", protocol.Ran{Code: 2, Stderr: []byte("no")}, false, protocol.Deny, false},
		{"exit 2 of one that observes", protocol.Ran{Code: 2, Stderr: []byte("no")}, true, "", true},
		{"exit 1", protocol.Ran{Code: 1}, false, "", true},
		{"deny", protocol.Ran{Stdout: []byte(`{"decision":"deny","reason":"no"}`)}, false, protocol.Deny, false},
		{"deny of one that observes", protocol.Ran{Stdout: []byte(`{"decision":"deny","reason":"no"}`)}, true, protocol.Deny, false},
		{"ask", protocol.Ran{Stdout: []byte(`{"decision":"ask"}`)}, false, protocol.Ask, false},
		{"allow", protocol.Ran{Stdout: []byte(`{"decision":"allow"}`)}, false, "", false},
		{"another word", protocol.Ran{Stdout: []byte(`{"decision":"perhaps"}`)}, false, "", true},
		{"no object", protocol.Ran{Stdout: []byte(`fine`)}, false, "", true},
		{"nothing", protocol.Ran{}, false, "", false},
		{"a time-out", protocol.Ran{Failed: "took longer"}, false, "", true},
	} {
		r := hif.Read(c.ran, !c.observes)
		assert.Equal(t, c.decision, r.Output.Decision, c.name)
		assert.Equal(t, c.failed, r.Failed != "", c.name)
	}
	o := hif.Read(protocol.Ran{Stdout: []byte(`{"continue":false,"reason":"enough","context":"c","system_message":"m","updated_input":{"command":"x"}}`)}, true).Output
	assert.Equal(t, protocol.Output{Stop: true, StopReason: "enough", Reason: "enough", AdditionalContext: "c", SystemMessage: "m", ToolInput: map[string]any{"command": "x"}, WholeToolInput: true}, o)
}

// TestFates: a guard whose answer lets pass in an agent is inverted there, one
// that never runs is lost.
func TestFates(t *testing.T) {
	t.Parallel()
	fates := func(name string) map[string]hif.Fate {
		all := map[string]hif.Fate{}
		for _, f := range hif.Fates(vector(t, name), dialect.All()) {
			all[f.Hook+" "+f.Agent] = f
		}
		return all
	}
	guard := fates("guard.json")
	for agent, want := range map[string]string{
		"gemini": hif.Kept, "qwen": hif.Kept, "claude": hif.Inverted, "codex": hif.Inverted, "copilot": hif.Inverted, "kimi": hif.Inverted, "cline": hif.Inverted,
		"opencode": hif.Unknown, "cursor": hif.Unknown,
	} {
		assert.Equal(t, want, guard["guard "+agent].Fate, "%s: %v", agent, guard["guard "+agent].Why)
	}
	full := fates("full.json")
	assert.Equal(t, hif.Lost, full["model claude"].Fate, "it has no such event")
	assert.Equal(t, hif.Kept, full["model gemini"].Fate)
	assert.Contains(t, full["files claude"].Why, "env: ignored")
	assert.Contains(t, full["files codex"].Why, "at the time-out the action goes on")
	assert.Contains(t, full["watch kimi"].Why, "exit 2 refuses, though the hook only observes")
}

// FuzzParse: whatever is read can be written, and read again.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"guard.json", "full.json"} {
		data, err := os.ReadFile("testdata/" + name)
		require.NoError(f, err)
		f.Add(data, data)
	}
	f.Add([]byte(`{"spec":"hooks/0.1","hooks":[{"event":"x","matcher":[[["y"]]],"handler":{}}]}`), []byte(`{"decision":"deny"}`))
	f.Fuzz(func(t *testing.T, data, answer []byte) {
		r := hif.Read(protocol.Ran{Stdout: answer}, true)
		if r.Output.Decision == protocol.Deny && !json.Valid(answer) {
			t.Errorf("%q refuses", answer)
		}
		d, err := hif.Parse(data)
		if err != nil || !hif.Is(data) {
			return
		}
		hif.Fates(d, dialect.All())
		written, err := d.Bytes()
		require.NoError(t, err)
		again, err := hif.Parse(written)
		require.NoError(t, err, "%s", written)
		written, err = d.YAML()
		require.NoError(t, err)
		same, err := hif.Parse(written)
		require.NoError(t, err, "%s", written)
		require.Equal(t, again, same, "%s", written)
	})
}
