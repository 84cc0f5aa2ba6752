package app

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"minigem/hooks/config"
	"minigem/internal/exit"
	"minigem/internal/place"
	"minigem/internal/proc"
	"minigem/internal/settings"
	"minigem/internal/text"
)

// wireSandbox makes the sandbox if all commands are to be confined. If that fails, the
// session does not begin.
func (r *Runtime) wireSandbox(ctx context.Context) error {
	s := &r.Sandbox
	s.Place, s.Workspace, s.Temp = r.Config.Place, r.Workspace, r.Project.Temp
	c := r.Config
	// Found before anything is written.
	others := sync.OnceValue(func() []string {
		out := append(gitPrograms(r.Workspace.Dirs(), c.Env), slices.Concat(r.Flags.Policies, c.Settings.PolicyPaths)...)
		for _, e := range c.Extensions.Used {
			out = append(out, e.Dir)
		}
		for _, f := range c.Loaded.Files {
			out = append(out, f.Path)
		}
		for i := range out {
			out[i] = absolute(c.Place, out[i])
		}
		return out
	})
	s.Scripts = func() []string { return append(config.AllScripts(c.ProjectDir, c.Hooks), others()...) }
	s.Widened = func(warn func(string)) ([]string, bool, error) { return sandboxWidened(r.Config, warn) }
	s.Context, s.Folders, s.Warn = ctx, r.Config.TrustedFolders(), r.warn
	r.closers = append(r.closers, s.Close)
	wanted, err := sandboxWanted(r.Config, r.sys, r.Flags)
	if err != nil || !wanted {
		return err
	}
	// A command can make a hook fail without killing it.
	r.Engine.BlockFailed = true
	return s.ConfineAll()
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

// sandboxWanted reports whether commands are to be confined. The environment overrides
// the flag, and the flag the settings (cli/config/sandboxConfig.ts).
func sandboxWanted(c *Configuration, sys *System, f *Options) (bool, error) {
	if _, ok := c.Loaded.Holding("security.toolSandboxing"); ok {
		return true, nil
	}
	name, value := "GEMINI_SANDBOX", sandboxVariable(c, sys)
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
func sandboxVariable(c *Configuration, sys *System) string {
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
func sandboxWidened(c *Configuration, warn func(string)) (allowed []string, network bool, err error) {
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
		allowed[i] = absolute(c.Place, p)
	}
	return allowed, network, nil
}

// absolute resolves "~/" and makes paths absolute, relative to the working directory.
func absolute(in place.Place, path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		return filepath.Join(in.Home, rest)
	}
	return filepath.Clean(text.Abs(in.Dir, path))
}
