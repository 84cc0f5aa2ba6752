package app

import (
	"os"
	"path/filepath"
	"slices"

	"minigem/hooks"
	"minigem/internal/exit"
	"minigem/internal/extensions"
	"minigem/internal/text"
)

// checkRestrictions ends a run with a restriction that minigem does not
// support: to go on would be to pretend. What becomes supported leaves this
// function, and its line in settings/known.txt says "works".
func (c *Configuration) checkRestrictions() error {
	all := c.Loaded.Restrictions()
	if len(all) == 0 {
		return nil
	}
	g := all[0]
	if g.Fault != "" {
		return exit.Errorf(exit.Config, "%s:%d: %s %s. Nothing runs while what it may hold back is not in force",
			c.Shorten(g.Origin.File), g.Origin.Line, text.VisibleLine(g.Key), text.VisibleLine(g.Fault))
	}
	return exit.Errorf(exit.Config, "%s:%d: %s is %s, which minigem cannot enforce: take it out, or run minigem inside a container that does it",
		c.Shorten(g.Origin.File), g.Origin.Line, text.VisibleLine(g.Key), c.Mask(g.Value))
}

// extensionRefused says why the settings do not allow an extension, by its
// source; "" if they do (cli/config/extension-manager.ts).
func (c *Configuration) extensionRefused(e hooks.Extension) (string, error) {
	why, err := c.extensionRules().Refused(extensions.Origin{Source: e.Source, Type: e.SourceType}, e.Dir)
	if err != nil {
		err = exit.With(exit.Config, err)
	}
	return why, err
}

func (c *Configuration) extensionRules() extensions.Rules {
	s := c.Settings.Security
	return extensions.Rules{Allowed: s.AllowedExtensions, BlockGit: s.BlockGitExtensions}
}

// extensionExcludes returns the tools that extensions exclude.
func (c *Configuration) extensionExcludes() []string {
	var out []string
	for _, e := range c.extensions {
		out = append(out, e.ExcludeTools...)
	}
	return out
}

// extensionPolicies returns the policies folders of the extensions that have
// one.
func (c *Configuration) extensionPolicies() []string {
	var out []string
	for _, e := range c.extensions {
		if dir := filepath.Join(e.Dir, "policies"); isFolder(dir) {
			out = append(out, dir)
		}
	}
	return slices.Clip(out)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
