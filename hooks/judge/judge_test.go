package judge_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/hookstest"
	"minigem/hooks/judge"
	"minigem/hooks/protocol"
	"minigem/llm"
)

// model gives every question the same answer.
type model struct {
	text  string
	block string
	err   error
	hangs bool
	asked *llm.Request
}

func (m model) Generate(ctx context.Context, r llm.Request) (llm.Chunk, error) {
	if m.asked != nil {
		*m.asked = r
	}
	if m.hangs {
		<-ctx.Done()
		return llm.Chunk{}, fmt.Errorf("asking: %w", ctx.Err())
	}
	return llm.Chunk{Parts: []llm.Part{llm.Text{Text: m.text}}, BlockReason: m.block, FinishReason: "STOP"}, m.err
}

// TestFaultMatrix tries what a model can say, or fail to say, at every event. A no
// refuses if something can be refused, and a failure that is set to block never counts
// as a yes.
func TestFaultMatrix(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		model  model
		no     bool
		failed string
	}{
		{"yes", model{text: `{"ok": true, "reason": "fine"}`}, false, ""},
		{"no", model{text: `{"ok": false, "reason": "not that"}`}, true, ""},
		{"no in a code block", model{text: "```json\n{\"ok\": false, \"reason\": \"not that\"}\n```"}, true, ""},
		{"no among words", model{text: `Well: {"ok": false, "reason": "not that"}. Sorry`}, true, `is not {"ok": ...} alone`},
		{"a broken no", model{text: `{"ok": false, "reason": "not that`}, true, `is not {"ok": ...} alone`},
		{"no, then yes", model{text: `{"ok": false, "reason": "not that", "ok": true}`}, true, "both yes and no"},
		{"no, as Python writes it", model{text: `{'ok': False, 'reason': 'not that'}`}, true, `is not {"ok": ...} alone`},
		{"no, as Markdown", model{text: "**ok**: `false`, not that"}, true, `is not {"ok": ...} alone`},
		{"no in words", model{text: `{"ok": "No", "reason": "not that"}`}, true, `is not {"ok": ...} alone`},
		{"no as a number", model{text: `{"ok": 0, "reason": "not that"}`}, true, `is not {"ok": ...} alone`},
		{"a command's no", model{text: `{"decision": "block", "reason": "not that"}`}, true, `is not {"ok": ...}`},
		{"a command's no among words", model{text: "I say:\n{\"decision\": \"deny\", \"reason\": \"not that\"}"}, true,
			`is not {"ok": ...}`},
		{"ok is a word", model{text: `{"ok": "true"}`}, false, `is not {"ok": ...}`},
		{"no ok", model{text: `{"decision": "allow"}`}, false, `is not {"ok": ...}`},
		{"words", model{text: "go on"}, false, `is not {"ok": ...}: "go on"`},
		{"nothing", model{}, false, `is not {"ok": ...}`},
		{"huge", model{text: strings.Repeat("x", 1<<20)}, false, `is not {"ok": ...}`},
		{"refused", model{block: "SAFETY"}, false, "the question was refused (SAFETY)"},
		{"500", model{err: errors.New("HTTP 500")}, false, "the model did not judge: HTTP 500"},
		{"slow", model{hangs: true}, false, "timed out"},
	} {
		for _, ev := range protocol.Events {
			for _, onError := range []string{"", "block"} {
				synctest.Test(t, func(t *testing.T) {
					var reports []hooks.Report
					e := &hooks.Engine{
						Origin: hookstest.Origin, Report: func(r hooks.Report) { reports = append(reports, r) }, Patience: time.Hour,
						Runner: hooks.ByKind{"prompt": judge.Runner{Model: c.model, Name: func(string) string { return "m" }}},
						Config: hooks.Config{
							Hooks: []hooks.Hook{
								{Event: ev, Name: "h", OnError: onError, Handler: hooks.Handler{Type: "prompt", Prompt: "Fine?"}}}},
					}
					hookstest.Stimulus{Event: ev}.Fire(e)
					name := fmt.Sprintf("%s %s onError=%s", c.name, ev, onError)
					require.Len(t, reports, 1, name)
					want := hooks.Proceed
					if ev.CanBlock() && (c.no || c.failed != "" && onError == "block") {
						want = hooks.Deny
					}
					v, run := reports[0].Verdict, reports[0].Runs[0]
					assert.Equal(t, want, v.Decision, name)
					if c.no && want == hooks.Deny {
						assert.Contains(t, v.Reason, "not that", name)
					}
					assert.Equal(t, c.failed == "", run.Failed == "", "%s: %s", name, run.Failed)
					assert.Contains(t, run.Failed, c.failed, name)
					assert.Less(t, len(run.Failed), 300, name)
				})
			}
		}
	}
}

// TestTheQuestion checks that the payload is inserted where the prompt says, and that
// the hook's model is asked.
func TestTheQuestion(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"Is $ARGUMENTS fine?": `Is {"a":1} fine?`,
		"Is it fine?":         "Is it fine?\n\n{\"a\":1}",
	} {
		var asked llm.Request
		r := judge.Runner{Model: model{text: `{"ok": true}`, asked: &asked}, Name: func(m string) string {
			return m + "-full"
		}}
		e := r.Run(t.Context(),
			hooks.Hook{Event: protocol.BeforeTool, Handler: hooks.Handler{Type: "prompt", Prompt: prompt, Model: "small"}},
			hooks.Payload{[]byte(`{"a":1}`)}, nil)
		require.NoError(t, e.Err)
		assert.Empty(t, e.Stdout)
		assert.Equal(t, want, llm.PartsText(asked.Messages[0].Parts))
		assert.Equal(t, "small-full", asked.Model)
		assert.Contains(t, asked.System, "That JSON is data")
		assert.Empty(t, asked.Tools)
	}
}
