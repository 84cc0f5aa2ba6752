package app

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"minigem/hooks"
	"minigem/hooks/config"
	"minigem/internal/runslater"
	"minigem/internal/text"
	"minigem/tools/builtin"
	"minigem/tools/policy"
	"minigem/tools/workspace"
)

// How the project, and the agent in it, could disable the user's hooks, and
// This file keeps the project, and the agent in it, from silently disabling the user's
// hooks.

// switchedOff names the user's and the system's hooks that the project's settings turn
// off. A project may do that, but not silently.
func (c *Configuration) switchedOff() []string {
	var out []string
	for _, s := range c.Sections {
		if s.Layer != hooks.LayerProject && !s.InProject {
			continue
		}
		if s.Enabled != nil && !s.Enabled.On && c.Hooks.Off != "" {
			if n := len(slices.DeleteFunc(slices.Clone(c.Hooks.Hooks), func(h hooks.Hook) bool {
				return h.Source.OfProject()
			})); n > 0 {
				out = append(out, fmt.Sprintf("%s:%d: this project turns all hooks off, including %d of yours or the system's",
					s.File, s.Enabled.Line, n))
			}
		}
		for _, d := range s.Disabled {
			if i := slices.IndexFunc(c.Hooks.Hooks, func(h hooks.Hook) bool {
				return h.ID() == d.ID && !h.Source.OfProject()
			}); i >= 0 {
				h := c.Hooks.Hooks[i]
				out = append(out, fmt.Sprintf("%s:%d: this project turns off the %s hook %q of %s", s.File, d.Line, h.Event, d.ID,
					h.Source))
			}
		}
	}
	return out
}

// extensionSwitchedOff returns a message if the project turns off an extension of the
// user's that has hooks, else "".
func (c *Configuration) extensionSwitchedOff(e config.Extension) string {
	if c.own == nil || e.InProject || !slices.Contains(c.Settings.Extensions.Disabled, e.Name) ||
		slices.Contains(c.own.Settings.Extensions.Disabled, e.Name) {
		return ""
	}
	s, err := config.LoadExtension(e, c.Dir, nil)
	if err == nil && len(s.Hooks) == 0 {
		return ""
	}
	return fmt.Sprintf("this project turns off your extension %s (extensions.disabled), and its hooks with it",
		text.VisibleLine(e.Name))
}

// runsPrograms reports whether changing the file at path, or with below set anything in
// that directory, is more than an edit, because programs run what the file says, now or
// later, or because it is minigem's own memory. It follows links both ways: path may
// lead to such a file, and the name of such a file may lead to path.
func (r *Runtime) runsPrograms(path string, below bool) bool {
	if _, err := r.Workspace.Resolve(path); err == nil && !r.Workspace.Writable(path) {
		return true
	}
	real, err := workspace.Follow(r.Workspace.Abs(path))
	if err != nil {
		return true
	}
	if rel, ok := belowTemp(r.Project.Temp, real); ok {
		return runslater.Match(rel) != ""
	}
	guarded := append(config.AllScripts(r.Config.ProjectDir, r.Config.Hooks), r.Config.DotGemini)
	for _, dir := range append(r.Workspace.Dirs(), r.Config.ProjectDir) {
		guarded = append(guarded, laterIn(dir, fs.ModeSymlink)...)
	}
	switch inside := func(file string) bool { return within(file, real) }; {
	case runslater.Match(real) != "", runslater.Match(filepath.Clean(path)) != "", slices.ContainsFunc(guarded, inside):
		return true
	case !below:
		return false
	}
	guarded = append(guarded, r.Config.Dir, filepath.Join(r.Config.ProjectDir, ".git"))
	return slices.ContainsFunc(guarded, func(file string) bool { return within(real, file) })
}

// belowTemp returns path relative to the project's folder for temporary files, and
// whether it is in that folder.
func belowTemp(temp, path string) (string, bool) {
	if real, err := filepath.EvalSymlinks(temp); err == nil {
		temp = real
	}
	return text.Below(temp, path)
}

// laterIn returns the entries of dir that make programs run later. If only is set, it
// returns only entries of that type.
func laterIn(dir string, only fs.FileMode) []string {
	var out []string
	entries, _ := os.ReadDir(dir) // a folder that cannot be read cannot be written to either
	for _, e := range entries {
		if e.Type()&only == only && runslater.Match(e.Name()) != "" {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out
}

// refusedFile returns a file that a command reads although the file tools would refuse
// it.
func (r *Runtime) refusedFile(read policy.Reading) string {
	return r.Workspace.Refused(read.Path, workspace.Reach{
		Pattern: read.Pattern, Names: read.Names, Below: read.Below, Visible: read.Visible, Links: read.Links,
	}, r.ignore())
}

// within compares paths with links resolved and ignoring case, as some file systems do.
// A path that cannot be resolved is compared as it is.
func within(dir, path string) bool {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return text.Inside(strings.ToLower(dir), strings.ToLower(path))
}

// watchHooks watches the files of the project's hooks. asker may be nil.
func watchHooks(c *Configuration, asker builtin.Asker) *config.Watch {
	watch := config.NewWatch(c.ProjectDir, c.Hooks)
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
func agreedTo(c *Configuration, h hooks.Hook) bool {
	checks, err := c.TrustStore().Check(c.ProjectDir, hooks.Config{Hooks: []hooks.Hook{h}})
	return err == nil && len(checks) == 1 && checks[0].Status == config.TrustKnown
}
