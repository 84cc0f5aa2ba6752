package hookstest_test

// The contract of the hook system as cases: testdata/*.toml. Each case is one
// sentence of the contract: an event, the hooks configured for it, and the
// outcome.

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/agents"
	"minigem/hooks/hookstest"
	"minigem/hooks/protocol"
	"minigem/llm"
)

// contractCase is one [[case]] of testdata. Fields that are absent have the
// sample data of hookstest.Stimulus.
type contractCase struct {
	Name  string
	Event protocol.Event
	Hooks []caseHook
	Want  want

	Tool     string
	MCP      *struct{ ServerName, ToolName string }
	Args     string // JSON of the call's arguments
	Trigger  string
	WithCall bool   // AfterModel: the chunk holds a thought and a call as well
	Off      string // Config.Off
}

// caseHook is one hook of a case, in words that can also be turned into a shell
// command.
type caseHook struct {
	Out, Err string // printed at once
	Bytes    bool   // each character of Out and Err is one byte
	Exit     int
	Signal   string // "KILL" or "TERM": the signal that ends it
	Hangs    bool   // it does not end by itself
	OnTerm   int    // its exit code after TERM; 0 means that TERM kills it
	Missing  bool   // its command does not exist

	Name, Matcher, OnError, Dialect string // Name "" means "a", "b", "c" by index
	Sequential                      bool
	Layer                           hooks.Layer
	InProject                       bool // of an extension
	Disabled, Untrusted             string
	MayAllow                        bool
	Seconds                         int // its timeout; 0 means 1 if it hangs
	Env                             map[string]string
}

// want is the whole outcome of a case. Anything that it omits must not happen.
type want struct {
	Decision string // "ask", "deny" or "stop"; "" means proceed
	Reason   string
	Message  string // the merged systemMessage
	Context  string // as wrapped
	Args     string // JSON of the arguments to run; "" means unchanged
	Request  string // see showRequest; "" means unchanged
	Answer   string // see showChunk: the synthetic response
	Chunk    string // see showChunk: the chunk, if it was replaced; "(empty)" if nothing is left
	Tail     string // "name {args}"
	Instead  string // the text that replaces the tool's output
	Clear    bool
	Allowed  []string // the hooks that allow the call
	Warn     []string // a part of each warning, in order
	Failed   []string // a part of each failure, in order
	Skipped  []string // "name: part of the reason", in order
	Read     []string // a part of the stdin of each hook that ran, in order; not checked if absent
	Effect   string   // the effect's kind; not checked if ""
}

// start returns the Runner of a case. Scripts are by command.
type start func(t *testing.T, scripts map[string]hookstest.Script) hooks.Runner

// fake is the start function of tests without processes.
func fake(_ *testing.T, scripts map[string]hookstest.Script) hooks.Runner {
	return &hookstest.Runner{Scripts: scripts}
}

// check runs the case and compares the whole outcome.
func (c contractCase) check(t *testing.T, begin start) {
	t.Helper()
	var report hooks.Report
	late := make(chan struct{})
	e := &hooks.Engine{
		Origin: hookstest.Origin,
		Report: func(r hooks.Report) {
			if r.Late {
				close(late)
			} else {
				report = r
			}
		},
	}
	scripts := map[string]hookstest.Script{}
	for i, h := range c.Hooks {
		configured, script := h.configure(c.Event, i)
		scripts[configured.Command] = script
		if h.Hangs {
			e.Patience = 100 * time.Millisecond
		}
		e.Config.Hooks = append(e.Config.Hooks, configured)
	}
	e.Config.Off, e.Config.Speaker = c.Off, agents.Speaker{}
	e.Runner = begin(t, scripts)
	got := c.fire(t, e)
	require.Equal(t, c.Event, report.Event, "the event was not reported")
	if slices.ContainsFunc(report.Runs, func(r hooks.Run) bool { return r.Left }) {
		<-late
	}
	got.fill(report)
	c.compare(t, got)
}

func (c contractCase) compare(t *testing.T, got want) {
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

// parts checks that each of got contains the element of want with the same index.
func parts(t *testing.T, what string, want, got []string) {
	t.Helper()
	if !assert.Len(t, got, len(want), "%ss: %q", what, got) {
		return
	}
	for i := range want {
		assert.Contains(t, got[i], want[i], what)
	}
}

// hang is longer than any patience or timeout of a case.
const hang = time.Hour

func (h caseHook) configure(ev protocol.Event, i int) (hooks.Hook, hookstest.Script) {
	s := hookstest.Script{Exit: h.Exit, Stdout: h.Out, Stderr: h.Err, Signal: h.Signal, OnTerm: h.OnTerm}
	if h.Hangs {
		s.Delay = hang
		h.Seconds = max(h.Seconds, 1)
	}
	command := shell(s)
	if h.Missing {
		command, s = "./no-such-hook",
			hookstest.Script{Exit: 127, Stderr: "bash: line 1: ./no-such-hook: No such file or directory\n"}
	}
	if h.Name == "" {
		h.Name = string(rune('a' + i))
	}
	return hooks.Hook{
		Event: ev, Name: h.Name, Command: command, Matcher: h.Matcher, Sequential: h.Sequential, OnError: h.OnError,
		Dialect: h.Dialect, Timeout: time.Duration(h.Seconds) * time.Second, MayAllow: h.MayAllow,
		Disabled: h.Disabled, Untrusted: h.Untrusted, Env: h.Env,
		Source: hooks.Source{Layer: h.Layer, File: string(h.Layer) + "settings.json", Line: i + 1, InProject: h.InProject},
	}, s
}

// shell returns a command line that behaves like s.
func shell(s hookstest.Script) string {
	var b strings.Builder
	print := func(text, to string) {
		if strings.ContainsRune(text, 0) { // a command line cannot contain it
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
	if s.Delay > 0 && s.OnTerm != 0 { // bash reports on stderr that a foreground child was killed
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

// fire fires the case's event and converts its outcome.
func (c contractCase) fire(t *testing.T, e *hooks.Engine) (got want) {
	t.Helper()
	req := hooks.NewModelRequest(hookstest.Request())
	s := hookstest.Stimulus{Event: c.Event, Trigger: c.Trigger, Use: c.use(t), Request: req}
	if c.WithCall {
		s.Chunk = chunkWithCall()
	}
	changed := func(r *hooks.ModelRequest) {
		if r != req {
			got.Request = showRequest(r.Request)
		}
	}
	switch o := s.Fire(e).(type) {
	case string:
		got.Context = o
	case hooks.Outcome:
		got.Context = o.Context
	case hooks.AfterAgentOutcome:
		got.Clear, got.Context = o.ClearContext, o.Context
	case hooks.BeforeToolOutcome:
		got.Context = o.Context
		if o.Changed {
			got.Args = compact(o.Args)
		}
	case hooks.PermissionRequestOutcome:
		got.Allowed = o.Allowed
		if o.Changed {
			got.Args = compact(o.Args)
		}
	case hooks.AfterToolOutcome:
		got.Context = o.Context
		if o.Instead != nil {
			got.Instead = *o.Instead
		}
		if o.Tail != nil {
			got.Tail = o.Tail.Name + " " + compact(o.Tail.Args)
		}
	case hooks.BeforeModelOutcome:
		changed(o.Request)
		for _, chunk := range o.Response {
			got.Answer += showChunk(chunk)
		}
	case *hooks.ModelRequest:
		changed(o)
	case hooks.AfterModelOutcome:
		if o.Replaced {
			got.Chunk = showChunk(o.Chunk)
		}
	case nil:
	default:
		t.Fatalf("the outcome of %s is not compared: %T", c.Event, o)
	}
	return got
}

// use returns the call of the case, or nil for the usual one.
func (c contractCase) use(t *testing.T) *hooks.ToolUse {
	t.Helper()
	if c.Tool == "" && c.MCP == nil && c.Args == "" {
		return nil
	}
	use := hooks.ToolUse{
		Call: llm.ToolCall{ID: "write_file__1", Name: "write_file",
			Args: map[string]any{"file_path": "a.txt", "content": "x"}}}
	if c.MCP != nil {
		use.MCP = &protocol.MCPContext{ServerName: c.MCP.ServerName, ToolName: c.MCP.ToolName}
	}
	if c.Tool != "" {
		use.Call.Name = c.Tool
	}
	if c.Args != "" {
		use.Call.Args = nil
		require.NoError(t, json.Unmarshal([]byte(c.Args), &use.Call.Args))
	}
	return &use
}

func compact(v any) string {
	data, err := protocol.Encode(v)
	must(err)
	return string(data)
}

// fill adds the fields that come from the report.
func (w *want) fill(r hooks.Report) {
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
