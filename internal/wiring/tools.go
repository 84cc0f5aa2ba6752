package wiring

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"minigem/agent/event"
	"minigem/hooks"
	"minigem/internal/contextfile"
	"minigem/internal/sandbox"
	"minigem/internal/skills"
	"minigem/internal/slash"
	"minigem/internal/telemetry"
	"minigem/llm"
	"minigem/tools"
	"minigem/tools/builtin"
	"minigem/tools/policy"
	"minigem/tools/workspace"
)

func (r *Runtime) wireTools(_ context.Context) error {
	s := r.Config.Settings
	if s.Experimental.DirectWebFetch {
		r.warn("experimental.directWebFetch has no effect: web_fetch takes a prompt that contains the addresses")
	}
	processes := &builtin.Processes{}
	r.closers = append(r.closers, func() error { processes.Close(); return nil })
	r.Registry = &tools.Registry{}
	r.Skills.Now = func() skills.Set { return r.Config.Skills() }
	r.Skills.Workspace, r.Skills.Engine, r.Skills.Session = r.Workspace, r.Engine, r.Session
	r.Skills.Replace, r.Skills.Warn = r.MCP.Replace, r.warn
	r.Skills.Load()
	r.Skills.Resume()
	var topic func() string
	if s.General.TopicUpdateNarration {
		topic = r.Session.ID
	}
	var planTools builtin.Plans
	if s.General.Plan.Enabled {
		planTools = r.Plans.Tools(r.warn)
	}
	all, err := builtin.All(builtin.Options{
		Workspace: r.Workspace,
		Ignore:    r.ignore(),
		Shell: builtin.ShellOptions{
			Env:        r.Config.ChildEnv,
			Unasked:    r.sys.Env,
			Prelude:    r.forClaude.prelude,
			Inactivity: time.Duration(s.Tools.Shell.InactivityTimeout) * time.Second,
			Processes:  processes,
			Confine:    r.Sandbox.Confine,
			Sandbox:    r.Sandbox.All,
			// In a big folder it looks at only some entries, because the model is
			// waiting.
			Created: func() string { return r.Sandbox.Created(10_000) },
			Within:  r.sys.Within,
			NotRun:  r.sys.NotRun,
			Reading: r.reading(),
		},
		Web: builtin.WebOptions{Generator: r.sideModel(telemetry.RoleTool), SearchModel: webModel,
			FetchModel: webModel, Now: r.now},
		Plans:  planTools,
		Asker:  r.front.Asker,
		Skills: r.Skills.Tools(), Session: topic,
		Memory: builtin.MemoryFiles{User: filepath.Join(r.Config.DotGemini, ContextName(r)), Project: r.ProjectMemory(),
			Workspace: r.Workspace},
		Now:    r.now,
		Nearby: func(path string) string { return r.finder.Nearby(path, r.Config.Dir, r.warn) },
	})
	r.Registry.Add(all...)
	r.Registry.Add(r.wireAgents()...)
	return err
}

// reading returns what commands may open that only read.
func (r *Runtime) reading() func(line, dir string) builtin.Reading {
	readers := &sandbox.Readers{Home: r.Config.Home, Path: r.sys.Getenv("PATH"), Env: r.Config.ChildEnv,
		Dirs: func() []string { return append(r.Workspace.Dirs(), r.Config.ProjectDir) },
		Copy: filepath.Join(r.Project.Temp, "gitconfig")}
	return func(line, dir string) builtin.Reading {
		rules, env := readers.Rules(line, dir)
		return builtin.Reading{Files: rules.Read, Hidden: rules.Hidden, Programs: rules.Execute,
			Prelude: sandbox.ReadersPrelude, Env: env}
	}
}

// webModel is the model that searches the web and reads pages.
const webModel = "gemini-2.5-flash"

// ContextName returns the name for a new context file.
func ContextName(r *Runtime) string {
	if names := r.Config.Settings.Context.FileName; len(names) > 0 {
		return names[0]
	}
	return contextfile.DefaultName
}

// ProjectMemory returns the file for facts about the project. It is empty if the folder
// is not trusted, because the file would not be read again.
func (r *Runtime) ProjectMemory() string {
	if !r.Config.Trust.Trusted {
		return ""
	}
	return filepath.Join(r.Config.Dir, ContextName(r))
}

// ignore returns which files reading and searching leave out.
func (r *Runtime) ignore() workspace.Ignore {
	f := r.Config.Settings.Context.FileFiltering
	return workspace.Ignore{Git: f.RespectGitIgnore, Gemini: f.RespectGeminiIgnore, Custom: f.CustomIgnoreFilePaths}
}

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
