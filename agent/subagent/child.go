package subagent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"minigem/agent"
	"minigem/agent/event"
	"minigem/hooks"
	"minigem/tools"
	"minigem/tools/toolcall"
)

// reason is why an agent ended (core/agents/types.ts).
type reason string

// The endings of Gemini CLI, and HALTED, which is minigem's.
const (
	goal     reason = "GOAL"
	turns    reason = "MAX_TURNS"
	timeout  reason = "TIMEOUT"
	silent   reason = "ERROR_NO_COMPLETE_TASK_CALL"
	failure  reason = "ERROR"
	halted   reason = "HALTED"  // a hook said "continue": false
	canceled reason = "ABORTED" // the caller's context ended
)

// child is one run of an agent.
type child struct {
	o       *Options
	task    Task
	worker  *worker
	agent   *agent.Agent
	record  Record
	used    int    // requests so far
	refused string // why a SubagentStop hook refuses the result, if the agent cannot go on
	stopper string // the hook event that ended a run of the agent
}

// begin makes the agent of a task with the tools own; added is what SubagentStart hooks
// say to it.
func begin(o *Options, t Task, own []tools.Tool, added string, live func(string)) *child {
	c := &child{o: o, task: t, record: Record{History: &agent.Memory{}}}
	if o.Record != nil {
		c.record = o.Record(c.task)
	}
	sink := event.Tee(c.record.Sink, event.SinkFunc(func(e event.Event) { c.tell(e, live) }))
	c.worker = newWorker(o.Runner(), t.Agent, own, o.Offered)
	c.worker.Sink = sink
	c.agent = &agent.Agent{
		Model: o.Model, History: c.record.History, Tools: c.worker, Sink: sink, Config: c.config(),
	}
	if o.Hooks != nil {
		c.agent.Hooks = inner{o.Hooks, added}
	}
	if o.Compressor != nil {
		c.agent.Compressor = o.Compressor(c.record.History, c.agent.Config.Model)
	}
	return c
}

// tell passes on what happens.
func (c *child) tell(e event.Event, live func(string)) {
	switch e := e.(type) {
	case event.ToolStarted:
		if e.Call.Name != CompleteName {
			live(fmt.Sprintf("%s: %s\n", cmp.Or(e.DisplayName, e.Call.Name), e.Description))
		}
	case event.Stopped:
		c.stopper = e.Event
	case event.Blocked:
		c.stopper = e.Event
	}
	if _, ok := e.(event.Notice); !ok { // notices are always for the user
		e = event.Nested{Agent: c.task.Agent.Name, Event: e}
	}
	c.o.emit(e)
}

// emit gives e to the Sink, if there is one.
func (o *Options) emit(e event.Event) {
	if o.Sink != nil {
		o.Sink.Emit(e)
	}
}

// rules follow the instructions of every agent.
const rules = `# How you work

You do one task, alone: nobody answers questions, and nobody reads what you write besides your calls. Use ` +
	`absolute paths. When you are done, or cannot go on, call ` + CompleteName + ` with your result: whoever ` +
	`gave you the task sees nothing else of you.`

// config returns the caller's configuration with the agent's model, instructions and
// temperature. Limits of the caller's session do not count.
func (c *child) config() agent.Config {
	d, config := c.task.Agent, c.o.Config
	config.Model, config.Role = cmp.Or(d.Model, config.Model), "subagent"
	if d.Temperature != nil {
		config.Sampling.Temperature = d.Temperature
	}
	if c.o.Choose != nil {
		config.Model, config.Sampling = c.o.Choose(d)
	}
	own := strings.ReplaceAll(strings.TrimSpace(d.Instructions), "${query}", c.task.Prompt)
	config.System = func() string {
		parts := []string{own, rules}
		if c.o.Config.System != nil {
			parts = append(parts, c.o.Config.System())
		}
		return strings.Trim(strings.Join(parts, "\n\n"), "\n")
	}
	config.Preamble, config.MaxSessionTurns, config.Prepare = nil, nil, nil
	return config
}

// outcome is how a child's work ended.
type outcome struct {
	why  reason
	text string // the result, or what went wrong
}

// run does the task and returns the result for the caller's model.
func (c *child) run(ctx context.Context) (tools.Result, error) {
	began := time.Now()
	c.o.emit(event.AgentStarted{ID: c.task.ID, Name: c.task.Agent.Name})
	out := c.work(ctx)
	c.o.emit(event.AgentFinished{ID: c.task.ID, Name: c.task.Agent.Name, Reason: string(out.why), Rounds: c.used,
		Took: time.Since(began)})
	if c.record.Close != nil {
		summary := ""
		if out.why == goal {
			summary = out.text
		}
		c.record.Close(summary)
	}
	name, note := c.task.Agent.Name, ""
	if c.refused != "" {
		note = "\n\nA SubagentStop hook does not accept this: " + c.refused
	}
	switch out.why {
	case canceled:
		return tools.Result{}, context.Cause(ctx)
	case halted:
		return tools.Result{},
			&toolcall.Halt{Event: c.stopper, Verdict: hooks.Verdict{Decision: hooks.Stop, Reason: out.text}}
	case failure:
		res := tools.TextResult(fmt.Sprintf("Subagent '%s' failed. Error: %s%s", name, out.text, note), nil)
		res.Data = map[string]any{"isError": true}
		return res, nil
	}
	text := fmt.Sprintf("Subagent '%s' finished.\nTermination Reason: %s\nResult:\n%s%s", name, out.why, out.text, note)
	return tools.Result{Parts: tools.TextResult(text, nil).Parts, Truncatable: true}, nil
}

// work lets the agent run until SubagentStop hooks accept its result.
func (c *child) work(ctx context.Context) outcome {
	limited, end := c.timed(ctx, cmp.Or(c.task.Agent.Timeout, DefaultTimeout))
	defer end()
	prompt := c.task.Prompt
	for again := 0; ; again++ {
		out := c.finish(ctx, limited, prompt)
		next, on := c.stopped(ctx, out, again)
		if !on {
			return next
		}
		prompt = next.text
	}
}

// timed returns a context that ends after d, not counting the time of questions to the
// user until the function that it returns is called.
func (c *child) timed(ctx context.Context, d time.Duration) (context.Context, func()) {
	limited, clock := startClock(ctx, d)
	asker := c.worker.Approver
	if asker != nil {
		clock.Approver, c.worker.Approver = asker, clock
	}
	return limited, func() { clock.end(); c.worker.Approver = asker }
}

// finish lets the agent run, and once more if it reached a limit or did not say that it
// is done (core/agents/local-executor.ts).
func (c *child) finish(ctx, limited context.Context, prompt string) outcome {
	out := c.attempt(limited, prompt, cmp.Or(c.task.Agent.MaxTurns, DefaultTurns)-c.used)
	if out.why != turns && out.why != timeout && out.why != silent {
		return out
	}
	last, end := c.timed(ctx, graceTime)
	defer end()
	again := c.attempt(last, out.text+" You have this one answer left. Call "+CompleteName+
		" now, with what you have, and nothing else.", 1)
	if again.why == goal || again.why == halted || again.why == canceled {
		return again
	}
	return out
}

// attempt runs the agent with a prompt for as many requests as are left.
func (c *child) attempt(ctx context.Context, prompt string, left int) outcome {
	c.worker.done, c.stopper = false, ""
	if left <= 0 {
		return c.ended(ctx, agent.Result{Ending: agent.MaxRounds})
	}
	c.agent.Config.MaxRounds = left
	res := c.agent.Run(ctx, agent.Prompt{Text: prompt})
	c.used += res.Rounds
	return c.ended(ctx, res)
}

// ended converts an agent's ending to an outcome.
func (c *child) ended(ctx context.Context, res agent.Result) outcome {
	d := c.task.Agent
	switch {
	case c.worker.done:
		return outcome{goal, c.worker.complete.value}
	case res.Ending == agent.Stopped:
		return outcome{halted, res.Reason}
	case res.Ending == agent.Blocked:
		return outcome{failure, "a " + c.stopper + " hook refused it: " + res.Reason}
	case errors.Is(context.Cause(ctx), errTimeout):
		return outcome{timeout, fmt.Sprintf("Agent timed out after %s.", minutes(cmp.Or(d.Timeout, DefaultTimeout)))}
	case ctx.Err() != nil:
		return outcome{why: canceled}
	case res.Ending == agent.MaxRounds:
		return outcome{turns, fmt.Sprintf("Agent reached max turns limit (%d).", cmp.Or(d.MaxTurns, DefaultTurns))}
	case res.Ending == agent.Answered:
		return outcome{silent, "Agent stopped calling tools but did not call 'complete_task'."}
	}
	return outcome{failure, cmp.Or(res.Reason, string(res.Ending))}
}

// minutes writes a time as Gemini CLI does, in minutes if they are whole.
func minutes(d time.Duration) string {
	if d%time.Minute == 0 {
		return fmt.Sprintf("%d minutes", d/time.Minute)
	}
	return d.String()
}

// inner are the hooks of an agent's own loop: its prompt is not the user's, so
// that BeforeAgent, AfterAgent and StopFailure do not fire.
type inner struct {
	Hooks
	added string // by SubagentStart; for all requests
}

// BeforeAgent gives the agent the context that SubagentStart hooks added.
func (i inner) BeforeAgent(context.Context, string) hooks.Outcome {
	return hooks.Outcome{Context: i.added}
}

// AfterAgent accepts every answer.
func (inner) AfterAgent(context.Context, string, string, bool) (o hooks.AfterAgentOutcome) { return }

// StopFailure does nothing: it was no prompt of the user's that failed.
func (inner) StopFailure(context.Context, hooks.Failure) {}
