package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"minigem/hooks"
	"minigem/hooks/jsonc"
	"minigem/internal/mcp"
)

// Hooks runs hooks of the type "mcp_tool". The tool's answer is read like the stdout of
// a command. A project's hooks use the session's servers. All others use the servers as
// they would be without the project, because a project must not decide which server
// those ask.
func (o *Offer) Hooks() hooks.Runner {
	return mcpHooks{func(ctx context.Context, h hooks.Hook) (*mcp.Session, error) {
		if o.Own == nil || h.Source.OfProject() {
			return o.pool.Session(ctx, h.Server)
		}
		return o.ownSession(ctx, h.Server)
	}}
}

// ownSession returns the session of the server called name as it would be without the
// project. If the project does not change it, that is the session's own. Otherwise it
// is a separate server that starts on first use.
func (o *Offer) ownSession(ctx context.Context, name string) (*mcp.Session, error) {
	named := func(s Set) []mcp.Server {
		return slices.DeleteFunc(s.Wanted(func(string) {}), func(s mcp.Server) bool { return s.Name != name })
	}
	mine := named(o.Own())
	if len(mine) == 0 {
		return nil, fmt.Errorf("no MCP server is called %q in your own settings, or it is not allowed", name)
	}
	if theirs := named(o.Now()); len(theirs) == 1 && sameServer(mine[0], theirs[0]) {
		return o.pool.Session(ctx, name)
	}
	return o.ownPool(mine[0]).Session(ctx, name)
}

// ownPool returns the pool of one server for hooks that did not come with the project.
func (o *Offer) ownPool(s mcp.Server) *mcp.Pool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.own[s.Name] == nil {
		o.own[s.Name] = mcp.Start(o.ctx, []mcp.Server{s})
	}
	return o.own[s.Name]
}

// sameServer reports whether a and b are reached the same way. It ignores Tokens, which
// depend only on the name and the URL.
func sameServer(a, b mcp.Server) bool {
	a.Tokens, b.Tokens = nil, nil
	return reflect.DeepEqual(a, b)
}

type mcpHooks struct {
	session func(context.Context, hooks.Hook) (*mcp.Session, error)
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
	s, err := m.session(ctx, h)
	if err != nil {
		return "", err
	}
	for _, t := range s.Tools() {
		if t.Info().MCP.Tool != h.Tool {
			continue
		}
		call, err := t.Prepare(filled(h.Input, payload))
		if err != nil {
			return "", fmt.Errorf("the arguments do not fit the tool: %w", err)
		}
		return call.(interface {
			Answer(ctx context.Context) (string, error)
		}).Answer(ctx)
	}
	return "", fmt.Errorf("the MCP server %s offers no tool %q", h.Server, h.Tool)
}

var ofPayload = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{([\w.]+)\}`) })

// filled returns a hook's input with ${tool_input.file_path} and the like replaced by
// fields of the payload, as in Claude Code.
func filled(input map[string]any, payload []byte) map[string]any {
	data, err := json.Marshal(input)
	if err != nil || input == nil {
		return map[string]any{}
	}
	var copied map[string]any
	_ = json.Unmarshal(data, &copied) // it was just marshalled
	jsonc.MapTexts(copied, func(text string) string {
		return ofPayload().ReplaceAllStringFunc(text, func(ref string) string {
			return gjson.GetBytes(payload, ofPayload().FindStringSubmatch(ref)[1]).String()
		})
	})
	return copied
}
