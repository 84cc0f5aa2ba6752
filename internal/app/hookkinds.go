package app

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"minigem/hooks"
	"minigem/hooks/command"
	"minigem/hooks/jsonc"
	"minigem/hooks/judge"
	"minigem/internal/mcp"
	"minigem/internal/models"
	"minigem/llm"
)

// hookRunner runs hooks of every kind in a session: those of HookRunner, and what
// needs its model and its MCP servers.
func (r *Runtime) hookRunner(sys *System, children *command.Children) hooks.ByKind {
	kinds := r.Config.HookRunner(children)
	judgeBy := func(m llm.Provider) hooks.Runner {
		return judge.Runner{Model: r.sideModelOf(m, sys, judge.Role), Name: func(model string) string {
			return models.Name(cmp.Or(model, "flash-lite"))
		}}
	}
	of := func(ctx context.Context, server string) (*mcp.Session, error) { return r.mcp.pool.Session(ctx, server) }
	kinds["prompt"], kinds["mcp_tool"] = judgeBy(r.Model), mcpHooks{of}
	if r.ownModel != nil {
		kinds["prompt"] = byOrigin{project: judgeBy(r.Model), others: judgeBy(r.ownModel)}
	}
	if r.Config.own != nil {
		kinds["mcp_tool"] = byOrigin{project: mcpHooks{of}, others: mcpHooks{r.ownMCPSession}}
	}
	return kinds
}

// byOrigin runs a project's hooks by one runner, and all others by another one:
// what a project brings must not decide what those ask.
type byOrigin struct{ project, others hooks.Runner }

// Run implements hooks.Runner.
func (b byOrigin) Run(ctx context.Context, h hooks.Hook, stdin hooks.Payload, env []string) hooks.Exit {
	if h.Source.OfProject() {
		return b.project.Run(ctx, h, stdin, env)
	}
	return b.others.Run(ctx, h, stdin, env)
}

// ownMCPSession is the server of that name as it would be without the project. It
// is the session's where the project changes nothing about it, and else one of its
// own, which starts when it is first asked.
func (r *Runtime) ownMCPSession(ctx context.Context, name string) (*mcp.Session, error) {
	quiet := func(string) {}
	named := func(s mcp.Server) bool { return s.Name == name }
	own := &Runtime{Config: r.Config.own, Flags: r.Flags}
	mine := slices.DeleteFunc(own.MCPServers(quiet), func(s mcp.Server) bool { return !named(s) })
	if len(mine) == 0 {
		return nil, fmt.Errorf("no MCP server is called %q in your own settings, or it is not allowed", name)
	}
	theirs := slices.DeleteFunc(r.MCPServers(quiet), func(s mcp.Server) bool { return !named(s) })
	if len(theirs) == 1 && sameServer(mine[0], theirs[0]) {
		return r.mcp.pool.Session(ctx, name)
	}
	return r.mcp.ownPool(mine[0]).Session(ctx, name)
}

// sameServer reports whether a and b are reached in the same way. The sign-in
// depends on the name and the URL alone.
func sameServer(a, b mcp.Server) bool {
	a.Tokens, b.Tokens = nil, nil
	return reflect.DeepEqual(a, b)
}

// mcpHooks runs hooks of the type "mcp_tool": what the tool of a server says is
// read as the stdout of a command is.
type mcpHooks struct {
	session func(ctx context.Context, server string) (*mcp.Session, error)
}

// Run implements hooks.Runner.
func (m mcpHooks) Run(ctx context.Context, h hooks.Hook, stdin hooks.Payload, _ []string) hooks.Exit {
	began := time.Now()
	said, err := m.call(ctx, h, stdin.Bytes())
	e := hooks.Exit{Stdout: []byte(said), Err: err, Duration: time.Since(began)}
	if ctx.Err() != nil {
		e.Err = ctx.Err()
	}
	if e.Err != nil {
		e.Code = -1
	}
	return e
}

func (m mcpHooks) call(ctx context.Context, h hooks.Hook, payload []byte) (string, error) {
	s, err := m.session(ctx, h.Server)
	if err != nil {
		return "", err
	}
	for _, t := range s.Tools() {
		if t.Info().MCP.Tool != h.Tool {
			continue
		}
		call, err := t.Prepare(filled(h.Input, payload))
		if err != nil {
			return "", fmt.Errorf("the arguments are not those of the tool: %w", err)
		}
		return call.(interface {
			Answer(ctx context.Context) (string, error)
		}).Answer(ctx)
	}
	return "", fmt.Errorf("the MCP server %s offers no tool %q", h.Server, h.Tool)
}

var ofPayload = regexp.MustCompile(`\$\{([\w.]+)\}`)

// filled is a hook's input with fields of the payload in the place of
// ${tool_input.file_path} and the like, as in Claude Code.
func filled(input map[string]any, payload []byte) map[string]any {
	data, err := json.Marshal(input)
	if err != nil || input == nil {
		return map[string]any{}
	}
	var copied map[string]any
	_ = json.Unmarshal(data, &copied) // it was just written
	jsonc.MapTexts(copied, func(text string) string {
		return ofPayload.ReplaceAllStringFunc(text, func(ref string) string {
			return gjson.GetBytes(payload, ofPayload.FindStringSubmatch(ref)[1]).String()
		})
	})
	return copied
}
