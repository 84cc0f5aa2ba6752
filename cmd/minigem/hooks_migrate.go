package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"minigem/hooks/author/export"
	"minigem/hooks/claude"
	"minigem/hooks/jsonc"
	"minigem/internal/app"
	"minigem/internal/boundedfile"
	"minigem/internal/exit"
	"minigem/internal/text"
)

// claudeFiles are Claude Code's settings in a project, in the order in which
// they are read.
var claudeFiles = []string{".claude/settings.json", ".claude/settings.local.json"}

const migrateTarget = ".gemini/settings.json"

func hooksMigrateCommand(sys *app.System) *cobra.Command {
	var fromClaude, dryRun, yes bool
	var to export.Options
	cmd := &cobra.Command{
		Use:   "migrate --from-claude [PLUGIN] | --to AGENT",
		Short: "Move a project's hooks over from Claude Code, or to another agent",
		Long: `Adds the hooks of .claude/settings.json and .claude/settings.local.json to
.gemini/settings.json of this folder: events, tools and times are translated,
and the scripts run unchanged, since the hooks are marked with
"dialect": "claude". Nothing else in the file changes, hooks that are there
already are not added again, and .claude stays as it is. With the folder of a
plugin for Claude Code, the hooks of that plugin are added: its files stay where
they are, and CLAUDE_PLUGIN_ROOT says where.

With --to, adds the hooks of .gemini/settings.json to the configuration of
another agent (` + strings.Join(export.Agents, ", ") + `; gemini is
--from-claude): events, tools and times in its words, each command behind
"minigem hooks run --portable", so that its answers mean there what they mean
here. --bare writes the commands as they are. What is lost is said, and what is
inverted: a refusal that lets pass there. Kimi Code reads the file of its user
alone, and Cline has one program an event. hif is the Hook Interchange Format,
in hif.json, or in hif.yaml where that is there.

The change and what is not as it was are shown first. At a terminal you are then
asked; elsewhere nothing is written without --yes.`,
		Example: "  minigem hooks migrate --from-claude --dry-run\n  minigem hooks migrate --from-claude --yes\n  minigem hooks migrate --to codex --dry-run",
		Args:    withUsage(cobra.MaximumNArgs(1), "takes the folder of one plugin"),
		RunE: func(cmd *cobra.Command, args []string) error {
			plugin := ""
			if len(args) > 0 {
				plugin = args[0]
			}
			switch {
			case plugin != "" && !(fromClaude && to.Agent == ""):
				return wrongUsage(sys, cmd, "%s is for --from-claude", plugin)
			case to.Agent == "gemini" || to.Agent == "" && fromClaude:
				return migrateHooks(sys, plugin, dryRun, yes)
			case to.Agent == "":
				return wrongUsage(sys, cmd, "from where, or where to? Say --from-claude, or --to AGENT")
			case fromClaude:
				return wrongUsage(sys, cmd, "--from-claude writes Gemini CLI's settings: leave --to %s out, or say it alone", to.Agent)
			case !slices.Contains(export.Agents, to.Agent):
				return wrongUsage(sys, cmd, "--to takes one of %s, not %q%s", strings.Join(export.Agents, ", "), to.Agent,
					text.DidYouMean(text.Nearest(to.Agent, export.Agents)))
			}
			return migrateTo(sys, to, dryRun, yes)
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

func migrateHooks(sys *app.System, plugin string, dryRun, yes bool) error {
	sources, err := claudeSources(sys.Dir, plugin)
	if err != nil {
		return err
	}
	target := filepath.Join(sys.Dir, filepath.FromSlash(migrateTarget))
	data, err := boundedfile.Read(target, boundedfile.Written)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return exit.Errorf(exit.Config, "reading the settings: %w", err)
	}
	result, err := claude.Migrate(claude.File{Name: migrateTarget, Data: data}, sources...)
	if err != nil {
		return exit.With(exit.Config, err)
	}
	showMigration(sys, result)
	switch {
	case result.Added == 0:
		return nil
	case dryRun:
		fmt.Fprintln(sys.Stdout, "Nothing was written: this is a dry run.")
		return nil
	case !yes && !(sys.StdinTTY && sys.StdoutTTY):
		fmt.Fprintln(sys.Stdout, "Nothing was written yet. To write it: minigem hooks migrate --from-claude --yes")
		return nil
	case !yes && !confirmed(sys, fmt.Sprintf("Write this to %s? [y/N] ", migrateTarget)):
		fmt.Fprintln(sys.Stdout, "Nothing was written.")
		return nil
	}
	return writeMigration(sys, target, sources)
}

// claudeSources are the hooks of a plugin, or those of the folder.
func claudeSources(dir, plugin string) ([]claude.File, error) {
	if plugin == "" {
		return readClaudeFiles(dir)
	}
	if !filepath.IsAbs(plugin) {
		plugin = filepath.Join(dir, plugin)
	}
	root := plugin
	if text.Inside(dir, plugin) {
		rel, err := filepath.Rel(dir, plugin)
		if err != nil {
			return nil, exit.With(exit.Input, err)
		}
		root = "$GEMINI_CWD/" + filepath.ToSlash(rel)
	}
	files, err := claude.Plugin(plugin, root)
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("there is nothing to migrate from: %s has neither .claude-plugin/plugin.json nor hooks/hooks.json with hooks", plugin)
	}
	if err != nil {
		return nil, exit.With(exit.Input, err)
	}
	return files, nil
}

// readClaudeFiles reads those of the files that there are.
func readClaudeFiles(dir string) ([]claude.File, error) {
	var files []claude.File
	for _, name := range claudeFiles {
		data, err := boundedfile.Read(filepath.Join(dir, filepath.FromSlash(name)), boundedfile.Written)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, exit.Errorf(exit.Input, "reading Claude Code's settings: %w", err)
		}
		files = append(files, claude.File{Name: name, Data: data})
	}
	if len(files) == 0 {
		return nil, exit.Errorf(exit.Input, "there is nothing to migrate from: neither %s is in %s", strings.Join(claudeFiles, " nor "), dir)
	}
	return files, nil
}

// showMigration shows what would change, and what is not as it was.
func showMigration(sys *app.System, r claude.Result) {
	if r.Added == 0 {
		fmt.Fprintln(sys.Stdout, "There is nothing to add: Claude Code's settings have no hooks that are not here already.")
	}
	if sys.StdoutTTY && sys.Getenv("NO_COLOR") == "" {
		fmt.Fprint(text.Raw(sys.Stdout), shownDiff(r.Diff, true)) // it is clean, and has colours of ours
	} else {
		fmt.Fprint(sys.Stdout, shownDiff(r.Diff, false))
	}
	for _, part := range []struct {
		title string
		lost  bool
	}{{"Not carried over:", true}, {"Different here:", false}} {
		title := "\n" + part.title + "\n"
		for _, remark := range r.Remarks {
			if remark.Lost == part.lost {
				fmt.Fprintf(sys.Stdout, "%s  %s\n", title, text.VisibleLine(remark.String()))
				title = ""
			}
		}
	}
	if r.Added > 0 {
		fmt.Fprintln(sys.Stdout)
	}
}

// shownDiff is a unified diff for people's eyes: coloured for a terminal, and
// without what the files of strangers could do harm with there.
func shownDiff(diff string, colour bool) string {
	codes := map[byte]string{'+': "\x1b[32m", '-': "\x1b[31m", '@': "\x1b[36m"}
	var b strings.Builder
	for line := range strings.Lines(diff) {
		cells := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		for i := range cells {
			cells[i] = text.VisibleLine(cells[i])
		}
		text := strings.Join(cells, "\t")
		if code := codes[line[0]]; colour && code != "" {
			text = code + text + "\x1b[0m"
		}
		b.WriteString(text + "\n")
	}
	return b.String()
}

// confirmed asks at the terminal; only a yes is one.
func confirmed(sys *app.System, question string) bool {
	fmt.Fprint(sys.Stdout, question)
	line, _ := bufio.NewReader(io.LimitReader(sys.Stdin, 1<<10)).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true
	}
	return false
}

// writeMigration computes it again from what the file holds when it is written:
// somebody may have changed it meanwhile.
func writeMigration(sys *app.System, target string, sources []claude.File) error {
	added := 0
	err := jsonc.Update(target, 0o644, func(data []byte) ([]byte, error) {
		r, err := claude.Migrate(claude.File{Name: migrateTarget, Data: data}, sources...)
		added = r.Added
		return r.Settings, err
	})
	if err != nil {
		return exit.Errorf(exit.Config, "migrating the hooks: %w", err)
	}
	hooks := "hooks"
	if added == 1 {
		hooks = "hook"
	}
	fmt.Fprintf(sys.Stdout, "Added %d %s to %s.\nminigem hooks list shows them; minigem trust trusts them.\n", added, hooks, migrateTarget)
	return nil
}
