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

// Offer is what the servers offer in a session.
type Offer struct {
	Now      func() Set
	Own      func() Set      // as it would be without the project; nil: as Now
	Registry *tools.Registry // gets their tools beside those that it has
	Sink     event.Sink
	Asker    builtin.Asker // answers what servers ask; nil: nobody is here
	Warn     func(string)

	ctx          context.Context // bounds the starts of servers
	pool         *mcp.Pool
	known        int64 // the version of the pool that the registry holds
	others       []tools.Tool
	instructions []prompt.Entry
	silenced     map[string]bool // tools that were said to be left out
	mu           sync.Mutex
	own          map[string]*mcp.Pool // a server each, for hooks that did not come with the project
}

// Open starts the servers, and waits for none: the first request does. With hold
// they start when [Offer.Held] says so, or somebody needs one.
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

// Held returns what starts the servers that were held, from any goroutine.
func (o *Offer) Held() (begin func()) { return o.pool.Begin }

// Restart starts the servers that the configuration names now, and ends those that
// ran before.
func (o *Offer) Restart() {
	o.pool.Close()
	o.pool, o.known = mcp.Start(o.ctx, o.wanted()), -1
}

// Await waits until the servers are up or have failed, which is reported, and takes
// over what they offer now. Nobody else may use the tools meanwhile.
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

// patience is how long servers may take before the user reads who is waited for.
const patience = 2 * time.Second

// Replace puts tools in the place of the session's own one called name.
func (o *Offer) Replace(name string, by ...tools.Tool) {
	o.others = append(slices.DeleteFunc(o.others, func(t tools.Tool) bool { return t.Spec().Name == name }), by...)
	o.known = -1
	o.take()
}

// take makes the tools of the session those of now.
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

// Version changes whenever the tools of the session do.
func (o *Offer) Version() int64 { return o.known }

// Prompt returns the instructions of the servers for the system instruction. One
// without a tool that is offered is left out.
func (o *Offer) Prompt(offered map[string]bool) []prompt.Entry {
	return slices.DeleteFunc(slices.Clone(o.instructions), func(e prompt.Entry) bool { return !offered[e.Name] })
}

// Statuses are the servers of the settings as they are now.
func (o *Offer) Statuses() []Status {
	var out []Status
	waiting := o.pool.Waiting()
	for _, s := range o.Now().All(o.Warn) {
		out = append(out, Status{Server: s, Err: o.pool.Err(s.Name), Starting: slices.Contains(waiting, s.Name)})
	}
	return out
}

// Sessions are the servers that are up.
func (o *Offer) Sessions() []*mcp.Session { return o.pool.Sessions() }

// Waiting reports whether a server is still on its way up.
func (o *Offer) Waiting() bool { return len(o.pool.Waiting()) > 0 }

// Resource is what "@server:uri" of a prompt brings; nil where no server of that
// name was started, or it does not offer uri.
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

// ToAgent starts the servers that an agent brings, and returns their tools and what
// ends them.
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
