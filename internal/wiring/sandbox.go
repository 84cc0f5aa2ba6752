package wiring

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"minigem/hooks/config"
	"minigem/internal/app"
	"minigem/internal/proc"
	"minigem/internal/text"
)

// wireSandbox makes the sandbox if all commands are to be confined. If that fails, the
// session does not begin.
func (r *Runtime) wireSandbox(ctx context.Context) error {
	s := &r.Sandbox
	s.Place, s.Workspace, s.Temp = r.Config.Place, r.Workspace, r.Project.Temp
	c, others := r.Config, sync.OnceValue(r.runsLater) // found before anything is written
	s.Scripts = func() []string { return append(config.AllScripts(c.ProjectDir, c.Hooks.Config), others()...) }
	s.Widened = func(warn func(string)) ([]string, bool, error) { return app.SandboxWidened(r.Config, warn) }
	s.Context, s.Folders, s.Warn = ctx, r.Config.TrustedFolders(), r.warn
	r.closers = append(r.closers, s.Close)
	wanted, err := app.SandboxWanted(r.Config, r.sys, r.Flags)
	if err != nil || !wanted {
		return err
	}
	// A command can make a hook fail without killing it.
	r.Engine.BlockFailed = true
	return s.ConfineAll()
}

// runsLater returns files and folders by which programs run later, and which have no
// well-known names.
func (r *Runtime) runsLater() []string {
	c := r.Config
	out := append(gitPrograms(r.Workspace.Dirs(), c.Env), slices.Concat(r.Flags.Policies, c.Settings.PolicyPaths)...)
	for _, e := range c.Extensions.Used {
		out = append(out, e.Dir)
	}
	for _, f := range c.Loaded.Files {
		out = append(out, f.Path)
	}
	for i := range out {
		out[i] = app.AbsoluteIn(c.Place, out[i])
	}
	return out
}

// gitPrograms returns where git takes programs from in dirs, besides its own folder: the
// folder of its hooks, and the files of its configuration with those that they include.
func gitPrograms(dirs, env []string) []string {
	var out []string
	for _, dir := range dirs {
		git := func(args ...string) string {
			said, _ := proc.Git(context.Background(), proc.Command{Dir: dir, Env: proc.GitEnviron(env)}, args...)
			return said // empty if this is no repository
		}
		own, hooks, _ := strings.Cut(git("rev-parse", "--absolute-git-dir", "--git-path", "hooks"), "\n")
		if own == "" {
			continue
		}
		out = append(out, text.Abs(dir, hooks))
		lines := strings.Split(git("--git-dir="+own, "config", "--show-origin", "-z", "--list"), "\x00")
		for i := 0; i+1 < len(lines); i += 2 {
			file := text.Abs(own, strings.TrimPrefix(lines[i], "file:"))
			out = append(out, file)
			key, value, _ := strings.Cut(lines[i+1], "\n")
			if strings.HasPrefix(key, "include") {
				out = append(out, text.Abs(filepath.Dir(file), value))
			}
		}
	}
	return out
}

// unconfined explains why read-only commands are asked about. err is why the system
// cannot confine them; if nil, they are not asked about and the result is "".
func unconfined(err error) string {
	if err == nil {
		return ""
	}
	return fmt.Sprintf("it only reads, but this machine cannot enforce that (%v): name such commands in tools.allowed "+
		"to run them without asking", err)
}
