package played

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"path/filepath"
	"strings"
	"sync"

	"minigem/agent/event"
	"minigem/e2e/agents"
	"minigem/hooks"
	tables "minigem/hooks/agents"
	"minigem/internal/boundedfile"
	"minigem/internal/text"
	"minigem/llm"
	"minigem/llm/script"
)

// calls tracks the calls of a session.
type calls struct {
	*scene
	mu   sync.Mutex
	byID map[string]*call
	ids  int
}

// call is a call of the model, in the agent's terms and in minigem's.
type call struct {
	asked    *llm.ToolCall // minigem's call, if the agent runs a command for it; else nil
	act      script.Action
	kind     string // of the action, or else the action of the tables
	id       string
	hook     string         // the tool's name in hooks
	seen     map[string]any // the arguments as hooks see them
	added    string         // context for the model that hooks before the tool added
	ends     bool           // the run ends after the tool
	original *string        // the file's previous content; nil if there was none
}

// pending stores what a hook before the tool wants to happen after it.
func (c *call) pending(added string, ends bool) { c.added, c.ends = added, ends }

// Model wraps m for the agent: calls in the agent's or the script's terms become calls of
// minigem's tools.
func (p *Player) Model(m llm.Provider) llm.Provider { return &model{m, p} }

type model struct {
	llm.Provider
	p *Player
}

// Stream implements llm.Model.
func (m *model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		if said := m.p.course.note(func(at *progress) { at.requested++ }).system; said != "" {
			req.System = strings.TrimLeft(req.System+"\n\n"+said, "\n")
		}
		var said answerText
		defer m.p.course.note(func(at *progress) {
			if text := strings.Join(said.chunks, " "); text != "" {
				at.answers = append(at.answers, text)
			}
		})
		for chunk, err := range m.Provider.Stream(ctx, req) {
			said.add(chunk)
			parts := make([]llm.Part, len(chunk.Parts))
			for i, part := range chunk.Parts {
				if c, ok := part.(llm.ToolCall); ok {
					part = m.p.calls.ours(c)
				}
				parts[i] = part
			}
			if chunk.Parts != nil {
				chunk.Parts = parts
			}
			if !yield(chunk, err) {
				return
			}
		}
	}
}

// answerText collects the text of one answer of the model as Gemini CLI's hooks see it:
// the texts of its chunks, separated by blanks. Gemini CLI appends consecutive texts to
// the part of the first chunk, so that later texts appear twice (core/core/geminiChat.ts,
// core/core/turn.ts).
type answerText struct {
	chunks []string
	first  int  // the chunk in which the current text began
	goesOn bool // the last part was text
}

func (a *answerText) add(c llm.Chunk) {
	a.chunks = append(a.chunks, "")
	own := len(a.chunks) - 1
	for _, part := range c.Parts {
		t, isText := part.(llm.Text)
		if !isText {
			a.goesOn = false
			continue
		}
		if !a.goesOn {
			a.first, a.goesOn = own, true
		}
		a.chunks[own] += t.Text
		if a.first != own {
			a.chunks[a.first] += t.Text
		}
	}
}

// ours converts a call to minigem's terms and remembers the agent's.
func (p *calls) ours(c llm.ToolCall) llm.ToolCall {
	p.mu.Lock()
	p.ids++
	id := fmt.Sprintf("call_%012d", p.ids)
	p.mu.Unlock()
	if c.ID != "" {
		id = c.ID
	}
	out, kept := p.translate(c)
	out.ID, kept.id = id, id
	p.keep(kept)
	return out
}

func (p *calls) keep(c *call) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.byID[c.id] = c
}

func (p *calls) translate(c llm.ToolCall) (llm.ToolCall, *call) {
	ws := p.setup.Workspace
	if act, ok := script.ActionOf(c); ok {
		n, err := p.adapter.NativeCall(act, ws)
		if err != nil {
			p.unknown("%v", err)
			return c, &call{act: act, kind: string(act.Kind), hook: c.Name, seen: c.Args}
		}
		return p.native(act, n)
	}
	if act, ok := p.adapter.Action(c); ok {
		n, _ := p.adapter.NativeCall(act, ws) // the agent has a tool for it: c is a call of it
		if same(n.Call.Args, n.Seen) {
			n.Seen = c.Args
		}
		n.Command = ""
		return p.native(act, n)
	}
	if act, ok := patched(c); ok {
		n, _ := p.adapter.NativeCall(act, ws)
		n.Call = c
		return p.native(act, n)
	}
	for _, t := range p.agent.Tools { // tools for which scripts have no action
		if g, ok := geminis().Tool(t.Action); ok && (t.Call == c.Name || g.Call == c.Name) && t.Args != nil {
			return theirs(c, t, g)
		}
	}
	if p.agent.ID != "gemini" {
		p.unknown("it is not known what %s makes of a call of %s", p.agent.Name, c.Name)
	}
	return c, &call{hook: c.Name, seen: c.Args}
}

func geminis() *tables.Agent {
	g, err := tables.Find("gemini")
	if err != nil {
		panic(err) // it is embedded in the program
	}
	return g
}

// theirs converts a call of a tool that, according to the tables, both agents have.
func theirs(c llm.ToolCall, t, g tables.Tool) (llm.ToolCall, *call) {
	ours, seen := map[string]any{}, map[string]any{}
	for name, value := range c.Args {
		for from, to := range t.Args {
			if name == from || name == to {
				ours[from], seen[to] = value, value
			}
		}
	}
	return llm.ToolCall{Name: g.Call, Args: ours}, &call{kind: t.Action, hook: t.Hook, seen: seen}
}

func same(a, b map[string]any) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

// native returns minigem's call for an action of the agent's model.
func (p *calls) native(act script.Action, n agents.NativeCall) (llm.ToolCall, *call) {
	out := act.Call()
	var asked *llm.ToolCall
	if n.Command != "" {
		asked = &llm.ToolCall{Name: out.Name, Args: out.Args}
		act = script.Action{Kind: script.DoShell, Command: n.Command}
		out = act.Call()
	}
	k := &call{asked: asked, act: act, kind: string(act.Kind), hook: n.Hook, seen: maps.Clone(n.Seen)}
	if t, ok := p.agent.Tool(k.kind); ok && t.Args["patch"] != "" { // hooks only see the patch
		text, _ := n.Call.Args["input"].(string)
		k.seen = map[string]any{t.Args["patch"]: strings.TrimSuffix(text, "\n")}
	}
	for name, value := range p.agent.Play.Inputs[k.kind] {
		if _, has := k.seen[name]; !has {
			k.seen[name] = value
		}
	}
	return out, k
}

// Sink wraps s so that it gets the calls as the model's script has them.
func (p *Player) Sink(s event.Sink) event.Sink { return &sink{s, p.calls} }

type sink struct {
	event.Sink
	calls *calls
}

// Emit implements event.Sink.
func (s *sink) Emit(e event.Event) {
	switch started := e.(type) {
	case event.ToolStarted:
		started.Call = s.calls.asked(started.Call)
		e = started
	case event.ToolFinished:
		if c := s.calls.asked(started.Record.Call); c.Name != started.Record.Call.Name {
			started.Record.Call, started.Record.Args, started.Record.Result.Name = c, c.Args, c.Name
			e = started
		}
	}
	s.Sink.Emit(e)
}

// asked returns the call that the script requested.
func (p *calls) asked(c llm.ToolCall) llm.ToolCall {
	p.mu.Lock()
	defer p.mu.Unlock()
	if k := p.byID[wireID(c)]; k != nil && k.asked != nil {
		out := *k.asked
		out.ID = c.ID
		return out
	}
	return c
}

// wireID returns the id of a call as the model sent it.
func wireID(c llm.ToolCall) string { return llm.WireID(c.Name, c.ID) }

// patched returns the action of a call whose only argument is a patch that adds one file.
func patched(c llm.ToolCall) (script.Action, bool) {
	text, _ := c.Args["input"].(string)
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) < 3 || lines[0] != "*** Begin Patch" || lines[len(lines)-1] != "*** End Patch" {
		return script.Action{}, false
	}
	path, ok := strings.CutPrefix(lines[1], "*** Add File: ")
	var body strings.Builder
	for _, line := range lines[2 : len(lines)-1] {
		text, added := strings.CutPrefix(line, "+")
		ok = ok && added
		body.WriteString(text + "\n")
	}
	return script.Action{Kind: script.DoWrite, Path: path, Text: body.String()}, ok
}

// of returns the call that an event is about.
func (p *calls) of(f hooks.Firing) *call {
	p.mu.Lock()
	c := p.byID[wireID(f.Use.Call)]
	p.mu.Unlock()
	if c == nil { // a tail call, or one that a hook made up
		act, _ := script.ActionOf(f.Use.Call)
		c = &call{act: act, kind: string(act.Kind), id: wireID(f.Use.Call), hook: f.Use.Call.Name, seen: f.Use.Call.Args}
		p.keep(c)
	}
	return c
}

// toolName returns the name that the agent's hooks see for the tool.
func (p *calls) toolName(f hooks.Firing, a *tables.Agent) string {
	c := p.of(f)
	if t, ok := a.Tool(c.kind); ok {
		return t.Hook
	}
	return c.hook
}

// look stores the file that a call is about to change.
func (p *calls) look(c *call) {
	if c.act.Path == "" || c.original != nil {
		return
	}
	if data, err := boundedfile.Read(p.path(c), boundedfile.Kept); err == nil {
		text := string(data)
		c.original = &text
	}
}

func (p *calls) path(c *call) string {
	if c.act.Path == "" {
		return ""
	}
	return text.Abs(p.setup.Workspace, filepath.FromSlash(c.act.Path))
}

// rewrite converts arguments that a hook replaced, in the agent's terms, to minigem's.
func (p *calls) rewrite(c *call, o one) (map[string]any, error) {
	if t, ok := p.agent.Tool(c.kind); ok && t.Args["patch"] != "" {
		text, _ := o.Input[t.Args["patch"]].(string)
		act, ok := patched(llm.ToolCall{Args: map[string]any{"input": text}})
		if !ok {
			return nil, fmt.Errorf("another patch than one that adds a file cannot be played for %s", p.agent.Name)
		}
		c.act, c.seen = act, o.Input
		return act.Call().Args, nil
	}
	if c.act.Kind == "" {
		return nil, fmt.Errorf("other arguments for this tool cannot be played for %s", p.agent.Name)
	}
	c.seen = o.Input
	args := p.adapter.Args(c.act.Kind, o.Input)
	if c.act.Kind == script.DoEdit {
		args["instruction"] = "Replace the text"
	}
	return args, nil
}

// now returns the current content of the file of a call.
func (p *calls) now(c *call) string {
	was := c.original
	c.original = nil
	p.look(c)
	text := ""
	if c.original != nil {
		text = *c.original
	}
	c.original = was
	return text
}
