package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"minigem/hooks"
	"minigem/internal/trust"
)

// folderTrust is whether what the folder brings is loaded
// (docs/spec/contract.md 6).
type folderTrust struct {
	trusted bool
	why     string       // who decided
	brought []trust.Item // what is left out; nil where the folder is trusted
	dir     string
}

// decideTrust asks, in this order: the flag, the environment, the settings, the
// user's list. A folder that brings nothing needs no trust, unless the user said
// never.
func decideTrust(sys *system, f *flags, c *configuration, enabled bool) folderTrust {
	t := folderTrust{dir: c.dir}
	fromEnv := trust.ByEnvironment(sys.Getenv("GEMINI_CLI_TRUST_WORKSPACE"))
	switch {
	case f.skipTrust:
		t.trusted, t.why = true, "--skip-trust"
		return t
	case fromEnv == trust.Trusted:
		t.trusted, t.why = true, "GEMINI_CLI_TRUST_WORKSPACE"
		return t
	case !enabled:
		t.trusted, t.why = true, "security.folderTrust.enabled is false"
		return t
	}
	rules, warnings, err := trust.Load(c.trustedFolders())
	if err != nil {
		warnings = append(warnings, err.Error())
	}
	c.notices = append(c.notices, warnings...)
	decision := rules.Decide(c.dir)
	if fromEnv == trust.Untrusted {
		decision = trust.Untrusted
	}
	if decision == trust.Trusted {
		t.trusted, t.why = true, c.trustedFolders()
		return t
	}
	t.brought = trust.Brought(c.dir, c.home)
	t.why = "nobody has trusted it yet"
	if decision == trust.Untrusted {
		t.why = "it is marked as not to be trusted"
	}
	t.trusted = decision == trust.Unknown && len(t.brought) == 0
	return t
}

func (c *configuration) trustedFolders() string {
	return filepath.Join(c.dotGemini, "trustedFolders.json")
}

// requireTrusted is the end of a run without a terminal in a folder that brings
// something nobody trusted.
func (t folderTrust) requireTrusted() error {
	if t.trusted || len(t.brought) == 0 {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "this folder is not trusted (%s), and it brings:\n", t.why)
	for _, item := range t.brought {
		fmt.Fprintf(&b, "  %s\n", item)
	}
	b.WriteString("Look at it, then run minigem trust here. For one run: --skip-trust, or GEMINI_CLI_TRUST_WORKSPACE=true.")
	return exitf(exitUntrusted, "%s", b.String())
}

// trustCommand trusts a folder and the hooks that it has now.
func trustCommand(sys *system) *cobra.Command {
	var never, list bool
	cmd := &cobra.Command{
		Use:   "trust",
		Short: "Trust this folder and its hooks as they are now",
		Long: `Trusts the current folder: its settings, hooks, commands and MCP servers are
loaded from now on. Its hooks are remembered as they are, their scripts
included: when one changes, you are told before it runs.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			c, err := configure(sys, &flags{skipTrust: !list})
			if err != nil {
				return err
			}
			switch {
			case list:
				return c.listTrusted(sys)
			case never:
				return c.neverTrust(sys)
			}
			if err := c.trustFolder(); err != nil {
				return err
			}
			c.writeTrusted(sys)
			return nil
		},
	}
	cmd.Flags().BoolVar(&never, "never", false, "never trust this folder, and do not ask")
	cmd.Flags().BoolVar(&list, "list", false, "list the folders that were decided about")
	cmd.MarkFlagsMutuallyExclusive("never", "list")
	return cmd
}

// trustFolder trusts the folder and its hooks as they are now.
func (c *configuration) trustFolder() error {
	if err := trust.Set(c.trustedFolders(), c.dir, trust.Folder); err != nil {
		return err
	}
	return c.trustStore().Trust(c.projectDir, c.projectHooks())
}

// writeTrusted says what is trusted now.
func (c *configuration) writeTrusted(sys *system) {
	fmt.Fprintf(sys.Stdout, "%s is trusted, and so is what it brings:\n", c.dir)
	items := trust.Brought(c.dir, c.home)
	for _, item := range items {
		fmt.Fprintf(sys.Stdout, "  %s\n", item)
	}
	if len(items) == 0 {
		fmt.Fprintln(sys.Stdout, "  nothing so far")
	}
	for _, p := range c.hookProblems() {
		fmt.Fprintf(sys.Stderr, "[WARNING] %s\n", p)
	}
}

// projectHooks are the hooks that came with the project.
func (c *configuration) projectHooks() []hooks.Hook {
	var own []hooks.Hook
	for _, h := range c.hooks.Hooks {
		if c.trustStore().OfProject(h, c.projectDir) {
			own = append(own, h)
		}
	}
	return own
}

func (c *configuration) neverTrust(sys *system) error {
	if err := trust.Set(c.trustedFolders(), c.dir, trust.Never); err != nil {
		return err
	}
	fmt.Fprintf(sys.Stdout, "%s will not be trusted; minigem trust changes that\n", c.dir)
	return nil
}

func (c *configuration) listTrusted(sys *system) error {
	rules, warnings, err := trust.Load(c.trustedFolders())
	if err != nil {
		return err
	}
	for _, w := range warnings {
		fmt.Fprintf(sys.Stderr, "[WARNING] %s\n", w)
	}
	for _, dir := range slices.Sorted(maps.Keys(rules)) {
		fmt.Fprintf(sys.Stdout, "%-13s  %s\n", rules[dir], dir)
	}
	if len(rules) == 0 {
		fmt.Fprintln(sys.Stdout, "no folder was decided about yet")
	}
	return nil
}
