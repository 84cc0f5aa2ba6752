package wiring

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"minigem/hooks"
	"minigem/hooks/command"
	"minigem/hooks/config"
	"minigem/hooks/elsewhere"
	"minigem/hooks/judge"
	"minigem/hooks/protocol"
	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/models"
	"minigem/internal/output"
	"minigem/llm"
	"minigem/session"
	"minigem/tools/builtin"
)

func (r *Runtime) wireHooks(_ context.Context) error {
	var trace *output.HookTrace
	if file := r.Flags.HookTrace; file != "" {
		var err error
		if trace, err = output.OpenHookTrace(file); err != nil {
			return exit.With(exit.Input, err)
		}
		r.closers = append(r.closers, trace.Close)
	}
	children := &command.Children{}
	r.closers = append(r.closers, children.Close)
	r.Engine = &hooks.Engine{
		Config: r.Config.Hooks.Config,
		Runner: r.hookRunner(children),
		Report: func(rep hooks.Report) {
			if r.Engine.RulesAt == nil {
				elsewhere.Compare(&rep)
			}
			session.NoteHook(r.Session, rep)
			r.telemetry.Hook(rep)
			if r.front.Reports != nil {
				r.front.Reports(rep)
			}
			if trace != nil {
				trace.Report(rep)
			}
		},
		Mask:  r.Config.Mask,
		Watch: watchHooks(r.Config, r.front.Asker),
		Mode:  func() string { return string(r.Policy.Mode()) },

		Transcript: func(_ *protocol.Dialect, of string) string { return r.forClaude.transcript(of, r.warn) },
		EnvFile:    func() (string, error) { return r.forClaude.envFile() },
	}
	r.closers = append(r.closers, r.Engine.Close)
	if r.front.Configure != nil {
		r.front.Configure(r.Engine)
	}
	return nil
}

// hookRunner runs hooks of every kind in a session: those of HookRunner, and those that
// need the session's model or its MCP servers.
func (r *Runtime) hookRunner(children *command.Children) hooks.ByKind {
	kinds := r.Config.HookRunner(children)
	judgeBy := func(m llm.Provider) hooks.Runner {
		return judge.Runner{
			Model: &side{r.telemetry.Model(m, judge.Role), judge.Role, r, false},
			Name:  func(model string) string { return models.Name(cmp.Or(model, "flash-lite")) },
		}
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

// watchHooks watches the files of the project's hooks. asker may be nil.
func watchHooks(c *app.Configuration, asker builtin.Asker) *config.Watch {
	watch := config.NewWatch(c.ProjectDir, c.Hooks.Config)
	watch.Agreed = func(h hooks.Hook) bool { return agreedTo(c, h) }
	if asker != nil {
		watch.Ask = func(ctx context.Context, h hooks.Hook, files []string) bool {
			return mayRunChanged(ctx, asker, h, files)
		}
	}
	return watch
}

// mayRunChanged asks the user whether a hook whose files changed may run.
func mayRunChanged(ctx context.Context, asker builtin.Asker, h hooks.Hook, files []string) bool {
	const run, no = "Run it", "Do not run it"
	said, ok := builtin.AskOne(ctx, asker, builtin.Question{
		Header: "A hook changed", Type: "choice",
		Question: fmt.Sprintf("The hook %q of this project loads what changed during the session: %s. "+
			"Look at it first: it runs as you.", h.ID(), strings.Join(files, ", ")),
		Options: []builtin.Option{
			{Label: no, Description: "what it guards is refused, until it changes again"},
			{Label: run, Description: "for this session, as it is now"},
		},
	})
	return ok && said == run
}

// agreedTo reports whether the user trusts a project's hook as it is now.
func agreedTo(c *app.Configuration, h hooks.Hook) bool {
	checks, err := c.TrustStore().Check(c.ProjectDir, hooks.Config{Hooks: []hooks.Hook{h}})
	return err == nil && len(checks) == 1 && checks[0].Status == config.TrustKnown
}
