package terminal

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/internal/waittest"
	"minigem/tools"
	"minigem/tools/policy"
	"minigem/tools/toolcall"
)

// always holds the lasting outcomes that most questions offer.
var always = []policy.Outcome{policy.ProceedAlways}

// TestPermissions checks the choices for each kind of call, in the contract's order.
func TestPermissions(t *testing.T) {
	t.Parallel()
	edit := tools.Intent{Edit: &tools.EditIntent{FileName: "a.txt"}}
	command := tools.Intent{Exec: &tools.ExecIntent{Command: "npm test"}}
	for _, c := range []struct {
		name     string
		q        toolcall.Question
		onceOnly bool
		want     []policy.Outcome
	}{
		{"edit", toolcall.Question{Intent: edit, Modifiable: true, Lasting: always}, false,
			[]policy.Outcome{policy.ProceedOnce, policy.ProceedAlways, policy.Cancel}},
		{"command", toolcall.Question{Intent: command, Lasting: always}, false,
			[]policy.Outcome{policy.ProceedOnce, policy.ProceedAlways, policy.Cancel}},
		{"command that the sandbox can confine",
			toolcall.Question{Intent: command, Lasting: append(always, policy.ProceedAlwaysSandbox)}, false,
			[]policy.Outcome{policy.ProceedOnce, policy.ProceedAlways, policy.Cancel, policy.ProceedAlwaysSandbox}},
		{"command that no rule settles", toolcall.Question{Intent: command}, false,
			[]policy.Outcome{policy.ProceedOnce, policy.Cancel}},
		{"MCP", toolcall.Question{Intent: tools.Intent{MCP: &tools.MCPOrigin{Server: "s", Tool: "t"}},
			Lasting: []policy.Outcome{policy.ProceedAlwaysTool, policy.ProceedAlwaysServer}}, false,
			[]policy.Outcome{policy.ProceedOnce, policy.ProceedAlwaysTool, policy.ProceedAlwaysServer, policy.Cancel}},
		{"nothing may last", toolcall.Question{Intent: edit, Lasting: always}, true,
			[]policy.Outcome{policy.ProceedOnce, policy.Cancel}},
	} {
		a := &Approver{View: NewView(&Terminal{}, true), OnceOnly: c.onceOnly}
		var got []policy.Outcome
		for _, p := range a.permissions(c.q) {
			got = append(got, p.outcome)
		}
		assert.Equal(t, c.want, got, c.name)
	}
}

// A question shows in full what it is about, and makes hidden characters visible.
func TestVisible(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "ls<U+001B>[2K<U+000D>rm <U+202E>x\n\ty", visible("ls\x1b[2K\rrm \u202ex\n\ty"))
}

// TestQuestionsCleanUp checks that one line of a question remains once it is answered.
// If the window is too low to show what it is about, that is printed first, and remains
// too.
func TestQuestionsCleanUp(t *testing.T) {
	t.Parallel()
	short := &tools.ExecIntent{Command: "touch a"}
	long := &tools.ExecIntent{Command: "touch a" + strings.Repeat("\n# line", 30)}
	for _, c := range []struct {
		name, keys string
		ahead      string // typed before the question
		intent     *tools.ExecIntent
		outcome    policy.Outcome
		want       string
		printed    bool
	}{
		{"yes", "y\r", "", short, policy.ProceedOnce, "Allow execution of: 'touch a'? Yes, allow once\n", false},
		{"one key", "1", "", short, policy.ProceedOnce, "Allow execution of: 'touch a'? Yes, allow once\n", false},
		{"a letter of a word", "y|\x15n\r", "", short, policy.Cancel, "Allow execution of: 'touch a'? No\n", false},
		{"one number", "2", "", short, policy.ProceedAlways,
			"Allow execution of: 'touch a'? Allow touch for this session, whatever it does\n", false},
		{"a number after words", "2|nd\x15n\r", "a bit of the next pro", short, policy.Cancel,
			"Allow execution of: 'touch a'? No\n", false},
		{"more than a key", "yes\r", "", short, policy.ProceedOnce, "Allow execution of: 'touch a'? Yes, allow once\n",
			false},
		{"the marked one", "\x1b[B\r", "", short, policy.ProceedAlways,
			"Allow execution of: 'touch a'? Allow touch for this session, whatever it does\n", false},
		{"no, and why", "n not now\r", "", short, policy.Cancel, "Allow execution of: 'touch a'? No: not now\n", false},
		{"escape", "\x03", "", short, policy.Cancel, "Allow execution of: 'touch a'? Cancelled\n", false},
		{"what does not fit", "y\r", "", long, policy.ProceedOnce, "Yes, allow once\n", true},
	} {
		s := newScene(style{plain: true}, 60)
		s.spin.hidden = true
		s.keys.receive([]byte(c.ahead))
		a := &Approver{View: s.View}
		answered := make(chan toolcall.Answer, 1)
		go func() {
			answered <- a.Approve(
				t.Context(), toolcall.Question{Intent: tools.Intent{Title: "Confirm Shell Command", Exec: c.intent},
					Lasting: always})
		}()
		waittest.Until(t, func() bool {
			s.screen.mu.Lock()
			defer s.screen.mu.Unlock()
			return strings.Contains(s.out.String(), "[1] ")
		})
		s.screen.mu.Lock()
		assert.Contains(t, s.out.String(), "$ touch a", c.name)
		assert.NotContains(t, s.out.String(), "'touch a'", c.name+": once is enough")
		s.screen.mu.Unlock()
		first, rest, more := strings.Cut(c.keys, "|")
		s.keys.receive([]byte(first))
		waittest.Until(t, func() bool {
			s.screen.mu.Lock()
			defer s.screen.mu.Unlock()
			return !more || len(answered) > 0 || strings.Contains(s.out.String(), "[1] "+first)
		})
		s.keys.receive([]byte(rest))
		answer := <-answered
		assert.Equal(t, c.outcome, answer.Outcome, c.name)
		out := s.out.String()
		assert.Equal(t, c.printed, strings.HasPrefix(out, "? Confirm Shell Command\n"), c.name)
		last := out[strings.LastIndex(out, "\x1b[J")+len("\x1b[J"):]
		assert.True(t, strings.HasSuffix(last, c.want), "%s: %q", c.name, last)
		assert.NotContains(t, last, "1. Yes", c.name)
	}
}

// TestEnterRightAfterAKey checks that an Enter pressed out of habit after a one-key answer
// belongs to that answer, not to the next question.
func TestEnterRightAfterAKey(t *testing.T) {
	t.Parallel()
	s := newScene(style{plain: true}, 60)
	s.spin.hidden = true
	a := &Approver{View: s.View}
	ask := func(name string) <-chan toolcall.Answer {
		answered := make(chan toolcall.Answer, 1)
		go func() {
			answered <- a.Approve(t.Context(), toolcall.Question{Intent: tools.Intent{Exec: &tools.ExecIntent{Command: name}}})
		}()
		waittest.Until(t, func() bool {
			s.screen.mu.Lock()
			defer s.screen.mu.Unlock()
			return strings.Contains(s.out.String(), "$ "+name)
		})
		return answered
	}
	first := ask("touch a")
	s.keys.receive([]byte("1"))
	assert.Equal(t, policy.ProceedOnce, (<-first).Outcome)
	second := ask("touch b")
	s.keys.receive([]byte("\r"))
	s.keys.receive([]byte("n"))
	s.keys.receive([]byte("\r"))
	assert.Equal(t, policy.Cancel, (<-second).Outcome)
}

// TestQuestionSaysWhy checks that a question says why the policy asks about the call.
func TestQuestionSaysWhy(t *testing.T) {
	t.Parallel()
	s := newScene(style{plain: true}, 60)
	a := &Approver{View: s.View}
	q := toolcall.Question{Intent: tools.Intent{Exec: &tools.ExecIntent{Command: "echo $x"}},
		Why: "echo $x: it is not\x1b[31m known"}
	assert.Contains(t, a.show(q), "  Asked because echo $x: it is not")
	assert.NotContains(t, a.show(q), "\x1b")
	assert.NotContains(t, a.show(toolcall.Question{}), "because")
}
