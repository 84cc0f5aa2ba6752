package inspect_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/author/inspect"
	"minigem/hooks/config"
	"minigem/hooks/protocol"
	"minigem/internal/text"
)

// FuzzSet checks that a payload and an assignment yield a payload or an error.
func FuzzSet(f *testing.F) {
	f.Add([]byte(`{"a":{"b":[1]}}`), `a.b.0=2`)
	f.Add([]byte(`null`), `=`)
	f.Add([]byte(`[]`), `x={"y":1}`)
	f.Add([]byte(`{"a":5}`), `a.b.c=x`)
	f.Fuzz(func(t *testing.T, payload []byte, assignment string) {
		out, err := inspect.Set(payload, assignment)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		require.True(t, json.Valid(out), "%q", out)
		again, err := inspect.Set(out, assignment)
		require.NoError(t, err)
		require.JSONEq(t, string(out), string(again), "setting twice is setting once")
	})
}

// says is a hook that ends as the fuzzer chooses.
type says struct{ exit hooks.Exit }

func (s says) Run(context.Context, hooks.Hook, hooks.Payload, []string) hooks.Exit { return s.exit }

// FuzzFire checks that any payload and any answer yield a report or an error. Exit code
// 2 blocks if the event can be blocked, a report survives its JSON form, and its text
// is safe for a terminal.
func FuzzFire(f *testing.F) {
	for _, ev := range protocol.Events {
		sample, err := inspect.Sample(ev, "")
		require.NoError(f, err)
		f.Add(sample, `{"decision":"deny","reason":"no","hookSpecificOutput":{"tool_input":{"a":1}}}`, "", 0)
		f.Add(sample, `"{\"decision\":\"block\"}"`, "no\x1b[2J", 2)
	}
	f.Add([]byte(`{"hook_event_name":"BeforeTool","tool_name":5}`), `{"hookSpecificOutput":{"llm_request":{"messages":[null]}}}`, "\xff", 1)
	f.Add([]byte(`null`), `[]`, "", -1)
	f.Fuzz(func(t *testing.T, payload []byte, stdout, stderr string, code int) {
		var head struct {
			Event protocol.Event `json:"hook_event_name"`
		}
		_ = json.Unmarshal(payload, &head)
		if code = code % 256; code < 0 {
			code = -code
		}
		run := says{hooks.Exit{Code: code, Stdout: []byte(stdout), Stderr: []byte(stderr), Duration: time.Millisecond}}
		h := hooks.Hook{Event: head.Event, Command: "guard x $(", Name: "guard"}
		rep, err := inspect.Fire(t.Context(), &hooks.Engine{Config: hooks.Config{Hooks: []hooks.Hook{h}}, Runner: run, Patience: time.Second}, payload)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		if code == 2 && head.Event == protocol.BeforeTool && len(rep.Runs) == 1 && rep.Runs[0].Skipped == "" {
			require.NotEqual(t, hooks.Proceed, rep.Verdict.Decision, "%s", stdout)
		}
		once, err := json.Marshal(rep)
		require.NoError(t, err)
		var back hooks.Report
		require.NoError(t, json.Unmarshal(once, &back), "%s", once)
		twice, err := json.Marshal(back)
		require.NoError(t, err)
		require.JSONEq(t, string(once), string(twice))
		shown := inspect.Text{}.Report(rep)
		require.Equal(t, shown, text.Clean(shown))
		config.Calls(hooks.Hook{Command: stdout}, "/", nil)
	})
}
