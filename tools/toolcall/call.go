package toolcall

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"minigem/agent/event"
	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/llm"
	"minigem/tools"
)

// Texts for the model and the user (core/scheduler/hook-utils.ts).
const (
	blockedPrefix   = "Tool execution blocked: "
	stoppedPrefix   = "Agent execution stopped by hook: "
	hiddenPrefix    = "Tool result blocked: "
	badInputPrefix  = "Tool parameter modification by hook failed validation: "
	changedNote     = "[System] Tool input parameters were modified by a hook before execution."
	deniedByPolicy  = "Tool execution denied by policy."
	cancelledPrefix = "[Operation Cancelled] Reason: "
)

// The limit of tail calls in a row, and the argument by which a model asks for a call
// to run alone. Gemini CLI adds that argument to every tool; tools here need not
// declare it.
const (
	maxTailCalls    = 10
	waitForPrevious = "wait_for_previous"
)

// call is one call until it has its result. A tail call is the same call with
// another step: its result replaces the first one's, under the first one's name
// and id.
type call struct {
	batch *batch
	alone bool         // the model or the tool wants no other call next to this one
	asked llm.ToolCall // as the model asked
	first tools.Tool   // the tool that the model asked for; nil if there is none
	tails int          // number of tail calls
	began time.Time    // start of the current tail call
	ended time.Time    // end of its tool; zero before that

	step     llm.ToolCall // the step to run now
	original map[string]any
	changed  bool // a hook changed the arguments of this step
	tool     tools.Tool
	inv      tools.Invocation
	judged   hooks.BeforeToolOutcome
	why      string // why the policy does not allow the call; empty means because of its mode

	record    event.ToolRecord
	finished  bool
	declined  bool // the user said no
	feedback  bool // and the model goes on
	stop      *hooks.Verdict
	stoppedBy string // the event whose hook stopped the run
}

// mayStart dismisses the call if the batch has ended already.
func (c *call) mayStart(ctx context.Context) bool {
	if ctx.Err() != nil {
		c.cancel(ctx, "")
		return false
	}
	if why, _ := c.batch.halted(); why != "" {
		c.dismiss(notRun + why)
		return false
	}
	return true
}

// find looks up the tool and validates the arguments as the model gave them.
func (c *call) find() {
	tool := c.batch.lookup(c.step.Name)
	if tool == nil {
		c.reject(c.batch.missing(c.step.Name))
		return
	}
	c.tool, c.changed = tool, false
	if c.tails == 0 {
		c.first = tool
	}
	if name := tool.Spec().Name; c.batch.offers != nil && !c.batch.offers(name) {
		// A hook may have removed the tool from the request: neither the model
		// nor the tail call of another hook may use it then.
		why := fmt.Sprintf("the tool %s is not available in this turn", name)
		c.batch.Hooks.NotOffered(c.use(), why)
		c.fail(&tools.Error{Type: tools.ErrNotRegistered, Message: fmt.Sprintf("Tool %q is not available in this turn.",
			name)})
		return
	}
	if _, ok := c.step.Args[waitForPrevious]; ok && !declares(tool.Spec(), waitForPrevious) {
		c.step.Args = maps.Clone(c.step.Args)
		delete(c.step.Args, waitForPrevious)
	}
	c.original = c.step.Args
	if err := c.prepare(); err != nil {
		c.reject(err)
	}
}

// reject answers a call that cannot be made. No hook sees it, unless it is a
// tail call: its first step was seen by hooks.
func (c *call) reject(e *tools.Error) {
	c.record.Rejected = c.tails == 0
	c.fail(e)
}

// declares reports whether the tool has an argument of this name itself.
func declares(spec llm.ToolSpec, property string) bool {
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(spec.Parameters, &schema) != nil {
		return false
	}
	_, ok := schema.Properties[property]
	return ok
}

// prepare validates the arguments of the step; its error is for the model.
func (c *call) prepare() (failure *tools.Error) {
	err := guard(func() (err error) {
		c.inv, err = c.tool.Prepare(c.step.Args)
		return err
	})
	if err == nil {
		return nil
	}
	return typed(err, tools.ErrInvalidParams)
}

// before fires BeforeTool and applies the arguments that it changed.
func (c *call) before(ctx context.Context) {
	out := c.batch.Hooks.BeforeTool(ctx, c.use())
	if c.refusedBy("BeforeTool", out.Verdict) {
		return
	}
	c.judged = out
	if !out.Changed {
		return
	}
	c.step.Args, c.changed = out.Args, true
	if err := c.prepare(); err != nil {
		err.Type, err.Message = tools.ErrInvalidParams, badInputPrefix+err.Message
		c.fail(err)
	}
}

// refusedBy ends the call where hooks of an event before it deny or stop.
func (c *call) refusedBy(event string, v hooks.Verdict) bool {
	switch {
	case v.Decision == hooks.Stop:
		c.stopBy(event, v)
		c.fail(&tools.Error{Type: tools.ErrStopExecution, Message: stoppedPrefix + v.Reason})
	case v.Denied():
		c.fail(&tools.Error{Type: tools.ErrPolicyViolation, Message: blockedPrefix + v.Reason})
	default:
		return false
	}
	return true
}

// use returns the call as hooks read it.
func (c *call) use() hooks.ToolUse {
	u := hooks.ToolUse{Call: c.step}
	if c.tails > 0 {
		u.OriginalName = c.asked.Name
	}
	if c.changed {
		u.OriginalArgs = c.original
	}
	if m := c.tool.Info().MCP; m != nil {
		u.MCP = &protocol.MCPContext{
			ServerName: m.Server, ToolName: m.Tool, Command: m.Command, Args: m.Args, Cwd: m.Cwd, URL: m.URL, TCP: m.TCP,
		}
	}
	return u
}

// execute runs the call, and the tail calls that AfterTool requests.
func (c *call) execute(ctx context.Context) {
	for {
		began := c.batch.now()
		res, err := c.runTool(ctx)
		took := c.batch.now().Sub(began)
		if err != nil && ctx.Err() != nil {
			c.cancel(ctx, encode(res.Parts).text)
			return
		}
		c.ended = c.batch.now()
		tail := c.after(ctx, res, err, took)
		if tail != nil && c.tails > 0 {
			c.keep(event.ToolSuccess)
		}
		if tail == nil || !c.follow(ctx, tail) {
			return
		}
		if c.start(ctx); c.finished {
			return
		}
	}
}

// start prepares the step and announces that it runs.
func (c *call) start(ctx context.Context) {
	if c.batch.Prepare != nil {
		c.batch.Prepare(ctx, c.step)
		if ctx.Err() != nil {
			c.cancel(ctx, "")
			return
		}
	}
	if c.tails == 0 {
		c.record.Args = c.step.Args
	}
	c.batch.sink.emit(event.ToolStarted{Call: c.step, DisplayName: c.tool.Info().DisplayName, Description: c.describe()})
}

// runTool runs the tool; a panic of it is an error.
func (c *call) runTool(ctx context.Context) (res tools.Result, err error) {
	err = guard(func() (err error) {
		if s, ok := c.inv.(tools.Streamer); ok {
			res, err = s.RunStream(ctx, func(text string) {
				c.batch.sink.emit(event.ToolOutput{CallID: c.asked.ID, Text: text})
			})
		} else {
			res, err = c.inv.Run(ctx)
		}
		return err
	})
	return res, err
}

// after fires AfterTool and gives the call its result, unless the hooks request
// a tail call.
func (c *call) after(ctx context.Context, res tools.Result, err error, took time.Duration) *llm.ToolCall {
	failure := typed(err, tools.ErrUnhandled)
	use := c.use()
	use.Took = took
	use.Exit, _ = res.Data["exitCode"].(int)
	out, failed := c.batch.Hooks.AfterTool(ctx, use, response(res, failure)),
		c.batch.Hooks.PostToolUseFailure(ctx, use, response(res, failure))
	by := protocol.AfterTool
	if failed.Decision > out.Decision {
		out.Verdict, by = failed.Verdict, protocol.PostToolUseFailure
	}
	c.record.Data = res.Data
	switch {
	case out.Decision == hooks.Stop:
		c.stopBy(string(by), out.Verdict)
		c.fail(&tools.Error{Type: tools.ErrStopExecution, Message: stoppedPrefix + out.Reason, Display: out.Reason})
	case halted(err) != nil:
		halt := halted(err)
		c.stopBy(halt.Event, halt.Verdict)
		c.fail(&tools.Error{Type: tools.ErrStopExecution, Message: stoppedPrefix + halt.Verdict.Reason,
			Display: halt.Verdict.Reason})
	case out.Denied():
		c.fail(&tools.Error{Type: tools.ErrExecutionFailed, Message: out.Reason, Display: hiddenPrefix + out.Reason})
	case ctx.Err() != nil: // cancelled hooks may not have decided about the result
		c.cancel(ctx, "")
	case out.Tail != nil && c.tails < maxTailCalls:
		return out.Tail
	default:
		if out.Tail != nil {
			c.batch.sink.emit(event.Notice{Severity: "warning", Text: fmt.Sprintf(
				"Tail call of %s not made: %d in a row are the limit. Hook: %v", out.Tail.Name, maxTailCalls, out.Hooks)})
		}
		if out.Instead != nil {
			res, failure = tools.Result{Parts: []llm.Part{llm.Text{Text: *out.Instead}}}, replaced(failure, *out.Instead)
		}
		c.settle(res, failure, c.notes(c.judged.Context, out.Context, failed.Context))
	}
	return nil
}

// replaced is failure with another text; nil stays nil.
func replaced(failure *tools.Error, text string) *tools.Error {
	if failure == nil {
		return nil
	}
	return &tools.Error{Type: failure.Type, Message: text, Err: failure.Err}
}

// follow prepares a tail call and reports whether it may run.
func (c *call) follow(ctx context.Context, tail *llm.ToolCall) bool {
	c.tails++
	c.tool, c.inv, c.began, c.ended = nil, nil, c.batch.now(), time.Time{}
	c.step = llm.ToolCall{ID: c.asked.ID, Name: tail.Name, Args: tail.Args}
	c.find()
	if !c.finished {
		c.before(ctx)
	}
	if !c.finished {
		c.permit(ctx)
	}
	return !c.finished
}

// keep notes the tail call of this step, as it ended.
func (c *call) keep(status event.ToolStatus) {
	r := event.ToolRecord{
		Call: c.step, Args: c.step.Args, Status: status, DisplayName: c.step.Name,
		Decision: c.record.Decision, Data: c.record.Data, Started: c.began, Finished: c.ended,
	}
	if c.ended.IsZero() {
		r.Finished, r.Data = c.batch.now(), nil
	}
	if c.inv != nil {
		r.Description = c.describe()
	}
	show(&r, c.tool)
	if status != event.ToolSuccess {
		r.ErrorType, r.ErrorMessage = c.record.ErrorType, c.record.ErrorMessage
	}
	r.Result, r.Display = c.record.Result, c.record.Display
	c.record.Followed = append(c.record.Followed, r)
}

// stopBy ends the run: a hook of the event ev said so.
func (c *call) stopBy(ev string, v hooks.Verdict) {
	c.stop, c.stoppedBy = &v, ev
	c.batch.stopAll("a hook stopped the run: "+v.Reason, true)
}

// describe returns the line about the step that people read.
func (c *call) describe() string { return c.intent().Description }

// intent returns what people read about the step. A panic of the tool becomes its
// description.
func (c *call) intent() (in tools.Intent) {
	if err := guard(func() error { in = c.inv.Intent(); return nil }); err != nil {
		return tools.Intent{Description: err.Error()}
	}
	return in
}

// guard turns a panic of a tool into an error.
func guard(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &tools.Error{Type: tools.ErrUnhandled, Message: fmt.Sprintf("the tool crashed: %v", p)}
		}
	}()
	return do()
}

// typed converts err to a [*tools.Error], of type t if it has none; nil stays
// nil.
func typed(err error, t tools.ErrorType) *tools.Error {
	if err == nil {
		return nil
	}
	var e *tools.Error
	if !errors.As(err, &e) {
		return &tools.Error{Type: t, Message: err.Error(), Err: err}
	}
	copied := *e
	if copied.Type == "" {
		copied.Type = t
	}
	return &copied
}
