package app

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"minigem/agent/event"
	"minigem/internal/mcp"
	"minigem/internal/prompt"
	"minigem/internal/slash"
	"minigem/internal/text"
	"minigem/llm"
	"minigem/tools"
)

// mcpSession is the MCP servers of a session, as far as the session knows them.
type mcpSession struct {
	pool         *mcp.Pool
	known        int64 // the version of the pool that the registry holds
	others       []tools.Tool
	instructions []prompt.Entry
	silenced     map[string]bool // tools that were said to be left out
	warn         func(string)
	elicit       func(context.Context, mcp.Form) mcp.Reply
	ctx          context.Context // bounds the starts of servers
	mu           sync.Mutex
	own          map[string]*mcp.Pool // a server each, for hooks that did not come with the project
}

// ownPool holds one server for hooks that did not come with the project.
func (m *mcpSession) ownPool(s mcp.Server) *mcp.Pool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.own[s.Name] == nil {
		if m.own == nil {
			m.own = map[string]*mcp.Pool{}
		}
		m.own[s.Name] = mcp.Start(m.ctx, []mcp.Server{s})
	}
	return m.own[s.Name]
}

func (m *mcpSession) close() {
	m.pool.Close()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.own {
		p.Close()
	}
}

// wireMCP starts the MCP servers of the settings and waits for none: the first
// request does.
func (r *Runtime) wireMCP(ctx context.Context, _ *System, w *Frontend) error {
	r.mcp.others, r.mcp.silenced, r.mcp.warn, r.mcp.ctx = r.Registry.All(), map[string]bool{}, w.Warn, ctx
	r.mcp.elicit = elicitor(w)
	r.closers = append(r.closers, func() error { r.mcp.close(); return nil })
	if w.HoldMCP {
		r.mcp.pool, r.mcp.known = mcp.Hold(ctx, r.MCPServers(w.Warn)), -1
	} else {
		r.StartMCP()
	}
	return nil
}

// HeldMCP returns what starts the servers that [Frontend].HoldMCP holds, from any
// goroutine.
func (r *Runtime) HeldMCP() (begin func()) { return r.mcp.pool.Begin }

// StartMCP starts the servers that the configuration names now, and ends those
// that ran before.
func (r *Runtime) StartMCP() {
	r.mcp.pool.Close()
	r.mcp.pool, r.mcp.known = mcp.Start(r.mcp.ctx, r.MCPServers(r.mcp.warn)), -1
}

// AwaitMCP waits until the MCP servers are up or have failed, which is reported, and
// takes over what they offer now. Nobody else may use the tools meanwhile.
func (r *Runtime) AwaitMCP(ctx context.Context) {
	if names := r.mcp.pool.Waiting(); len(names) > 0 {
		slow := time.AfterFunc(mcpPatience, func() {
			r.sink.Emit(event.Notice{Severity: "info", Text: "Waiting for MCP servers: " + strings.Join(names, ", ")})
		})
		defer slow.Stop()
	}
	for _, err := range r.mcp.pool.Wait(ctx) {
		r.mcp.warn(err.Error())
	}
	for _, note := range r.mcp.pool.Notes() {
		r.mcp.warn(note)
	}
	r.takeMCP()
}

// mcpPatience is how long servers may take before the user reads who is waited
// for.
const mcpPatience = 2 * time.Second

// takeMCP makes the tools of the session those of now.
func (r *Runtime) takeMCP() {
	version := r.mcp.pool.Version()
	if version == r.mcp.known {
		return
	}
	r.mcp.known, r.mcp.instructions = version, nil
	*r.Registry = *tools.NewRegistry(r.mcp.others...)
	sessions := r.mcp.pool.Sessions()
	for _, s := range sessions {
		if text := s.Instructions(); text != "" {
			r.mcp.instructions = append(r.mcp.instructions, prompt.Entry{Name: s.Name(), Text: text})
		}
		for _, t := range s.Tools() {
			if name := t.Spec().Name; r.Registry.Lookup(name) != nil {
				r.leaveOut(t, name)
				continue
			}
			r.Registry.Add(t)
		}
	}
	r.Registry.Add(mcp.ResourceTools(sessions)...)
}

func (r *Runtime) leaveOut(t tools.Tool, name string) {
	what := fmt.Sprintf("the tool %q of the MCP server %s is left out: another one is called %s too", t.Info().MCP.Tool,
		t.Info().MCP.Server, name)
	if !r.mcp.silenced[what] {
		r.mcp.silenced[what] = true
		r.mcp.warn(what)
	}
}

// MCPStatuses are the servers of the settings as they are now.
func (r *Runtime) MCPStatuses() []MCPStatus {
	var out []MCPStatus
	waiting := map[string]bool{}
	for _, name := range r.mcp.pool.Waiting() {
		waiting[name] = true
	}
	for _, s := range r.Config.AllMCPServers(r.Flags.AllowedMCP, r.mcp.warn) {
		out = append(out, MCPStatus{MCPServer: s, Err: r.mcp.pool.Err(s.Name), Starting: waiting[s.Name]})
	}
	return out
}

// MCPSessions are the servers that are up.
func (r *Runtime) MCPSessions() []*mcp.Session { return r.mcp.pool.Sessions() }

// MCPWaiting reports whether a server is still on its way up.
func (r *Runtime) MCPWaiting() bool { return len(r.mcp.pool.Waiting()) > 0 }

// An MCPPrompt is a prompt of a server, and the command that sends it.
type MCPPrompt struct {
	Command string
	mcp.Prompt
}

// MCPPrompts are the prompts of the servers that are up. A name that is taken, or
// that a server before it uses, has the server's before it
// (cli/services/McpPromptLoader.ts, cli/services/SlashCommandResolver.ts).
func (r *Runtime) MCPPrompts(taken []string) []MCPPrompt {
	var out []MCPPrompt
	var all []mcp.Prompt
	var names []slash.Custom
	for _, s := range r.mcp.pool.Sessions() {
		for _, p := range s.Prompts() {
			all = append(all, p)
			names = append(names, slash.Custom{Name: strings.Join(strings.Fields(p.Name), "-")})
		}
	}
	for i, p := range all {
		named := slash.Named(p.Server+"_", names[i:i+1], taken)[0]
		taken = append(taken, named.Name)
		out = append(out, MCPPrompt{named.Name, p})
	}
	return out
}

// resource is what "@server:uri" of a prompt brings; nil where no server of that
// name was started, or it does not offer uri.
func (r *Runtime) resource(ctx context.Context, name string) (shown string, parts []llm.Part, err error) {
	server, uri, ok := strings.Cut(name, ":")
	if !ok || !r.mcp.pool.Has(server) {
		return "", nil, nil
	}
	r.AwaitMCP(ctx)
	for _, s := range r.mcp.pool.Sessions() {
		if s.Name() == server {
			parts, err = s.Read(ctx, uri)
		}
	}
	if parts == nil && err == nil {
		err = fmt.Errorf("the MCP server %s offers no resource %s", server, text.VisibleLine(uri))
	}
	return uri, parts, err
}
