package app

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"minigem/internal/atomicfile"
	"minigem/internal/contextfile"
	"minigem/internal/sandbox"
	"minigem/internal/skills"
	"minigem/internal/telemetry"
	"minigem/llm"
	"minigem/session"
	"minigem/tools"
	"minigem/tools/builtin"
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
			Hidden: func(dir string) []string {
				return sandbox.Secrets(r.Config.Home, append(r.Workspace.Dirs(), r.Config.ProjectDir, dir))
			},
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

// saveOutput saves the full text of an output that is cut for the model.
func (r *Runtime) saveOutput(call llm.ToolCall, text string) (string, error) {
	dir := session.ToolOutputs(r.Project, r.Session.ID())
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	name := strings.Map(func(c rune) rune {
		if strings.ContainsRune(idCharacters, c) {
			return c
		}
		return '_'
	}, call.ID)
	path := filepath.Join(dir, name+".txt")
	return path, atomicfile.WriteText(path, text, 0o600)
}
