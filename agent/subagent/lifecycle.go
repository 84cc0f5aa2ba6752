package subagent

import (
	"context"
	"fmt"
	"strings"

	"minigem/agent/event"
	"minigem/hooks"
	"minigem/tools"
	"minigem/tools/toolcall"
)

// defaultRetries is how often hooks may send an agent on if Config does not say.
const defaultRetries = 10

// start asks the hooks whether an agent may begin, and returns what they add to its
// prompt.
func (o *Options) start(ctx context.Context, t Task) (added string, err error) {
	if o.Hooks == nil {
		return "", nil
	}
	out := o.Hooks.SubagentStart(ctx, t.Prompt)
	switch {
	case out.Decision == hooks.Stop:
		return "", &toolcall.Halt{Event: "SubagentStart", Verdict: out.Verdict}
	case out.Denied():
		o.emit(event.Nested{Agent: t.Agent.Name, Event: event.Blocked{Event: "SubagentStart", Reason: out.Reason}})
		return "", &tools.Error{Type: tools.ErrPolicyViolation, Message: fmt.Sprintf("Subagent '%s' was not started: %s",
			t.Agent.Name, out.Reason)}
	}
	return out.Context, nil
}

// stopped asks the hooks about an ending. If on, the agent goes on with the text of the
// outcome as its prompt. Only a result and a missing result can be mended by going on;
// what hooks say about other endings is for the caller's model.
func (c *child) stopped(ctx context.Context, out outcome, again int) (next outcome, on bool) {
	c.refused = ""
	if c.o.Hooks == nil || out.why == halted || out.why == canceled {
		return out, false
	}
	told := c.o.Hooks.SubagentStop(ctx, hooks.SubagentEnd{
		Prompt: c.task.Prompt, Response: out.text, Ending: string(out.why), Again: again > 0, Transcript: c.record.Path,
	})
	if told.Decision == hooks.Stop {
		c.agent.Sink.Emit(event.Stopped{Event: "SubagentStop", Reason: told.Reason})
		return outcome{halted, told.Reason}, false
	}
	if !told.Denied() && told.Context == "" || ctx.Err() != nil {
		return out, false
	}
	if told.Denied() {
		c.agent.Sink.Emit(event.Blocked{Event: "SubagentStop", Reason: told.Reason})
	}
	if most := c.retries(); out.why != goal && out.why != silent || again >= most {
		c.refused = told.Reason
		if again >= most && told.Denied() {
			c.agent.Sink.Emit(event.Notice{Severity: "warning", Text: fmt.Sprintf(
				"SubagentStop hook %s refused %d results of %s in a row; the last one stands. Its reason: %s",
				strings.Join(told.Hooks, ", "), again+1, c.task.Agent.Name, told.Reason)})
		}
		return out, false
	}
	return outcome{text: strings.Trim(told.Reason+"\n\n"+told.Context, "\n")}, true
}

// retries returns how often hooks may send the agent on.
func (c *child) retries() int {
	if n := c.o.Config.MaxRetries; n > 0 {
		return n
	}
	return defaultRetries
}
