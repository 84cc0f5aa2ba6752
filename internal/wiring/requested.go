package wiring

import (
	"context"
	"fmt"
	"minigem/agent/event"
	"minigem/hooks"
	"minigem/internal/slash"
	"minigem/llm"
	"minigem/tools/policy"
)

// Files returns the files that a prompt may name.
func (r *Runtime) Files() slash.Files {
	return slash.Files{Workspace: r.Workspace, Ignore: r.ignore(),
		Search:   r.Config.Settings.Context.FileFiltering.EnableRecursiveFileSearch,
		Resource: r.MCP.Resource, Agent: r.Agents.Has}
}

// Activate activates a skill that the user requested. The same hooks run as for the
// model, but the policy does not ask.
func (r *Runtime) Activate(ctx context.Context, name string) hooks.Verdict {
	call := llm.ToolCall{Name: "activate_skill", Args: map[string]any{"name": name}}
	call.ID = fmt.Sprintf("%s_%d_u%d", call.Name, r.now().UnixMilli(), len(r.Session.Messages()))
	r.Session.Append(llm.Message{Role: llm.RoleModel, Parts: []llm.Part{call}})
	r.sink.Emit(event.ToolRequested{Call: call})
	runner := *r.runner
	runner.Policy, runner.Offered = wanted{r.Policy}, nil
	results, verdict := runner.Run(ctx, []llm.ToolCall{call}, nil)
	r.Session.Append(llm.Message{Role: llm.RoleUser, Parts: []llm.Part{results[0]}})
	return verdict
}

// wanted is the policy for a call that the user requested.
type wanted struct{ *policy.Engine }

// Check implements toolcall.Policy.
func (p wanted) Check(c policy.Call) policy.Verdict {
	c.Wanted = true
	return p.Engine.Check(c)
}
