package fleet

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"minigem/agent/event"
	"minigem/internal/mcp"
	"minigem/internal/prompt"
	"minigem/internal/text"
	"minigem/llm"
	"minigem/tools"
	"minigem/tools/builtin"
)

// Offer manages what the servers offer in a session.
type Offer struct {
	Now      func() Set
	Own      func() Set      // as it would be without the project; nil means Now
	Registry *tools.Registry // receives the servers' tools in addition to its own
	Sink     event.Sink
	Asker    builtin.Asker // answers servers' questions; nil if no user is present
	Warn     func(string)

	ctx          context.Context // limits the starts of servers
	pool         *mcp.Pool
	known        int64 // the pool's version that the registry reflects
	others       []tools.Tool
	instructions []prompt.Entry
	silenced     map[string]bool // tools already reported as left out
	mu           sync.Mutex
	own          map[string]*mcp.Pool // one server each, for hooks that did not come with the project
}

// Open starts the servers without waiting for them; the first request waits. If hold is
// set, they start when the function from [Offer.Held] is called, or when one of them is
// needed.
func (o *Offer) Open(ctx context.Context, hold bool) {
	o.ctx, o.others, o.silenced, o.own = ctx, o.Registry.All(), map[string]bool{}, map[string]*mcp.Pool{}
	if hold {
		o.pool, o.known = mcp.Hold(ctx, o.wanted()), -1
	} else {
		o.Restart()
	}
}

func (o *Offer) wanted() []mcp.Server {
	all := o.Now().Wanted(o.Warn)
	for i := range all {
		all[i].Elicit = o.elicit
	}
	return all
}

// Close ends the servers.
func (o *Offer) Close() {
	o.pool.Close()
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, p := range o.own {
		p.Close()
	}
}

// Held returns a function that starts the servers that were held. It may be called from
// any goroutine.
func (o *Offer) Held() (begin func()) { return o.pool.Begin }

// Restart ends the running servers and starts those that are configured now.
func (o *Offer) Restart() {
	o.pool.Close()
	o.pool, o.known = mcp.Start(o.ctx, o.wanted()), -1
}

// Await waits until the servers have started or failed, reports failures, and adopts
// what they offer now. No other goroutine may use the tools meanwhile.
func (o *Offer) Await(ctx context.Context) {
	if names := o.pool.Waiting(); len(names) > 0 {
		slow := time.AfterFunc(patience, func() {
			o.Sink.Emit(event.Notice{Severity: "info", Text: "Waiting for MCP servers: " + strings.Join(names, ", ")})
		})
		defer slow.Stop()
	}
	for _, err := range o.pool.Wait(ctx) {
		o.Warn(err.Error())
	}
	for _, note := range o.pool.Notes() {
		o.Warn(note)
	}
	o.take()
}

// patience is how long servers may take before the user is told which ones are slow.
const patience = 2 * time.Second

// Replace replaces the session's own tool called name.
func (o *Offer) Replace(name string, by ...tools.Tool) {
	o.others = append(slices.DeleteFunc(o.others, func(t tools.Tool) bool { return t.Spec().Name == name }), by...)
	o.known = -1
	o.take()
}

// take updates the session's tools to what the servers offer now.
func (o *Offer) take() {
	version := o.pool.Version()
	if version == o.known {
		return
	}
	o.known, o.instructions = version, nil
	*o.Registry = *tools.NewRegistry(o.others...)
	sessions := o.pool.Sessions()
	for _, s := range sessions {
		if text := s.Instructions(); text != "" {
			o.instructions = append(o.instructions, prompt.Entry{Name: s.Name(), Text: text})
		}
		for _, t := range s.Tools() {
			if name := t.Spec().Name; o.Registry.Lookup(name) != nil {
				o.leaveOut(t, name)
				continue
			}
			o.Registry.Add(t)
		}
	}
	o.Registry.Add(mcp.ResourceTools(sessions)...)
}

func (o *Offer) leaveOut(t tools.Tool, name string) {
	what := fmt.Sprintf("the tool %q of the MCP server %s is left out: another one is called %s too", t.Info().MCP.Tool,
		t.Info().MCP.Server, name)
	if !o.silenced[what] {
		o.silenced[what] = true
		o.Warn(what)
	}
}

// Version changes whenever the session's tools do.
func (o *Offer) Version() int64 { return o.known }

// Prompt returns the servers' instructions for the system instruction. It leaves out
// servers without an offered tool.
func (o *Offer) Prompt(offered map[string]bool) []prompt.Entry {
	return slices.DeleteFunc(slices.Clone(o.instructions), func(e prompt.Entry) bool { return !offered[e.Name] })
}

// Statuses returns the current status of the servers in the settings.
func (o *Offer) Statuses() []Status {
	var out []Status
	waiting := o.pool.Waiting()
	for _, s := range o.Now().All(o.Warn) {
		out = append(out, Status{Server: s, Err: o.pool.Err(s.Name), Starting: slices.Contains(waiting, s.Name)})
	}
	return out
}

// Sessions returns the sessions of the running servers.
func (o *Offer) Sessions() []*mcp.Session { return o.pool.Sessions() }

// Waiting reports whether a server is still starting.
func (o *Offer) Waiting() bool { return len(o.pool.Waiting()) > 0 }

// Resource returns the content that "@server:uri" in a prompt refers to. It returns nil
// if no server of that name was started, or if it does not offer uri.
func (o *Offer) Resource(ctx context.Context, name string) (shown string, parts []llm.Part, err error) {
	server, uri, ok := strings.Cut(name, ":")
	if !ok || !o.pool.Has(server) {
		return "", nil, nil
	}
	o.Await(ctx)
	for _, s := range o.pool.Sessions() {
		if s.Name() == server {
			parts, err = s.Read(ctx, uri)
		}
	}
	if parts == nil && err == nil {
		err = fmt.Errorf("the MCP server %s offers no resource %s", server, text.VisibleLine(uri))
	}
	return uri, parts, err
}

// ToAgent starts an agent's own servers. It returns their tools and a function that
// stops the servers.
func (o *Offer) ToAgent(ctx context.Context, agent string, brought []Server) ([]tools.Tool, func()) {
	var wanted []mcp.Server
	for _, s := range brought {
		if s.Off != "" {
			o.Warn(fmt.Sprintf("the MCP server %s of the agent %s is not started: %s", s.Name, agent, s.Off))
			continue
		}
		s.Elicit = o.elicit
		wanted = append(wanted, s.Server)
	}
	pool := mcp.Start(ctx, wanted)
	for _, err := range pool.Wait(ctx) {
		o.Warn(fmt.Sprintf("the agent %s goes on without an MCP server: %s", agent, text.VisibleLine(err.Error())))
	}
	var out []tools.Tool
	for _, s := range pool.Sessions() {
		out = append(out, s.Tools()...)
	}
	return out, pool.Close
}
