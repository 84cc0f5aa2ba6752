package main

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"minigem/hooks/agents"
	"minigem/hooks/author/lint"
	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/inspection"
	"minigem/internal/listing"
)

func hooksLintCommand(sys *app.System) *cobra.Command {
	var fix bool
	var format, code, names string
	cmd := &cobra.Command{
		Use:   "lint [FILE]",
		Short: "Check the configuration and programs of hooks",
		Long: `Checks the hooks of all layers, their commands and the programs they run,
without running them. In the repository of an extension it checks the
extension's hooks. The project's files are checked even if the folder is not
trusted. Each kind of finding has a code that never changes; --explain and
docs/LINT.md explain it.

With --for, it also reports what other agents do with the same hooks, as
measured: refusals that do not refuse, matchers that never match, events and
variables that do not exist there.

Exit codes: 0 no errors or warnings (there may be notes), 1 there are some, 42
wrong usage, 52 a settings file cannot be read.`,
		Example: `  minigem hooks lint
  minigem hooks lint guard.sh
  minigem hooks lint --fix
  minigem hooks lint --format sarif > hooks.sarif
  minigem hooks lint --explain HK044`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(lint.Formats, format) {
				return wrongUsage(sys, cmd, "--format is %q: it must be %s", format, strings.Join(lint.Formats, ", "))
			}
			if code != "" {
				return explainRule(sys, code)
			}
			others, err := agents.List(names)
			if err != nil {
				return wrongUsage(sys, cmd, "reading --for: %v", err)
			}
			return lintHooks(sys, format, strings.Join(args, ""), fix, others)
		},
	}
	cmd.Flags().BoolVar(&fix, "fix", false, "apply the clear fixes; comments and order are kept")
	cmd.Flags().StringVar(&format, "format", "text", "text, json or sarif")
	cmd.Flags().StringVar(
		&names, "for", "", "also check what these `agents` do with the hooks, such as claude,codex or all")
	cmd.Flags().StringVar(&code, "explain", "", "explain what a `code` means")
	cmd.Args = withUsage(cobra.MaximumNArgs(1), "takes one file, or none for all")
	return cmd
}

// fixRounds limits the rounds of --fix. A fix may reveal a finding that the next round
// fixes.
const fixRounds = 5

func lintHooks(sys *app.System, format, file string, fix bool, others []*agents.Agent) error {
	var done []lint.Finding
	for round := 1; ; round++ {
		c, err := app.Configure(sys, &app.Options{SkipTrust: true, OwnExtension: true})
		if err != nil {
			return err
		}
		in := lint.Input{Setup: inspection.Of(c), Sections: c.Sections, Path: sys.Getenv("PATH"), For: others}
		found, err := listing.LintFile(sys, c, in, file)
		if err != nil {
			return err
		}
		fixable := slices.ContainsFunc(found, func(f lint.Finding) bool { return f.Fixable })
		if fix && fixable && round <= fixRounds {
			if err := lint.Fix(found, in.Setup.Files); err != nil {
				return err
			}
			done = append(done, slices.DeleteFunc(found, func(f lint.Finding) bool { return !f.Fixed })...)
			continue
		}
		found = append(done, found...)
		if err := lint.Write(sys.Stdout, format, found, in.Scope(), c.ShortenIn); err != nil {
			return err
		}
		if format == "text" {
			if err := listing.WriteForeign(c, sys.Stdout); err != nil {
				return err
			}
		}
		if lint.Bad(found) {
			return exit.Silent(exit.Failed)
		}
		return nil
	}
}

func explainRule(sys *app.System, code string) error {
	i := slices.IndexFunc(lint.Rules, func(r lint.Rule) bool { return strings.EqualFold(r.Code, code) || r.Name == code })
	if i < 0 {
		return exit.Errorf(exit.Input, "there is no code %q; codes range from %s to %s", code, lint.Rules[0].Code,
			lint.Rules[len(lint.Rules)-1].Code)
	}
	_, err := io.WriteString(sys.Stdout, lint.Rules[i].Page())
	return err
}
