package app

import (
	"path/filepath"
	"slices"

	"minigem/hooks"
	"minigem/internal/contextfile"
)

// ExtensionRoots are the directories that extensions are looked for in; those
// of a folder that is not trusted are not.
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

// findExtensions finds those in force. -e names the ones to use; "none" is none
// of them.
func (c *Configuration) findExtensions() ([]hooks.Problem, error) {
	found, problems := hooks.FindExtensions(c.Dir, c.ExtensionRoots())
	for _, e := range found {
		off := e.Off != "" || slices.Contains(c.Settings.Extensions.Disabled, e.Name)
		if !off && (c.onlyExtensions == nil || slices.Contains(c.onlyExtensions, e.Name)) {
			c.extensions = append(c.extensions, e)
		}
	}
	var err error
	c.extensions, err = c.allowedExtensions(c.extensions)
	return problems, err
}

// extensionContext is where extensions may have context files.
func (c *Configuration) extensionContext() []contextfile.Extension {
	var out []contextfile.Extension
	for _, e := range c.extensions {
		out = append(out, contextfile.Extension{Dir: e.Dir, Files: e.Context})
	}
	return out
}
