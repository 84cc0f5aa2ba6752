package hookstest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/hooks/spoken"
	"minigem/llm"
)

// Case is one sentence of the contract: an event, the hooks that stand on it,
// and what the outcome must be.
type Case struct {
	Name  string
	Event hooks.Event
	Hooks []Hook
	Want  Want

	// What the event is about; the zero values are the fixture's: a call of
	// write_file, the prompt "hello", the trigger "startup", and so on.
	Tool    string
	MCP     *protocol.MCPContext
	Args    string     // JSON of the call's arguments
	Trigger string     // what matchers of a lifecycle event see
	Chunk   *llm.Chunk // the chunk that AfterModel is about
	Off     string     // Config.Off
}

// Hook is one hook of a Case. What it does is written so that a shell can do it
// too. Its name is its place: "a", "b", "c", unless it has another.
type Hook struct {
	Out, Err string // printed at once
	Exit     int
	Signal   string // "KILL", "TERM": it dies of it
	Hangs    bool   // it never ends by itself
	OnTerm   int    // it exits so when it is told to end; 0: it dies of that
	Missing  bool   // its command does not exist

	Name, Matcher, OnError, Dialect string
	Sequential                      bool
	Layer                           hooks.Layer
	InProject                       bool // of an extension
	Disabled, Untrusted             string
	MayAllow                        bool
	Timeout                         time.Duration // 0: a second where it hangs
	Env                             map[string]string
}

// Want is what comes of a Case, all of it: what is not said must not happen.
type Want struct {
	Decision string // "ask", "deny", "stop"; "": proceed
	Reason   string
	Message  string // the merged systemMessage
	Context  string // as wrapped
	Args     string // JSON of the arguments to run; "": unchanged
	Request  string // see showRequest; "": unchanged
	Answer   string // see showChunk: the synthetic response
	Chunk    string // see showChunk: the chunk, if it was replaced; "(empty)" if nothing is left
	Tail     string // "name {args}"
	Instead  string // the output in place of the tool's
	Clear    bool
	Allowed  []string // the hooks that allow the call
	Warn     []string // a part of each warning, in order
	Failed   []string // a part of each failure, in order
	Skipped  []string // "name: part of the reason", in order
	Read     []string // a part of what each hook that ran read on stdin, in order; nil: not looked at
	Effect   string   // the effect's kind; "": not looked at
}

// Start makes the Runner of a case: scripts by command. Tests without processes
// give Fake, hooks/command its own.
type Start func(t *testing.T, scripts map[string]Script) hooks.Runner

// Fake is the Start of tests without processes.
func Fake(_ *testing.T, scripts map[string]Script) hooks.Runner { return &Runner{Scripts: scripts} }

// Check runs the case and compares all that came of it.
func (c Case) Check(t *testing.T, start Start) {
	t.Helper()
	var report hooks.Report
	late := make(chan struct{})
	e := &hooks.Engine{
		Origin: Origin,
		Report: func(r hooks.Report) {
			if r.Late {
				close(late)
			} else {
				report = r
			}
		},
	}
	scripts := map[string]Script{}
	for i, h := range c.Hooks {
		configured, command, script := h.configure(c.Event, i)
		scripts[command] = script
		if h.Hangs {
			e.Patience = 100 * time.Millisecond
		}
		e.Config.Hooks = append(e.Config.Hooks, configured)
	}
	e.Config.Off, e.Config.Speaker = c.Off, spoken.Speaker{}
	e.Runner = start(t, scripts)
	got := c.Fire(e)
	require.Equal(t, c.Event, report.Event, "the event was not reported")
	if slices.ContainsFunc(report.Runs, func(r hooks.Run) bool { return r.Left }) {
		<-late
	}
	got.fill(report)
	c.compare(t, got)
}

func (c Case) compare(t *testing.T, got Want) {
	t.Helper()
	parts(t, "warning", c.Want.Warn, got.Warn)
	parts(t, "failure", c.Want.Failed, got.Failed)
	parts(t, "skipped", c.Want.Skipped, got.Skipped)
	want := c.Want
	if want.Read != nil {
		parts(t, "stdin", want.Read, got.Read)
	}
	if want.Effect == "" {
		got.Effect = ""
	}
	want.Warn, got.Warn, want.Failed, got.Failed = nil, nil, nil, nil
	want.Skipped, got.Skipped, want.Read, got.Read = nil, nil, nil, nil
	assert.Equal(t, want, got)
}

// parts checks that each got contains the want of its place.
func parts(t *testing.T, what string, want, got []string) {
	t.Helper()
	if !assert.Len(t, got, len(want), "%ss: %q", what, got) {
		return
	}
	for i := range want {
		assert.Contains(t, got[i], want[i], what)
	}
}

// Origin is the session of every case.
var Origin = hooks.Origin{SessionID: "s1", TranscriptPath: "/t/session.jsonl", Cwd: "/", ProjectDir: "/", PlansDir: "/plans"}

// hang is longer than any patience or time-out of a case.
const hang = time.Hour

func (h Hook) configure(ev hooks.Event, i int) (hooks.Hook, string, Script) {
	s := Script{Exit: h.Exit, Stdout: h.Out, Stderr: h.Err, Signal: h.Signal, OnTerm: h.OnTerm}
	if h.Hangs {
		s.Delay = hang
		if h.Timeout == 0 {
			h.Timeout = time.Second
		}
	}
	command := s.Shell()
	if h.Missing {
		command, s = "./no-such-hook", Script{Exit: 127, Stderr: "bash: line 1: ./no-such-hook: No such file or directory\n"}
	}
	name := h.Name
	if name == "" {
		name = string(rune('a' + i))
	}
	return hooks.Hook{
		Event: ev, Name: name, Command: command, Matcher: h.Matcher, Sequential: h.Sequential, OnError: h.OnError,
		Dialect: h.Dialect, Timeout: h.Timeout, MayAllow: h.MayAllow, Disabled: h.Disabled, Untrusted: h.Untrusted, Env: h.Env,
		Source: hooks.Source{Layer: h.Layer, File: string(h.Layer) + "settings.json", Line: i + 1, InProject: h.InProject},
	}, command, s
}

// Shell is a command line that does what s does.
func (s Script) Shell() string {
	var b strings.Builder
	print := func(text, to string) {
		if strings.ContainsRune(text, 0) { // no command line can hold one
			octal := ""
			for _, c := range []byte(text) {
				octal += fmt.Sprintf(`\%03o`, c)
			}
			fmt.Fprintf(&b, "printf '%s'%s; ", octal, to)
		} else if text != "" {
			fmt.Fprintf(&b, "printf %%s '%s'%s; ", strings.ReplaceAll(text, "'", `'\''`), to)
		}
	}
	if s.OnTerm != 0 {
		fmt.Fprintf(&b, "trap 'exit %d' TERM; ", s.OnTerm)
	}
	print(s.Stdout, "")
	print(s.Stderr, " >&2")
	if s.Delay > 0 && s.OnTerm != 0 { // bash tells on stderr of a child in front that was ended
		fmt.Fprintf(&b, "sleep %g & wait; ", s.Delay.Seconds())
	} else if s.Delay > 0 {
		fmt.Fprintf(&b, "sleep %g; ", s.Delay.Seconds())
	}
	if s.Signal != "" {
		fmt.Fprintf(&b, "kill -%s $$; ", s.Signal)
	}
	fmt.Fprintf(&b, "exit %d", s.Exit)
	return b.String()
}

// Fire fires the case's event and keeps what the outcome says.
func (c Case) Fire(e *hooks.Engine) Want {
	ctx := context.Background()
	or := func(s, standard string) string {
		if s == "" {
			return standard
		}
		return s
	}
	switch c.Event {
	case protocol.SessionStart:
		return Want{Context: e.SessionStart(ctx, or(c.Trigger, "startup")).Context}
	case protocol.SessionEnd:
		e.SessionEnd(ctx, or(c.Trigger, "exit"))
	case protocol.PreCompress:
		return Want{Context: e.PreCompress(ctx, or(c.Trigger, "auto")).Context}
	case protocol.PostCompact:
		e.PostCompact(ctx, or(c.Trigger, "auto"), "in short")
	case protocol.StopFailure:
		e.StopFailure(ctx, hooks.Failure{Prompt: "hello", Error: or(c.Trigger, "unknown"), Details: "it broke", Said: "so far"})
	case protocol.Notification:
		e.Notification(ctx, or(c.Trigger, "ToolPermission"), "Tool Confirm Write: a.txt requires editing", map[string]any{"type": "edit"})
	case protocol.BeforeAgent:
		return Want{Context: e.BeforeAgent(ctx, "hello").Context}
	case protocol.SubagentStart, protocol.SubagentStop:
		ctx = hooks.InSubagent(ctx, hooks.Subagent{ID: "a1", Type: or(c.Trigger, "reviewer")})
		if c.Event == protocol.SubagentStart {
			return Want{Context: e.SubagentStart(ctx, "look at it").Context}
		}
		return Want{Context: e.SubagentStop(ctx, hooks.SubagentEnd{Prompt: "look at it", Response: "the answer", Ending: "GOAL"}).Context}
	case protocol.AfterAgent:
		o := e.AfterAgent(ctx, "hello", "the answer", false)
		return Want{Clear: o.ClearContext, Context: o.Context}
	case protocol.BeforeTool, protocol.PermissionRequest, protocol.AfterTool, protocol.PostToolUseFailure:
		return c.fireTool(ctx, e)
	default:
		return c.fireModel(ctx, e)
	}
	return Want{}
}

func (c Case) fireTool(ctx context.Context, e *hooks.Engine) Want {
	use := hooks.ToolUse{
		Call: llm.ToolCall{ID: "write_file__1", Name: "write_file", Args: map[string]any{"file_path": "a.txt", "content": "x"}},
		MCP:  c.MCP,
	}
	if c.Tool != "" {
		use.Call.Name = c.Tool
	}
	if c.Args != "" {
		use.Call.Args = nil
		if err := json.Unmarshal([]byte(c.Args), &use.Call.Args); err != nil {
			panic(err) // unreachable: cases are constants
		}
	}
	if c.Event == protocol.AfterTool {
		o := e.AfterTool(ctx, use, protocol.ToolResponse{LLMContent: "written", ReturnDisplay: "written"})
		got := Want{Context: o.Context}
		if o.Instead != nil {
			got.Instead = *o.Instead
		}
		if o.Tail != nil {
			got.Tail = o.Tail.Name + " " + compact(o.Tail.Args)
		}
		return got
	}
	if c.Event == protocol.PostToolUseFailure {
		failed := protocol.ToolResponse{LLMContent: "no", ReturnDisplay: "no", Error: &protocol.ToolError{Message: "no", Type: "unknown"}}
		return Want{Context: e.PostToolUseFailure(ctx, use, failed).Context}
	}
	if c.Event == protocol.PermissionRequest {
		o := e.PermissionRequest(ctx, use)
		if o.Changed {
			return Want{Args: compact(o.Args), Allowed: o.Allowed}
		}
		return Want{Allowed: o.Allowed}
	}
	o := e.BeforeTool(ctx, use)
	if o.Changed {
		return Want{Args: compact(o.Args), Context: o.Context}
	}
	return Want{Context: o.Context}
}

func compact(v any) string {
	data, err := protocol.Encode(v)
	if err != nil {
		panic(err) // unreachable: it came from JSON
	}
	return string(data)
}

// fill adds what stands in the report.
func (w *Want) fill(r hooks.Report) {
	if r.Verdict.Decision != hooks.Proceed {
		w.Decision = r.Verdict.Decision.String()
	}
	w.Reason, w.Message, w.Effect = r.Verdict.Reason, r.Verdict.SystemMessage, r.Effect.Kind
	w.Warn = append(w.Warn, r.Warnings...)
	for _, run := range r.Runs {
		w.Warn = append(w.Warn, run.Warnings...)
		switch {
		case run.Skipped != "":
			w.Skipped = append(w.Skipped, run.Hook.ID()+": "+run.Skipped)
		case run.Left:
			w.Skipped = append(w.Skipped, run.Hook.ID()+": left running")
		default:
			w.Read = append(w.Read, run.Stdin.String())
		}
		if run.Failed != "" {
			w.Failed = append(w.Failed, run.Failed)
		}
	}
}
