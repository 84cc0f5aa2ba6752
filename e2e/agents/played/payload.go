package played

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"minigem/hooks"
	tables "minigem/hooks/agents"
	"minigem/hooks/protocol"
)

// payloads builds what hooks read.
type payloads struct {
	*scene
	calls  *calls
	course *course
}

// Ask implements hooks.Rules.
func (p *Player) Ask(f hooks.Firing, h hooks.Hook, _ hooks.Payload) (stdin hooks.Payload, env []string) {
	a := p.agentOf(h)
	native, _ := a.Event(played[h.Event])
	template, ok := a.Play.Payloads[native.Native]
	if !ok {
		p.unknown("what hooks of %s read at %s was not recorded", a.Title(), native.Native)
	}
	return hooks.Payload{tables.InOrder(template, p.reads.values(f, a).Payload(template))}, p.reads.env(f, h)
}

// values returns the values for one event.
func (p *payloads) values(f hooks.Firing, a *tables.Agent) tables.Values {
	in := gjson.ParseBytes(f.Input().Bytes())
	session := in.Get("session_id").String()
	started, err := time.Parse(protocol.TimeLayout, in.Get("timestamp").String())
	if err != nil {
		started = time.Now()
	}
	ws, at := p.setup.Workspace, p.course.now()
	v := tables.Values{Own: a.Play.Values, Base: map[string]any{
		"session_id": session, "transcript_path": in.Get("transcript_path").String(), "cwd": in.Get("cwd").String(),
		"home": p.setup.Home,
		"now":  started.UTC().Format(protocol.TimeLayout), "now_ms": started.UnixMilli(), "dashed": tables.Dashed(ws),
		"date": started.Format("2006-01-02T15-04-05"), "date_path": started.Format("2006/01/02"),
		"prompt_id": tables.UUID(session, "prompt"), "turn_id": tables.UUID(session, "turn"), "plans": f.Origin.PlansDir,
		"mode": p.mode(a), "prompt": in.Get("prompt").String(), "answer": in.Get("prompt_response").String(),
		"answers": strings.Join(at.answers, "\n"), "retry": in.Get("stop_hook_active").Bool(),
		"iteration": at.requested, "source": in.Get("source").String(), "reason": in.Get("reason").String(),
		"duration_ms": 10, "tool_response": in.Get("tool_response").Value(),
	}}
	if f.Event == protocol.SessionStart { // a case has only one prompt
		v.Base["prompt"] = p.setup.Prompt
	}
	if f.Event.IsTool() {
		p.toolValues(f, a, in, v)
	}
	return v
}

func (p *payloads) mode(a *tables.Agent) string {
	mode, ok := a.Play.Modes[p.setup.Mode]
	if !ok && a.Play.Modes != nil {
		p.unknown("what %s calls the mode %s was not recorded", a.Title(), p.setup.Mode)
	}
	return mode
}

// toolValues adds what is known of a call and its result.
func (p *payloads) toolValues(f hooks.Firing, a *tables.Agent, in gjson.Result, v tables.Values) {
	c := p.calls.of(f)
	if f.Event == protocol.BeforeTool {
		p.calls.look(c)
	}
	u := p.use(f, a, c, in.Get("tool_response"))
	known := v.Add(u, a.Play.Results)
	if !known && f.Event == protocol.AfterTool && !u.Failed() && a.Play.Results != nil {
		p.unknown("what hooks of %s read of a result of %s was not recorded", a.Title(), u.Name)
	}
}

// use describes a call and what is known of its result.
func (p *payloads) use(f hooks.Firing, a *tables.Agent, c *call, response gjson.Result) tables.Use {
	display := response.Get("returnDisplay")
	u := tables.Use{
		Kind: c.kind, Name: c.hook, ID: c.id, Input: c.seen, Command: c.act.Command, Path: p.calls.path(c), File: c.act.Path,
		Content: c.act.Text, Old: c.act.Old, New: c.act.New, Original: c.original,
		Output: strings.TrimRight(display.String(), "\n"), Exit: f.Use.Exit,
		Diff: display.Get("fileDiff").String(), Display: display.Value(), FailedCommands: p.agent.Play.FailedCommand,
	}
	if response.Get("error").Exists() {
		u.ErrorMessage = cmp.Or(response.Get("error.message").String(), "it failed")
	}
	if t, ok := a.Tool(c.kind); ok {
		u.Name = t.Hook
	}
	if c.act.Path != "" {
		u.Text = p.calls.now(c)
	}
	return u
}

// failed reports whether a tool failed, in the agent's view.
func (p *payloads) failed(f hooks.Firing) bool {
	return p.use(f, p.agent, p.calls.of(f), gjson.GetBytes(f.Input().Bytes(), "tool_response")).Failed()
}

func (p *payloads) name(f hooks.Firing) protocol.Event {
	if f.Event == protocol.AfterTool && p.tellsFailures() && p.failed(f) {
		return toolFailed
	}
	return f.Event
}

// tellsFailures reports whether failed tools have a separate event.
func (p *payloads) tellsFailures() bool {
	_, ok := p.agent.Event(failedPoint)
	return ok
}

// env returns the variables that h gets.
func (p *payloads) env(f hooks.Firing, h hooks.Hook) []string {
	var env []string
	a := p.agentOf(h)
	v := p.values(f, a)
	for name, value := range a.Play.Env {
		env = append(env, name+"="+fmt.Sprint(v.Fill(value)))
	}
	slices.Sort(env)
	return env
}
