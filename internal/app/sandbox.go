package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"minigem/hooks/config"
	"minigem/internal/exit"
	"minigem/internal/runslater"
	"minigem/internal/sandbox"
	"minigem/internal/settings"
	"minigem/internal/text"
	"minigem/internal/trust"
	"minigem/tools/workspace"
)

// wireSandbox makes the sandbox if all commands are to be confined. If that fails, the
// session does not begin. Otherwise the sandbox is made for the first command that a
// rule allows only in the sandbox.
func (r *Runtime) wireSandbox(ctx context.Context, sys *System, w *Frontend) error {
	var opened atomic.Pointer[sandbox.Sandbox]
	var made atomic.Bool
	own := filepath.Join(r.Config.Dir, ".gemini")
	open := sync.OnceValues(func() (*sandbox.Sandbox, error) {
		// A folder that does not exist cannot be protected.
		made.Store(r.Config.Dir == r.Config.ProjectDir && os.Mkdir(own, 0o755) == nil)
		s, err := r.openSandbox(ctx, w)
		opened.Store(s)
		return s, err
	})
	r.confine = func(argv []string, attr *os.ProcAttr) ([]string, error) {
		s, err := open()
		if err != nil {
			return nil, err
		}
		return s.Confine(argv, attr)
	}
	r.closers = append(r.closers, func() error {
		if made.Load() {
			_ = os.Remove(own) // stays if there is a file in it
		}
		if r.created != nil {
			if made := r.created(runslater.All); made != "" {
				w.Warn(made)
			}
		}
		if s := opened.Load(); s != nil {
			return s.Close()
		}
		return nil
	})
	wanted, err := r.Config.sandboxWanted(sys, r.Flags)
	if err != nil || !wanted {
		return err
	}
	if r.Sandbox, err = open(); err != nil {
		return err
	}
	// A command can make a hook fail without killing it.
	r.Engine.BlockFailed = true
	allowed, _, err := r.Config.sandboxWidened(func(string) {})
	r.Workspace.Keep(func(path string) bool {
		return r.runsPrograms(path, false) && len(unless(allowed, []string{path})) > 0
	})
	return err
}

func (r *Runtime) openSandbox(ctx context.Context, w *Frontend) (*sandbox.Sandbox, error) {
	allowed, network, err := r.Config.sandboxWidened(w.Warn)
	if err != nil {
		return nil, err
	}
	writable, deep := slices.Concat(r.Workspace.Dirs(), allowed), sync.OnceValue(func() []string {
		before := deepLater(r, w.Warn)
		r.created = func(most int) string { return createdSince(r, before, most) }
		return before
	})
	for _, dir := range r.Workspace.Dirs() {
		worktrees, _ := filepath.Glob(filepath.Join(dir, ".gemini", "worktrees", "*")) // the pattern is valid
		writable = append(writable, worktrees...)
	}
	s, err := sandbox.Open(ctx, sandbox.Options{
		Writable: writable,
		Kept:     func() []string { return append(r.protected(allowed), unless(allowed, deep())...) },
		Network:  network,
	})
	switch {
	case errors.Is(err, sandbox.ErrUnavailable):
		return nil, exit.Errorf(
			exit.Config, "%w. Run minigem inside a container, and switch its own sandbox off there by GEMINI_SANDBOX=false, "+
				"--sandbox=false or tools.sandbox and security.toolSandboxing in the settings", err)
	case err != nil:
		return nil, exit.Errorf(exit.Config, "commands cannot be confined: %w", err)
	}
	for _, gap := range []string{s.Partial(), s.Signals()} {
		if gap != "" {
			w.Warn("the sandbox is incomplete: " + gap)
		}
	}
	return s, nil
}

// unless returns paths without those that are in one of the allowed folders, or are
// one.
func unless(allowed, paths []string) []string {
	return slices.DeleteFunc(paths, func(p string) bool {
		return slices.ContainsFunc(allowed, func(a string) bool { return within(a, p) })
	})
}

// deepLater returns the files in the workspace, at any depth, that make programs run
// later.
func deepLater(r *Runtime, warn func(string)) []string {
	var out []string
	for _, dir := range r.Workspace.Dirs() {
		found, whole := runslater.Find(dir, runslater.All)
		if err := trust.BeforeSandbox(r.Config.TrustedFolders(), dir, found); err != nil {
			warn("the sandbox is incomplete: minigem may load what commands make here: " + err.Error())
		}
		if out = append(out, found...); !whole {
			warn(fmt.Sprintf("the sandbox is incomplete: not all of %s could be searched for settings that make programs run, "+
				"so commands may change some",
				r.Config.Shorten(dir)))
		}
	}
	return out
}

// createdSince names the files that make programs run later and are not in before. It
// returns "" if there are none. It looks at no more than most entries of each folder.
func createdSince(r *Runtime, before []string, most int) string {
	var names []string
	for _, dir := range r.Workspace.Dirs() {
		found, _ := runslater.Find(dir, most)
		names = append(names, slices.DeleteFunc(found, func(name string) bool { return slices.Contains(before, name) })...)
	}
	if len(names) == 0 {
		return ""
	}
	return "commands in the sandbox created " + list(r.Config, names) +
		": programs run what is in there later, outside the sandbox, so look at it first"
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

// protected returns what confined commands must not change at the top of the workspace:
// secrets, and files that make programs run. The user can allow each by name.
func (r *Runtime) protected(allowed []string) []string {
	out := append(config.AllScripts(r.Config.ProjectDir, r.Config.Hooks), r.Config.DotGemini)
	for _, dir := range append(r.Workspace.Dirs(), r.Config.ProjectDir) {
		out = append(out, laterIn(dir, 0)...)
		entries, _ := os.ReadDir(dir) // a folder that cannot be read cannot be written to either
		for _, e := range entries {
			if workspace.Secret(e.Name()) != "" {
				out = append(out, filepath.Join(dir, e.Name()))
			}
		}
	}
	return unless(allowed, out)
}

// sandboxWanted reports whether commands are to be confined. The environment overrides
// the flag, and the flag the settings (cli/config/sandboxConfig.ts).
func (c *Configuration) sandboxWanted(sys *System, f *Options) (bool, error) {
	if _, ok := c.Loaded.Holding("security.toolSandboxing"); ok {
		return true, nil
	}
	name, value := "GEMINI_SANDBOX", c.sandboxVariable(sys)
	if value == "" {
		name, value = "--sandbox", f.Sandbox
	}
	switch {
	case sys.Getenv("SANDBOX") != "":
		return false, nil // minigem itself runs in a sandbox
	case value != "":
		return parseSandbox(name, value)
	}
	g, ok := c.Loaded.Holding("tools.sandbox")
	if !ok {
		return false, nil
	}
	name = fmt.Sprintf("%s:%d: %s", c.Shorten(g.Origin.File), g.Origin.Line, g.Key)
	if g.Key != "tools.sandbox" {
		return false,
			exit.Errorf(exit.Config, "%s: the object form is not supported: set tools.sandbox to true, and what it may do by "+
				"tools.sandboxAllowedPaths and tools.sandboxNetworkAccess", name)
	}
	var text string
	if json.Unmarshal(g.Value, &text) != nil {
		text = string(c.Mask(g.Value))
	}
	return parseSandbox(name, text)
}

// sandboxVariable returns GEMINI_SANDBOX. A project's .env may turn a sandbox on, but
// never off.
func (c *Configuration) sandboxVariable(sys *System) string {
	if v := strings.TrimSpace(sys.Getenv("GEMINI_SANDBOX")); v != "" {
		return v
	}
	all := System{Env: c.Env}
	v := strings.TrimSpace(all.Getenv("GEMINI_SANDBOX"))
	if on, err := parseSandbox("GEMINI_SANDBOX", v); err == nil && !on {
		return ""
	}
	return v
}

func parseSandbox(name, value string) (on bool, err error) {
	switch v := strings.ToLower(strings.TrimSpace(value)); {
	case v == "true" || v == "1" || v == "sandbox-exec" && runtime.GOOS == "darwin":
		return true, nil
	case v == "false" || v == "0":
		return false, nil
	}
	return false,
		exit.Errorf(exit.Config, "%s is %q, a sandbox that minigem does not have: true confines commands by the system "+
			"itself; "+
			"for another one run minigem inside it, with GEMINI_SANDBOX=false", name, value)
}

// sandboxWidened returns what the settings allow confined commands beyond the
// workspace. The project's settings are ignored, because a project must not widen its
// own sandbox.
func (c *Configuration) sandboxWidened(warn func(string)) (allowed []string, network bool, err error) {
	for _, g := range c.Loaded.Given {
		if g.Key != "tools.sandboxAllowedPaths" && g.Key != "tools.sandboxNetworkAccess" {
			continue
		}
		if g.Origin.Layer == settings.LayerWorkspace {
			warn(fmt.Sprintf("%s:%d: %s counts only in your own settings: a project cannot widen its sandbox",
				c.Shorten(g.Origin.File), g.Origin.Line, g.Key))
			continue
		}
		if g.Key == "tools.sandboxNetworkAccess" {
			err = json.Unmarshal(g.Value, &network)
		} else {
			var more []string
			err = json.Unmarshal(g.Value, &more)
			allowed = append(allowed, more...)
		}
		if err != nil {
			return nil, false, exit.Errorf(exit.Config, "%s:%d: %s: %w", c.Shorten(g.Origin.File), g.Origin.Line, g.Key, err)
		}
	}
	for i, p := range allowed {
		allowed[i] = c.absolute(p)
	}
	return allowed, network, nil
}

// absolute resolves "~/" and makes paths absolute, relative to the working directory.
func (c *Configuration) absolute(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		return filepath.Join(c.Home, rest)
	}
	return filepath.Clean(text.Abs(c.Dir, path))
}
