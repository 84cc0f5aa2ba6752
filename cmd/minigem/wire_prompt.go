package main

import (
	"context"
	"path/filepath"
	"runtime"
	"time"

	"minigem/internal/contextfile"
	"minigem/internal/prompt"
	"minigem/tools/policy"
)

// treeTime bounds how long drawing the directory tree may keep a start waiting.
const treeTime = 200 * time.Millisecond

// wirePrompt reads the context files. It stands before the session, whose first
// message tells of them.
func (r *rig) wirePrompt(_ context.Context, sys *system, w *wiring) error {
	r.now = sys.Now
	s := r.settings.Context
	c := contextfile.Config{
		Names: contextfile.Names(s.FileName), GlobalDir: r.dotGemini,
		Markers: s.MemoryBoundaryMarkers, Flat: s.ImportFormat == "flat",
		Extensions: r.extensionContext(),
		Memory:     filepath.Join(r.project.Temp, "memory", "MEMORY.md"),
	}
	if r.trust.trusted {
		c.Dirs = r.workspace.Dirs()[:1]
		if s.LoadMemoryFromIncludeDirectories {
			c.Dirs = r.workspace.Dirs()
		}
	}
	r.context = contextfile.Load(c)
	r.finder = contextfile.NewFinder(c, r.context)
	for _, warning := range r.context.Warnings {
		w.warn(warning.String())
	}
	return nil
}

// preamble is the first message of a session.
func (r *rig) preamble() string {
	ctx, cancel := context.WithTimeout(context.Background(), treeTime)
	defer cancel()
	return prompt.Preamble(ctx, prompt.Surroundings{
		Now: r.now(), OS: runtime.GOOS, TempDir: r.project.Temp, Dirs: r.workspace.Dirs(),
		Tree: r.settings.Context.IncludeDirectoryTree,
		Ignored: func(path string, dir bool) bool {
			ignored, err := r.workspace.Ignored(path, dir, r.ignore())
			return err == nil && ignored
		},
		Extensions: contextfile.Render(r.context.Extension, r.dir),
		Project:    contextfile.Render(r.context.Project, r.dir),
	})
}

// systemPrompt returns the system instruction, which follows the approval mode
// and the tools on offer.
func (r *rig) systemPrompt(interactive bool, warn func(string)) func() string {
	s := prompt.System{
		Interactive: interactive, Git: exists(filepath.Join(r.projectDir, ".git")), Hooks: len(r.hooks.Hooks) > 0,
		Memory: contextfile.Render(r.context.Global, r.dir), Root: r.projectDir, Home: r.home, Getenv: r.lookup,
	}
	var last prompt.System
	var text string
	return func() string {
		now := s
		now.Yolo, now.Plan = r.policy.Mode() == policy.ModeYolo, r.policy.Mode() == policy.ModePlan
		if text != "" && now.Yolo == last.Yolo && now.Plan == last.Plan {
			return text
		}
		now.Tools, now.MCP = r.toldOf()
		out, err := now.Text()
		if err != nil {
			warn(err.Error())
		}
		last, text = now, out
		return text
	}
}

// toldOf are the names of the tools on offer, and what their MCP servers say of
// them. A server whose tools are all held back has no say.
func (r *rig) toldOf() (names []string, servers []prompt.Entry) {
	offering := map[string]bool{}
	for _, t := range r.registry.All() {
		if !r.policy.Offered(t) {
			continue
		}
		names = append(names, t.Spec().Name)
		if m := t.Info().MCP; m != nil {
			offering[m.Server] = true
		}
	}
	for _, e := range r.instructions {
		if offering[e.Name] {
			servers = append(servers, e)
		}
	}
	return names, servers
}
