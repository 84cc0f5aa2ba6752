package terminal

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/agent/event"
	"minigem/internal/waittest"
	"minigem/tools"
	"minigem/tools/builtin"
	"minigem/tools/policy"
	"minigem/tools/toolcall"
)

// eager answers instantly. It presses keys inside the write that shows the awaited
// words, sooner than any person or program could.
type eager struct {
	io.Writer
	press  func([]byte)
	script []string // words and keys in turn
	writes []string // the writes that contained the words
}

func (e *eager) Write(p []byte) (int, error) {
	n, err := e.Writer.Write(p)
	if len(e.script) > 0 && bytes.Contains(p, []byte(e.script[0])) {
		keys := e.script[1]
		e.script, e.writes = e.script[2:], append(e.writes, string(p))
		e.press([]byte(keys))
	}
	return n, err
}

// eagerScene returns a scene whose user answers each word with the keys that follow it.
func eagerScene(s style, script ...string) (*scene, *eager) {
	c := newScene(s, 60)
	c.spin.hidden = true
	e := &eager{Writer: &c.out, press: c.term.keys.receive, script: script}
	c.term.screen.out = e
	return c, e
}

// TestKeysCountOnceAQuestionIsSeen checks that keys pressed as soon as the first words
// of a question appear answer it, and that those words are written together with the
// rest of it.
func TestKeysCountOnceAQuestionIsSeen(t *testing.T) {
	t.Parallel()
	ask := func(q builtin.Question) func(context.Context, *scene) any {
		return func(ctx context.Context, c *scene) any {
			q.Header, q.Question = "Head", "What?"
			answers, ok, err := (&Questioner{View: c.View}).AskQuestions(ctx, []builtin.Question{q})
			return []any{answers[0], ok, err}
		}
	}
	two := []builtin.Option{{Label: "One", Description: "1st"}, {Label: "Two", Description: "2nd"}}
	choices := []Choice{{Label: "No", Keys: []string{"n"}}, {Label: "Yes", Keys: []string{"y"}}}
	for _, c := range []struct {
		name, first, keys, last string // last: the end of the question
		ask                     func(context.Context, *scene) any
		want                    any
	}{
		{"yes or no", "Head", "n\r", "[1]", ask(builtin.Question{Type: "yesno"}), []any{"No", true, nil}},
		{"a choice", "Head", "2\r", "[1]", ask(builtin.Question{Type: "choice", Options: two}), []any{"Two", true, nil}},
		{"several", "Head", "1 2\r", "none): ", ask(builtin.Question{Type: "choice", MultiSelect: true, Options: two}), []any{"One, Two", true, nil}},
		{"a text", "Head", "so\r", "answer: ", ask(builtin.Question{Type: "text"}), []any{"so", true, nil}},
		{"dismissed", "Head", keyInterrupt, "answer: ", ask(builtin.Question{Type: "text"}), []any{"", false, nil}},
		{"a permission", "touch a", "1", "[1]", func(ctx context.Context, c *scene) any {
			return (&Approver{View: c.View}).Approve(ctx, toolcall.Question{Intent: tools.Intent{Exec: &tools.ExecIntent{Command: "touch a"}}}).Outcome
		}, policy.ProceedOnce},
		{"lines above", "Three files", "y\r", "[1]", func(ctx context.Context, c *scene) any {
			i, _, ok := c.term.Choose(ctx, "Three files\nwould change", "Change them?", choices)
			return []any{i, ok}
		}, []any{1, true}},
		{"a secret", "A key", "hidden\r", "Key: ", func(ctx context.Context, c *scene) any {
			d := c.term.Dialogue()
			defer d.End()
			said, _ := d.AskSecret(ctx, "A key is needed", "Key: ")
			return said
		}, "hidden"},
	} {
		for _, s := range []style{{plain: true}, {plain: true, dumb: true}} {
			ctx, cancel := context.WithCancel(waittest.Context(t))
			scene, e := eagerScene(s, c.first, c.keys)
			scene.Emit(event.TextDelta{Text: "half a line"})
			require.Equal(t, c.want, c.ask(ctx, scene), c.name)
			require.Len(t, e.writes, 1, c.name)
			assert.Contains(t, e.writes[0], c.last, "%s: in one write", c.name)
			assert.Empty(t, scene.term.keys.queue, c.name)
			cancel()
		}
	}
}

// TestKeysStayInADialogue checks that keys typed between two questions go to the next
// one, even while work runs between them.
func TestKeysStayInADialogue(t *testing.T) {
	t.Parallel()
	c, _ := eagerScene(style{plain: true}, "First", "one\r", "one\n", "two\r")
	d := c.term.Dialogue()
	answer := func(question string) []any {
		line, ok := d.Ask(waittest.Context(t), "", question)
		return []any{line, ok}
	}
	assert.Equal(t, []any{"one", true}, answer("First: "))
	assert.Equal(t, []any{"two", true}, answer("Second: "))
	c.Work("trying", nil, func() {
		c.term.keys.receive([]byte("three\r"))
		assert.Empty(t, c.term.keys.ahead(), "it may be a secret")
	})
	assert.Equal(t, []any{"three", true}, answer("Third: "))
	c.term.keys.receive([]byte(pasteStart + "four" + pasteEnd + "\r"))
	assert.Equal(t, []any{"four", true}, answer("Fourth: "))
	stopped := make(chan bool, 1)
	c.Work("trying", func(ctrlC bool) { stopped <- ctrlC }, func() {
		c.keys.receive([]byte("not this\r" + keyInterrupt))
	})
	assert.True(t, waittest.Closed(t, stopped), "^C stops work")
	for _, keys := range []string{"five\r", "then\r", "this\r"} { // at once they would pass for a paste
		c.keys.receive([]byte(keys))
	}
	assert.Equal(t, []any{"five", true}, answer("Fifth: "))
	d.End()
	assert.Equal(t, "then⏎this", c.keys.ahead(), "what no question took is for the prompt, which sends nothing of it")
	d.End()
}

// TestNothingTypedBeforePermits checks that keys typed before a permission was asked
// for never grant it. They wait for the prompt.
func TestNothingTypedBeforePermits(t *testing.T) {
	t.Parallel()
	permission := func(c *scene) policy.Outcome {
		return (&Approver{View: c.View}).Approve(waittest.Context(t), toolcall.Question{Intent: tools.Intent{Exec: &tools.ExecIntent{Command: "touch a"}}}).Outcome
	}
	for _, c := range []struct{ name, before, seen, ahead string }{
		{"a number", "1", "\x15n\r", "1"},
		{"an answer", "y\r", "\x15n\r", "y⏎"},
		{"a paste that ends later", pasteStart + "1", pasteEnd + "n\r", "1"},
		{"a paste without brackets", "1\r\r\r\r\r\r\r\r\r\r", "", "[pasted: 10 lines]"},
		{"half a key", "\x1b[", "Bn\r", ""},
	} {
		scene, _ := eagerScene(style{plain: true}, "touch a", c.seen)
		scene.keys.receive([]byte(c.before))
		if c.seen == "" {
			scene.screen.out.(*eager).script[1] = "y"
			scene.screen.out.(*eager).press = func([]byte) {
				scene.keys.expire()
				scene.keys.receive([]byte("n\r"))
			}
		}
		assert.Equal(t, policy.Cancel, permission(scene), c.name)
		assert.Equal(t, c.ahead, strings.TrimRight(scene.keys.ahead(), "\r"), c.name)
	}

	// The same holds within a dialogue.
	scene, _ := eagerScene(style{plain: true}, "Name", "x\ry\r", "Sure?", "n\r")
	d := scene.term.Dialogue()
	name, _ := d.Ask(waittest.Context(t), "", "Name: ")
	i, _, ok := d.Confirm(waittest.Context(t), "", "Sure?", []Choice{{Label: "No", Keys: []string{"n"}}, {Label: "Yes", Keys: []string{"y"}}})
	d.End()
	assert.Equal(t, []any{"x", 0, true}, []any{name, i, ok})
	assert.Equal(t, "y", scene.keys.ahead())
}

// TestOneDialogueAtATime checks that a question waits until another dialogue ends, or
// until its context does.
func TestOneDialogueAtATime(t *testing.T) {
	t.Parallel()
	c, _ := eagerScene(style{plain: true}, "First", "1\r", "Second", "2\r")
	d := c.term.Dialogue()
	_, ok := d.Ask(waittest.Context(t), "", "First: ")
	require.True(t, ok)
	ended, end := context.WithCancel(t.Context())
	end()
	_, _, ok = c.term.Choose(ended, "", "Never", []Choice{{Label: "x"}})
	assert.False(t, ok)
	second := make(chan int)
	go func() {
		i, _, _ := c.term.Choose(waittest.Context(t), "", "Second", []Choice{{Label: "x"}, {Label: "y"}})
		second <- i
	}()
	d.End()
	assert.Equal(t, 1, waittest.Closed(t, second))
	assert.NotContains(t, c.out.String(), "Never")
}
