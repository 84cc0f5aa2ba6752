package wiring

import (
	"cmp"
	"context"

	"minigem/hooks"
	"minigem/hooks/command"
	"minigem/hooks/judge"
	"minigem/internal/models"
	"minigem/llm"
)

// hookRunner runs hooks of every kind in a session: those of HookRunner, and those that
// need the session's model or its MCP servers.
func (r *Runtime) hookRunner(children *command.Children) hooks.ByKind {
	kinds := r.Config.HookRunner(children)
	judgeBy := func(m llm.Provider) hooks.Runner {
		return judge.Runner{Model: r.sideModelOf(m, judge.Role), Name: func(model string) string {
			return models.Name(cmp.Or(model, "flash-lite"))
		}}
	}
	kinds["prompt"], kinds["mcp_tool"] = judgeBy(r.Model), r.MCP.Hooks()
	if r.ownModel != nil {
		kinds["prompt"] = byOrigin{project: judgeBy(r.Model), others: judgeBy(r.ownModel)}
	}
	return kinds
}

// byOrigin runs a project's hooks with one runner and all others with another, because
// a project must not decide which model judges for the others.
type byOrigin struct{ project, others hooks.Runner }

// Run implements hooks.Runner.
func (b byOrigin) Run(ctx context.Context, h hooks.Hook, stdin hooks.Payload, env []string) hooks.Exit {
	if h.Source.OfProject() {
		return b.project.Run(ctx, h, stdin, env)
	}
	return b.others.Run(ctx, h, stdin, env)
}
