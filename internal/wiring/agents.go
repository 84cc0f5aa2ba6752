package wiring

import (
	"strings"

	"minigem/agent"
	"minigem/agent/subagent"
	"minigem/internal/contextfile"
	"minigem/internal/subagents"
	"minigem/internal/telemetry"
	"minigem/session"
	"minigem/tools"
	"minigem/tools/toolcall"
)

// wireAgents returns the tool invoke_agent, or nil if there are no agents.
func (r *Runtime) wireAgents() []tools.Tool {
	r.Agents.Now = func() subagents.Set { return r.Config.Agents() }
	r.Agents.Misfit, r.Agents.MCP, r.Agents.Warn = r.Models.Misfit, &r.MCP, r.warn
	r.Agents.Open(subagent.Options{
		Model:   r.telemetry.Model(r.Model, telemetry.RoleSubagent),
		Runner:  func() *toolcall.Runner { return r.runner },
		Hooks:   r.Engine,
		Sink:    r.sink,
		Offered: func(agent string, t tools.Tool) bool { return r.Policy.OfferedTo(agent, t) },
		Config: agent.Config{
			Model: r.Models.Name, Now: r.now,
			System: func() string { // besides the agent's own instructions
				return strings.TrimSpace(r.preamble() + "\n\n" + contextfile.Render(r.Context.Global, r.Config.Dir))
			},
			MaxRetries:           r.Config.Hooks.MaxRetries,
			DisableLoopDetection: r.Config.Settings.Model.DisableLoopDetection,
		},
		Choose: r.Models.OfAgent,
		Record: func(t subagent.Task) subagent.Record {
			return subagents.Record(t, session.Options{
				Project: r.Project, Parent: r.Session.ID(), Directories: r.Workspace.Dirs()[1:],
				Mask: r.Config.Mask, Warn: func(err error) { r.warn(err.Error()) }, Now: r.now,
			})
		},
		Compressor: func(h agent.History, model string) agent.Compressor {
			return r.compressorOf(h, model)
		},
	})
	return r.Agents.Tool()
}
