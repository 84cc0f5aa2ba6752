package agents

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"minigem/agent/event"
	"minigem/e2e/agents/shim"
	"minigem/e2e/fakemodel"
	"minigem/e2e/testbed"
	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/llm"
	"minigem/llm/script"
)

// call is a call of the model.
type call struct {
	fakemodel.Call
	name    string         // minigem's name, for actions
	args    map[string]any // minigem's arguments, for actions
	started bool           // the tool ran
	broken  bool           // it failed, according to the agent's event
	result  *llm.ToolResult
	before  []string // ids of the hooks that ran before it
}

// tell reports what happened: requests, calls, and hook runs.
func (x *session) tell(log []fakemodel.Request, runs []shim.Run) {
	var main []fakemodel.Request
	for _, req := range log {
		if req.Side || req.Protocol == "" || len(req.Parsed.Messages) == 0 {
			continue
		}
		main = append(main, req)
		x.setup.Request(testbed.Request{Request: req.Parsed, Method: script.Stream})
		for _, c := range req.Calls {
			x.calls = append(x.calls, newCall(c))
		}
	}
	x.asked = len(main)
	x.results(main)
	x.observed(runs)
	for _, c := range x.calls {
		x.emit(c)
	}
	seq := 0
	for _, run := range runs {
		if h, ok := x.w.find(run.Hook); ok && !h.observer {
			seq++
			x.report(seq, h, run, runs, main)
		}
	}
}

func newCall(c fakemodel.Call) *call {
	out := &call{Call: c, name: c.Name, args: c.Args}
	if c.Action != nil {
		ours := c.Action.Call()
		out.name, out.args = ours.Name, ours.Args
	}
	return out
}

// results finds what the model read as the result of each call.
//
// If an API has no ids, the first result of a tool in the conversation belongs to the
// first call of it, and so on.
func (x *session) results(main []fakemodel.Request) {
	for _, req := range main {
		nth := map[string]int{}
		for _, m := range req.Parsed.Messages {
			for _, p := range m.Parts {
				res, ok := p.(llm.ToolResult)
				if !ok {
					continue
				}
				n := 0
				for _, c := range x.calls {
					same := c.ID != "" && c.ID == res.ID
					if (res.ID == "" || c.ID == "") && c.Name == res.Name {
						same = n == nth[res.Name]
						n++
					}
					if same && c.result == nil {
						c.result = &res
					}
				}
				nth[res.Name]++
			}
		}
	}
}

// payload holds the fields of a hook's payload that are needed, for any agent.
type payload struct{ id, tool, input, subject string }

// inputs are the fields with the arguments of a call.
var inputs = []string{"tool_input", "toolArgs", "tool_call.input", "tool_result.input"}

func read(stdin []byte) payload {
	first := func(paths ...string) string {
		for _, p := range paths {
			if v := gjson.GetBytes(stdin, p); v.Exists() {
				return v.String()
			}
		}
		return ""
	}
	p := payload{
		id:    first("tool_call_id", "tool_use_id", "tool_call.id", "tool_result.id"),
		tool:  first("tool_name", "toolName", "tool_call.name", "tool_result.name"),
		input: first(inputs...),
	}
	p.subject = cmp.Or(p.tool, first("source", "reason", "trigger", "notification_type"))
	return p
}

// find returns the call that a payload is about: the one with its id, else the one with
// its arguments, else the first call of its tool that is not taken.
func (x *session) find(p payload, taken func(*call) bool) *call {
	if p.tool == "" {
		return nil
	}
	var same []*call
	for _, c := range x.calls {
		if taken(c) {
			continue
		}
		if p.id != "" && c.ID == p.id {
			return c
		}
		if x.isTool(c, p.tool) {
			same = append(same, c)
		}
	}
	for _, c := range same {
		if x.hasInput(c, p.input) {
			return c
		}
	}
	if len(same) > 0 {
		return same[0]
	}
	return nil
}

func (x *session) isTool(c *call, name string) bool {
	if c.Action != nil {
		t := x.a.Tools[c.Action.Kind]
		return strings.EqualFold(name, t.hookName()) || strings.EqualFold(name, t.Name)
	}
	return strings.EqualFold(name, c.Name) || x.a.toolName(name) == x.a.toolName(c.Name)
}

// hasInput reports whether a payload's input contains the arguments of c.
func (x *session) hasInput(c *call, input string) bool {
	for _, v := range c.Args {
		text, ok := v.(string)
		if !ok || len(text) < 3 {
			continue
		}
		quoted, err := json.Marshal(text)
		if err == nil && strings.Contains(input, string(bytes.Trim(quoted, `"`))) {
			return true
		}
	}
	return false
}

// observed marks the calls whose tools ran, according to the agent's events after a tool.
func (x *session) observed(runs []shim.Run) {
	for _, run := range runs {
		h, ok := x.w.find(run.Hook)
		if !ok || !x.after(h) {
			continue
		}
		p := read(run.Stdin)
		c := x.find(p, func(c *call) bool { return c.started && !h.observer })
		if h.observer {
			c = x.find(p, func(c *call) bool { return c.started })
		}
		if c == nil {
			continue
		}
		if slices.Contains(x.a.Hooks.Refused, h.event) && x.refused(c, run, runs) {
			continue
		}
		c.started, c.broken = true, strings.Contains(strings.ToLower(h.event), "failure")
		x.rewritten(c, p.input)
	}
}

// refused reports whether a tool failed because a hook refused it, for agents that fire
// the same event in both cases. If so, the error is the hook's text. If a hook answered
// with other text, it is unknown.
func (x *session) refused(c *call, failure shim.Run, runs []shim.Run) bool {
	hooked := false
	for _, run := range runs {
		h, ok := x.w.find(run.Hook)
		if p := read(run.Stdin); !ok || h.observer || x.a.event(h.event) != "BeforeTool" || p.id != c.ID {
			continue
		}
		hooked = hooked || run.Exit != 0 || len(run.Stdout) > 0 || run.Killed
		words := strings.TrimSpace(gjson.GetBytes(failure.Stdin, "error.message").String())
		if words != "" && (words == strings.TrimSpace(string(run.Stderr)) ||
			strings.Contains(string(run.Stdout), strings.Trim(strconv.Quote(words), `"`))) {
			return true
		}
	}
	if hooked {
		x.unclear = x.a.Name + " reports a refused tool as one that failed, and these words do not come from a hook"
		x.doubt("BeforeTool", x.unclear)
	}
	return hooked
}

// after reports whether h shows that a tool ran. That is the observer or, if the event has
// none, the case's own hook.
func (x *session) after(h hook) bool {
	return h.observer || !slices.ContainsFunc(x.w.hooks, func(o hook) bool {
		return o.observer && o.event == h.event
	}) && slices.Contains(x.a.Hooks.After, h.event)
}

// rewritten stores the arguments with which the tool ran, which a hook may have changed,
// if the payload has them verbatim.
func (x *session) rewritten(c *call, input string) {
	if c.Action == nil {
		return
	}
	for key, name := range x.a.names(c.Action.Kind) {
		now := gjson.Get(input, key)
		same := strings.HasSuffix(name, "_path") && strings.HasSuffix(now.String(), c.Action.Path)
		if _, has := c.args[name]; has && now.Type == gjson.String && !same {
			c.args[name] = now.String()
		}
	}
}

// emit reports a call as minigem's loop does.
func (x *session) emit(c *call) {
	tc := llm.ToolCall{ID: c.ID, Name: c.name, Args: c.args}
	record := event.ToolRecord{Call: tc, Args: c.args, Status: event.ToolSuccess}
	if c.result != nil {
		record.Result = *c.result
		record.Result.Name = c.name
	}
	_, isError := record.Result.Response["error"]
	if !c.started || c.broken || isError {
		record.Status = event.ToolError
	}
	if c.started {
		x.setup.Sink.Emit(event.ToolStarted{Call: tc})
	}
	if c.result != nil { // without a result the model read nothing
		x.setup.Sink.Emit(event.ToolFinished{Record: record})
	}
}

// report reports one run of a hook. Its decision is derived from the observed effect.
func (x *session) report(seq int, h hook, run shim.Run, all []shim.Run, main []fakemodel.Request) {
	p := read(run.Stdin)
	rep := hooks.Report{
		Seq: seq, Event: protocol.Event(x.a.event(h.event)), Subject: p.subject, Started: run.Started, Duration: run.Took,
		Input: hooks.Payload{run.Stdin},
	}
	r := hooks.Run{
		Hook: x.hook(h), Matched: true, Stdin: hooks.Payload{run.Stdin}, Started: run.Started,
		Exit: hooks.Exit{Code: run.Exit, Signal: run.Signal, Stdout: run.Stdout, Stderr: run.Stderr, Duration: run.Took},
	}
	switch {
	case run.Killed:
		r.TimedOut, r.Failed = true, x.a.Name+" ended it"
	case run.Problem != "":
		r.Exit.Err, r.Failed = errors.New(run.Problem), run.Problem
	}
	x.effect(&r, h, p, run, all, main)
	rep.Runs, rep.Verdict.Decision = []hooks.Run{r}, r.Decision
	x.setup.Report(rep)
}

// effect sets the outcome of a run, as far as it can be observed: the tool did not run, no
// request was made, or the request changed.
func (x *session) effect(r *hooks.Run, h hook, p payload, run shim.Run, all []shim.Run, main []fakemodel.Request) {
	at := x.a.event(h.event)
	blocked, reason := false, ""
	switch at {
	case "BeforeTool":
		c := x.find(p, func(c *call) bool { return slices.Contains(c.before, h.id) })
		if c == nil {
			x.doubt(at, "it is not clear which call it was about")
			return
		}
		c.before = append(c.before, h.id)
		if blocked = !c.started; blocked && c.result != nil {
			reason = words(run, testbed.ResultText(*c.result))
		}
	case "BeforeAgent":
		blocked = len(main) == 0
	case "AfterAgent":
		i := slices.IndexFunc(main, func(req fakemodel.Request) bool { return req.Time.After(run.Started) })
		if blocked = i >= 0; blocked {
			reason = words(run, newest(main[i].Parsed))
		}
	default:
		return
	}
	if !blocked {
		return
	}
	r.Decision, r.Reading.Output.Reason = hooks.Deny, reason
	if x.others(h, p, all) {
		x.doubt(at, "several hooks ran, and which of them blocked cannot be seen")
	}
}

// textual matches the fields of answers that contain text for the model or the user.
var textual = regexp.MustCompile(`(?i)reason|message|context`)

// words returns the part of read that comes from the hook, without what the agent wraps
// around it. If no part does, it returns all of read.
func words(run shim.Run, read string) string {
	said := []string{strings.TrimSpace(string(run.Stderr)), strings.TrimSpace(string(run.Stdout))}
	var leaves func(key, v gjson.Result) bool
	leaves = func(key, v gjson.Result) bool {
		if v.Type == gjson.String && textual.MatchString(key.String()) {
			said = append(said, v.String())
		}
		if v.IsObject() {
			v.ForEach(leaves)
		}
		return true
	}
	if gjson.ValidBytes(run.Stdout) {
		leaves(gjson.Result{}, gjson.ParseBytes(run.Stdout))
	}
	longest := ""
	for _, s := range said {
		if strings.Contains(read, s) && len(s) > len(longest) {
			longest = s
		}
	}
	return cmp.Or(longest, read)
}

// doubt records why decisions on an event are unknown.
func (x *session) doubt(event, why string) {
	if x.unsure == nil {
		x.unsure = map[string]string{}
	}
	x.unsure[event] = why
}

// others reports whether another hook ran for the same occurrence.
func (x *session) others(h hook, p payload, all []shim.Run) bool {
	return slices.ContainsFunc(all, func(run shim.Run) bool {
		o, ok := x.w.find(run.Hook)
		q := read(run.Stdin)
		return ok && !o.observer && o.id != h.id && o.event == h.event &&
			(p.id == "" && p.input == q.input || p.id != "" && p.id == q.id)
	})
}

// newest returns the text of the last message.
func newest(req llm.Request) string {
	var b strings.Builder
	if n := len(req.Messages); n > 0 {
		for _, p := range req.Messages[n-1].Parts {
			if t, ok := p.(llm.Text); ok {
				b.WriteString(t.Text)
			}
		}
	}
	return b.String()
}
