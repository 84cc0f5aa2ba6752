package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"minigem/hooks/author/export"
	"minigem/hooks/claude"
	"minigem/internal/app"
	"minigem/internal/boundedfile"
	"minigem/internal/exit"
	"minigem/internal/listing"
	"minigem/internal/manage"
	"minigem/internal/settings"
	"minigem/internal/text"
)

func hooksMigrateCommand(sys *app.System) *cobra.Command {
	var fromClaude, dryRun, yes bool
	var to export.Options
	cmd := &cobra.Command{
		Use:   "migrate --from-claude [PLUGIN] | --to AGENT",
		Short: "Migrate a project's hooks from Claude Code, or to another agent",
		Long: `Adds the hooks of .claude/settings.json and .claude/settings.local.json to
.gemini/settings.json of this folder. Events, tools and timeouts are
translated; the scripts run unchanged, because the hooks get "dialect":
"claude". Nothing else in the file changes, existing hooks are not added again,
and .claude stays as it is. Given the folder of a Claude Code plugin, it adds
the plugin's hooks, whose files stay in place; CLAUDE_PLUGIN_ROOT names their
folder.

With --to, it adds the hooks of .gemini/settings.json to the configuration of
another agent (` + strings.Join(export.Agents, ", ") + `; gemini means
--from-claude). Each command runs through "minigem hooks run --portable", so
its answers have the same effect there. --bare writes the commands unchanged.
It reports what is lost, and which refusals would not refuse there. Kimi Code
has only a per-user file, and Cline one program per event.

It shows the change first. In a terminal it then asks; elsewhere it writes
nothing without --yes.`,
		Example: "  minigem hooks migrate --from-claude --dry-run\n  minigem hooks migrate --from-claude --yes\n" +
			"  minigem hooks migrate --to codex --dry-run",
		Args: withUsage(cobra.MaximumNArgs(1), "takes the folder of one plugin"),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, flag, err := migration{}, "--from-claude", error(nil)
			plugin := strings.Join(args, "") // there is at most one
			switch {
			case plugin != "" && !(fromClaude && to.Agent == ""):
				err = wrongUsage(sys, cmd, "%s works only with --from-claude", plugin)
			case to.Agent == "gemini" || to.Agent == "" && fromClaude:
				m, err = fromClaudeCode(sys, plugin)
			case to.Agent == "":
				err = wrongUsage(sys, cmd, "give --from-claude or --to AGENT")
			case fromClaude:
				err = wrongUsage(sys, cmd, "--from-claude writes Gemini CLI's settings: leave out --to %s", to.Agent)
			case !slices.Contains(export.Agents, to.Agent):
				err = wrongUsage(sys, cmd, "--to takes one of %s, not %q%s", strings.Join(export.Agents, ", "), to.Agent,
					text.DidYouMean(text.Nearest(to.Agent, export.Agents)))
			default:
				flag = "--to " + to.Agent
				m, err = toAgent(sys, to)
			}
			if err != nil {
				return err
			}
			return migrate(sys, m, flag, dryRun, yes)
		},
	}
	cmd.Flags().BoolVar(&fromClaude, "from-claude", false, "from Claude Code's settings in this folder")
	cmd.Flags().StringVar(&to.Agent, "to", "", "to this `agent`, from .gemini/settings.json")
	cmd.Flags().BoolVar(&to.Bare, "bare", false, "with --to: write the commands as they are")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show the change and write nothing")
	cmd.Flags().BoolVar(&yes, "yes", false, "write without asking")
	cmd.MarkFlagsMutuallyExclusive("dry-run", "yes")
	return cmd
}

// migration describes the changes of a migration.
type migration struct {
	shown    string // safe to print
	nothing  bool   // there is nothing to write, as shown says
	question string
	write    func() (done string, err error)
}

// migrate shows a migration and writes it if the user agrees.
func migrate(sys *app.System, m migration, flag string, dryRun, yes bool) error {
	fmt.Fprint(text.Raw(sys.Stdout), m.shown) // raw, because it contains our colours
	switch {
	case m.nothing:
	case dryRun:
		fmt.Fprintln(sys.Stdout, "Nothing was written: this is a dry run.")
	case !yes && !(sys.StdinTTY && sys.StdoutTTY):
		fmt.Fprintf(sys.Stdout, "Nothing was written yet. To write it: minigem hooks migrate %s --yes\n", flag)
	case !yes && !manage.Confirmed(sys, m.question):
		fmt.Fprintln(sys.Stdout, "Nothing was written.")
	default:
		done, err := m.write()
		if err != nil {
			return exit.Errorf(exit.Config, "migrating the hooks: %w", err)
		}
		fmt.Fprint(sys.Stdout, done)
	}
	return nil
}

// fromClaudeCode moves the hooks in this folder's Claude Code settings, or in a Claude
// Code plugin, to the project's settings.
func fromClaudeCode(sys *app.System, plugin string) (m migration, err error) {
	sources, err := claude.Sources(sys.Dir, plugin)
	if err != nil {
		return m, exit.With(exit.Input, err)
	}
	target := filepath.Join(sys.Dir, filepath.FromSlash(claude.Target))
	data, err := boundedfile.Read(target, boundedfile.Written)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return m, exit.Errorf(exit.Config, "reading the settings: %w", err)
	}
	r, err := claude.Migrate(claude.File{Name: claude.Target, Data: data}, sources...)
	if err != nil {
		return m, exit.With(exit.Config, err)
	}
	return migration{
		shown: listing.Migration(r, coloured(sys)), nothing: r.Added == 0,
		question: fmt.Sprintf("Write this to %s? [y/N] ", claude.Target),
		write: func() (string, error) {
			added, err := claude.Write(target, sources)
			return fmt.Sprintf("Added %s to %s.\nminigem hooks list shows them; minigem trust trusts them.\n",
				text.Plural(added, "hook"), claude.Target), err
		},
	}, nil
}

// toAgent writes this project's hooks into the configuration of another agent.
func toAgent(sys *app.System, o export.Options) (m migration, err error) {
	home, err := settings.FindHome(sys.LookupEnv, sys.Dir, sys.Account)
	if err != nil {
		return m, exit.With(exit.Config, err)
	}
	kimi := cmp.Or(sys.Getenv("KIMI_CODE_HOME"), filepath.Join(home.User, ".kimi-code"))
	place := export.Place{Dir: sys.Dir, Kimi: kimi}
	r, err := export.Project(place, o)
	if err != nil {
		return m, exit.With(exit.Config, err)
	}
	return migration{
		shown: listing.Export(o, r, coloured(sys)), nothing: len(r.Files) == 0, question: "Write this? [y/N] ",
		write: func() (string, error) { return listing.Exported(o, r), place.Write(o, r) },
	}, nil
}

func coloured(sys *app.System) bool { return sys.StdoutTTY && sys.Getenv("NO_COLOR") == "" }
