package wiring

import (
	"context"
	"path/filepath"
	"runtime"

	"minigem/internal/app"
	"minigem/internal/contextfile"
	"minigem/internal/prompt"
	"minigem/tools/policy"
)

// ReadContext reads the context files. It comes before the session, whose first message
// contains them.
func (r *Runtime) ReadContext() {
	s := r.Config.Settings.Context
	c := contextfile.Config{
		Names: contextfile.Names(s.FileName), GlobalDir: r.Config.DotGemini,
		Markers: s.MemoryBoundaryMarkers, Flat: s.ImportFormat == "flat",
		Memory: filepath.Join(r.Project.Temp, "memory", "MEMORY.md"),
	}
	for _, e := range r.Config.Extensions.Used {
		c.Extensions = append(c.Extensions, contextfile.Extension{Dir: e.Dir, Files: e.Context})
	}
	if r.Config.Trust.Trusted {
		c.Dirs = r.Workspace.Dirs()[:1]
		if s.LoadMemoryFromIncludeDirectories {
			c.Dirs = r.Workspace.Dirs()
		}
	}
	r.Context = contextfile.Load(c)
	r.finder = contextfile.NewFinder(c, r.Context)
	for _, warning := range r.Context.Warnings {
		r.warn(warning.String())
	}
}

// preamble returns the first message of a session.
func (r *Runtime) preamble() string {
	ctx, cancel := context.WithTimeout(context.Background(), prompt.TreeTime)
	defer cancel()
	return prompt.Preamble(ctx, prompt.Surroundings{
		Now: r.now(), OS: runtime.GOOS, TempDir: r.Project.Temp, Dirs: r.Workspace.Dirs(),
		Tree: r.Config.Settings.Context.IncludeDirectoryTree,
		Ignored: func(path string, dir bool) bool {
			ignored, err := r.Workspace.Ignored(path, dir, r.ignore())
			return err == nil && ignored
		},
		Extensions: contextfile.Render(r.Context.Extension, r.Config.Dir),
		Project:    contextfile.Render(r.Context.Project, r.Config.Dir),
	})
}

// SystemPrompt returns a function that makes the system instruction for the current
// approval mode and tools.
func (r *Runtime) SystemPrompt() func() string {
	var last policy.Mode
	var offered int64
	var text, plans string
	s := r.system()
	return func() string {
		mode := r.Policy.Mode()
		dir, _ := r.Plans.Dir(r.Session.ID())
		if text != "" && mode == last && offered == r.MCP.Version() && dir == plans {
			return text
		}
		plans, s.PlansDir = dir, dir
		s.Yolo, s.Plan = mode == policy.ModeYolo, mode == policy.ModePlan
		s.Tools, s.MCP = r.promptTools()
		s.Skills, s.Agents = r.Skills.Prompt(s.Tools), r.Agents.Prompt(s.Tools)
		out, err := s.Text()
		if err != nil {
			r.warn(err.Error())
		}
		last, offered, text = mode, r.MCP.Version(), out
		return text
	}
}

// system returns the parts of the system instruction that do not depend on the approval
// mode or the tools.
func (r *Runtime) system() prompt.System {
	c := r.Config
	return prompt.System{
		Interactive: r.front.Interactive, Git: app.Exists(filepath.Join(c.ProjectDir, ".git")), Hooks: len(c.Hooks.Hooks) > 0,
		Memory: contextfile.Render(r.Context.Global, c.Dir), Sandbox: r.Sandbox.All, Root: c.ProjectDir,
		Home: c.Home, Getenv: func(name string) string { return r.Config.Lookup(name) },
	}
}

// promptTools returns the names of the offered tools and the instructions of their MCP
// servers. It leaves out servers without offered tools.
func (r *Runtime) promptTools() (names []string, servers []prompt.Entry) {
	offering := map[string]bool{}
	for _, t := range r.Registry.All() {
		if !r.Policy.Offered(t) {
			continue
		}
		names = append(names, t.Spec().Name)
		if m := t.Info().MCP; m != nil {
			offering[m.Server] = true
		}
	}
	return names, r.MCP.Prompt(offering)
}
