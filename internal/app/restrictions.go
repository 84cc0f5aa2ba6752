package app

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"minigem/hooks/config"
	"minigem/internal/exit"
	"minigem/internal/extensions"
	"minigem/internal/text"
	"minigem/tools/policy"
)

// checkRestrictions returns an error if the settings contain a restriction that minigem
// does not support, since going on would pretend to enforce it. Once a restriction is
// supported, its line in settings/known.txt says "works".
func (c *Configuration) checkRestrictions() error {
	all := c.Loaded.Restrictions()
	if len(all) == 0 {
		return nil
	}
	g := all[0]
	if g.Fault != "" {
		return exit.Errorf(exit.Config, "%s:%d: %s %s. Nothing runs until this is corrected, because it may be a restriction",
			c.Shorten(g.Origin.File), g.Origin.Line, text.VisibleLine(g.Key), text.VisibleLine(g.Fault))
	}
	return exit.Errorf(exit.Config, "%s:%d: %s is %s, which minigem cannot enforce: take it out, or run minigem inside "+
		"a container that does it",
		c.Shorten(g.Origin.File), g.Origin.Line, text.VisibleLine(g.Key), c.Mask(g.Value))
}

// extensionRefused returns why the settings do not allow an extension, judging by its
// source, or "" if they do (cli/config/extension-manager.ts).
func (c *Configuration) extensionRefused(e config.Extension) (string, error) {
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

// extensionExcludes returns the rules for the tools that extensions exclude, and the
// problems in the entries that are not valid rules.
func (c *Configuration) extensionExcludes() (rules []policy.Rule, problems []policy.Problem) {
	for _, e := range c.extensions {
		more, faults := policy.FromLists(policy.Lists{Excluded: e.ExcludeTools})
		place := policy.Place{File: filepath.Join(e.Dir, "gemini-extension.json") + ": excludeTools"}
		for i := range more {
			more[i].Place = place
		}
		for i := range faults {
			faults[i].Place = place
		}
		rules, problems = append(rules, more...), append(problems, faults...)
	}
	return rules, problems
}

// namesMissed reports deny and ask rules that name a tool or MCP server that does not
// exist, because such a rule restricts nothing. A misspelled built-in tool is reported
// as a rule that loosens. Another unknown tool may appear later, and a server may
// belong to another folder.
func (c *Configuration) namesMissed(rules []policy.Rule) []policy.Problem {
	var problems []policy.Problem
	missed := func(r policy.Rule, loosens bool, format string, args ...any) {
		problems = append(problems, policy.Problem{Place: r.Place, Loosens: loosens, Text: fmt.Sprintf(format, args...)})
	}
	servers := slices.Sorted(maps.Keys(c.Settings.MCPServers))
	for _, r := range rules {
		switch {
		case r.Decision == policy.Allow:
		case r.Server != "":
			if meant := text.Nearest(r.Server, servers); meant != "" && meant != r.Server {
				missed(r, false, "there is no MCP server %q%s", r.Server, text.DidYouMean(meant))
			}
		case c.Settings.Tools.DiscoveryCommand == "": // discovered tools may have any name
			for _, name := range r.Tools {
				meant, known := config.ToolMeant(name)
				switch {
				case known || strings.Contains(name, "*"):
				case meant != "":
					missed(r, true, "there is no tool %q%s", name, text.DidYouMean(meant))
				default:
					missed(r, false, "there is no tool %q: nothing is restricted; tools of MCP servers are called mcp_SERVER_TOOL",
						name)
				}
			}
		}
	}
	return problems
}

// whereSet returns a problem in a list of the settings with the file and line of that
// list.
func (r *Runtime) whereSet(p policy.Problem) policy.Problem {
	key, isList := strings.CutPrefix(p.Place.File, "settings: ")
	at, set := r.Config.Loaded.Origin(key)
	switch {
	case isList && key == "tools.allowed" && len(r.Flags.AllowedTools) > 0:
		p.Place = policy.Place{File: "tools.allowed or --allowed-tools"}
	case isList && set && at.File != "":
		p.Place, p.Text = policy.Place{File: at.File, Line: at.Line}, key+": "+p.Text
	}
	return p
}

// extensionPolicies returns the policies folders of the extensions that have one.
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
