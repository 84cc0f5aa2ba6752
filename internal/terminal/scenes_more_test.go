package terminal

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"minigem/agent/event"
	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/internal/slash"
	"minigem/internal/waittest"
	"minigem/llm"
	"minigem/tools"
	"minigem/tools/policy"
	"minigem/tools/toolcall"
)

// moves matches the sequences that redraw a frame.
var moves = regexp.MustCompile(`\x1b\[\??[0-9;]*[A-Za-ln-z]|\r`)

// seen returns what was written so far, with only the last of the frames drawn in one
// place.
func (c *scene) seen() string {
	c.screen.mu.Lock()
	defer c.screen.mu.Unlock()
	out := c.out.String()
	if i := strings.LastIndex(out, "\x1b[J"); i >= 0 {
		out = out[i:]
	}
	return strings.Trim(moves.ReplaceAllString(out, ""), "\n") + "\n"
}

// asked shows a question as it appears, and what remains of it after keys.
func (c *scene) asked(q toolcall.Question, keys string) string {
	c.out.Reset()
	answered := make(chan toolcall.Answer, 1)
	go func() { answered <- (&Approver{View: c.View, Dir: "/p"}).Approve(c.test.Context(), q) }()
	waittest.Until(c.test, func() bool { return strings.Contains(c.seen(), "[1]") })
	open := c.seen()
	c.keys.receive([]byte(keys))
	<-answered
	return "--- asked:\n" + open + "--- answered:\n" + c.seen()
}

func init() {
	scenes["question"] = func(c *scene) {
		c.spin.hidden = true
		q := toolcall.Question{
			Call:    llm.ToolCall{Name: "run_shell_command", Args: map[string]any{"description": "Publishes the work"}},
			Why:     "the rule in ~/.gemini/policies/mine.toml wants it asked",
			Lasting: append(always, policy.ProceedAlwaysSandbox),
			Intent: tools.Intent{Title: "Confirm Shell Command", Exec: &tools.ExecIntent{
				Command: "git push origin main && echo 'a command that is longer than a narrow window'", Root: "git"}},
		}
		edit := toolcall.Question{Lasting: always, Intent: tools.Intent{Title: "Apply this change?", Edit: &tools.EditIntent{
			FileName: "a.go", Diff: "--- a.go\n+++ a.go\n@@ -1,2 +1,2 @@\n-old\n+new\n same\n"}}}
		shown := c.asked(q, "n not to main\r") + c.asked(edit, "1")
		c.out.Reset()
		c.Emit(event.ToolFinished{Record: event.ToolRecord{DisplayName: "Shell", Description: "git push --force origin main",
			Status: event.ToolCancelled}})
		for _, name := range []string{"b.go", "c.go"} {
			c.Emit(event.ToolFinished{
				Record: event.ToolRecord{
					Call:         llm.ToolCall{Name: "write_file", Args: map[string]any{"file_path": name, "content": "x"}},
					Status:       event.ToolCancelled,
					ErrorMessage: "not run: the user refused a call before it"}})
		}
		shown += "--- refused:\n" + c.out.String()
		c.out.Reset()
		c.out.WriteString(shown)
	}
	scenes["hooks"] = func(c *scene) {
		run := func(name string, d hooks.Decision) hooks.Run {
			return hooks.Run{Hook: hooks.Hook{Name: name}, Decision: d}
		}
		c.Hook(hooks.Report{Event: protocol.BeforeTool, Subject: "read_file", Runs: []hooks.Run{run("quiet", hooks.Proceed)},
			Duration: 3 * time.Millisecond})
		c.Hook(hooks.Report{Event: protocol.BeforeTool, Subject: "write_file",
			Runs: []hooks.Run{run("keep-tests", hooks.Deny)}, Duration: 12 * time.Millisecond,
			Verdict: hooks.Verdict{
				Decision: hooks.Deny, Reason: "test.sh is not yours to change: fix the code that it tests, in slug.sh, instead."},
			Effect: hooks.Effect{Kind: hooks.EffectDeny}})
		for _, name := range []string{"test.sh", "other.sh"} { // the reason is in the hook lane of the first
			c.Emit(event.ToolFinished{Record: event.ToolRecord{Call: llm.ToolCall{Args: map[string]any{"file_path": name}},
				DisplayName: "WriteFile", Status: event.ToolError,
				ErrorMessage: "Tool execution blocked: test.sh is not yours to change: fix the code that it tests, in slug.sh, " +
					"instead."}})
		}
		c.Hook(hooks.Report{Event: protocol.BeforeTool, Subject: "run_shell_command",
			Runs: []hooks.Run{run("staging-only", hooks.Proceed), run("log", hooks.Proceed)}, Duration: 40 * time.Millisecond,
			Effect: hooks.Effect{Kind: hooks.EffectRewrite, Before: []byte(`{"command":"bash deploy.sh production"}`),
				After: []byte(`{"command":"bash deploy.sh staging"}`)}})
		c.Hook(hooks.Report{Event: protocol.AfterAgent, Runs: []hooks.Run{run("finish", hooks.Deny)},
			Duration: 1200 * time.Millisecond,
			Verdict:  hooks.Verdict{Decision: hooks.Deny, Reason: "The tests were not run."},
			Effect:   hooks.Effect{Kind: hooks.EffectRetry}})
		c.Hook(hooks.Report{Event: protocol.SessionStart, Subject: "startup", Runs: []hooks.Run{run("branch", hooks.Proceed)},
			Duration: 5 * time.Millisecond, Messages: []hooks.Message{
				{Hook: "branch", Kind: hooks.MessageSystem, Text: "You are on main."},
				{Hook: "log", Kind: hooks.MessageFailure,
					Text: "the hook \"log\" failed: exit status 1: cannot write to log.txt"}}})
		c.Failure(errors.New("the model is not there"))
	}
	scenes["status"] = func(c *scene) {
		for _, mode := range []string{"default", "auto_edit", "plan", "yolo"} {
			c.term.status = Status{Mode: mode, Trouble: "2 hooks failed",
				Rest: []string{"gemini-2.5-pro", "~/project (main)", "98% context left", "12345 tokens"}}
			width, _ := c.term.Size()
			fmt.Fprintf(&c.out, "%s%s\n%s\n", c.term.mark(), c.style.dim(Hint), c.term.statusRow(width-1))
		}
	}
	scenes["resume"] = func(c *scene) {
		said := []llm.Message{llm.UserText("gone"), llm.ModelText("gone"),
			llm.UserText("<state_snapshot>short</state_snapshot>"),
			llm.UserText(slash.Ran("seq 10", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n")),
			llm.UserText("Mend the tests\nof slug.sh, and say in one long sentence what was wrong with them, please"),
			llm.ModelText("They **expected** `-`:\n\n- one\n- two"), llm.UserText("<hook_context>x</hook_context>"),
			{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: "Thanks, see @a.go"}, llm.Text{Text: "\n--- Content from " +
				"referenced files ---"}, llm.Text{Text: "\npackage a"}}}}
		c.Replay(said)
	}
}

// TestCountedAsItStreams streams a list of 30 items for 8 s, in pieces of a few
// letters, and counts how many are readable at the end of each second. All that have
// arrived must be, including the unfinished one.
func TestCountedAsItStreams(t *testing.T) {
	t.Parallel()
	var list strings.Builder
	for i := range 30 {
		fmt.Fprintf(&list, "%d. item number %d of the list;\n", i+1, i+1)
	}
	const seconds, pieces = 8, 160 // one piece per 50 ms
	text := list.String()
	for _, width := range []int{40, 80, 120, 200} {
		c := newScene(style{plain: true}, width)
		var seen, came []int
		for p := range pieces {
			c.Emit(event.TextDelta{Text: text[p*len(text)/pieces : (p+1)*len(text)/pieces]})
			if (p+1)%(pieces/seconds) == 0 {
				seen = append(seen, strings.Count(c.out.String()+strings.Join(c.live.rows(width, 22), "\n"), "item number"))
				came = append(came, strings.Count(text[:(p+1)*len(text)/pieces], "item number"))
			}
		}
		assert.Equal(t, came, seen, "%d columns", width)
		assert.Equal(t, []int{4, 8, 12, 15, 19, 23, 26, 30}, seen, "%d columns", width)
	}
}
