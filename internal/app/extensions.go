package app

import (
	"fmt"
	"path/filepath"
	"slices"

	"minigem/hooks"
	"minigem/internal/contextfile"
)

// ExtensionRoots returns the directories in which extensions are looked for,
// without those of an untrusted folder.
func (c *Configuration) ExtensionRoots() hooks.ExtensionRoots {
	roots := hooks.ExtensionRoots{User: filepath.Join(c.DotGemini, "extensions")}
	if c.ProjectDir != c.Home {
		roots.ProjectDir = c.ProjectDir
	}
	if project := filepath.Join(c.Dir, ".gemini", "extensions"); c.Trust.Trusted && project != roots.User {
		roots.Project = project
	}
	return roots
}

// findExtensions finds the extensions in force. -e names the ones to use;
// "none" means none.
func (c *Configuration) findExtensions() ([]hooks.Problem, error) {
	found, problems := hooks.FindExtensions(c.Dir, c.ExtensionRoots())
	for _, e := range found {
		off, err := c.ExtensionOff(e)
		if err != nil {
			return problems, err
		}
		if off == "" {
			c.extensions = append(c.extensions, e)
		} else if refused, _ := c.extensionRefused(e); off == refused {
			c.Notices = append(c.Notices, fmt.Sprintf("the extension %s is not used: %s", e.Name, refused))
		} else if said := c.extensionSwitchedOff(e); said != "" {
			c.Notices = append(c.Notices, said)
		}
	}
	own := c.ProjectDir
	if hooks.IsExtension(c.Dir) { // a folder of a repository of several
		own = c.Dir
	}
	if c.ownExtension && hooks.IsExtension(own) && !slices.ContainsFunc(found, func(e hooks.Extension) bool { return e.Dir == own }) {
		c.extensions = append(c.extensions, hooks.Extension{Dir: own, InProject: true})
	}
	return problems, nil
}

// ExtensionOff says why e is not in force; "" if it is.
func (c *Configuration) ExtensionOff(e hooks.Extension) (string, error) {
	switch {
	case e.Off != "":
		return e.Off, nil
	case slices.Contains(c.Settings.Extensions.Disabled, e.Name):
		return "disabled in the settings", nil
	case c.onlyExtensions != nil && !slices.Contains(c.onlyExtensions, e.Name):
		return "not named by --extensions", nil
	}
	return c.extensionRefused(e)
}

// extensionContext returns the extensions that may have context files.
func (c *Configuration) extensionContext() []contextfile.Extension {
	var out []contextfile.Extension
	for _, e := range c.extensions {
		out = append(out, contextfile.Extension{Dir: e.Dir, Files: e.Context})
	}
	return out
}
