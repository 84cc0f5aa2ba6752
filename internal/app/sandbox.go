package app

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"minigem/internal/exit"
	"minigem/internal/place"
	"minigem/internal/settings"
	"minigem/internal/text"
)

// SandboxWanted reports whether commands are to be confined. The environment overrides
// the flag, and the flag the settings (cli/config/sandboxConfig.ts).
func SandboxWanted(c *Configuration, sys *System, f *Options) (bool, error) {
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
	v := strings.TrimSpace(c.Lookup("GEMINI_SANDBOX"))
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

// SandboxWidened returns what the settings allow confined commands beyond the
// workspace. The project's settings are ignored, because a project must not widen its
// own sandbox.
func SandboxWidened(c *Configuration, warn func(string)) (allowed []string, network bool, err error) {
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
		allowed[i] = AbsoluteIn(c.Place, p)
	}
	return allowed, network, nil
}

// AbsoluteIn resolves "~/" and makes paths absolute, relative to the working directory.
func AbsoluteIn(in place.Place, path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		return filepath.Join(in.Home, rest)
	}
	return filepath.Clean(text.Abs(in.Dir, path))
}
