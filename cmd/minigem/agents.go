package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"minigem/e2e/agents"
	"minigem/e2e/agents/played"
	"minigem/e2e/testbed"
	"minigem/internal/app"
	"minigem/internal/cases"
	"minigem/internal/exit"
)

// agentFlags are the flags that say where to find agents.
type agentFlags struct{ from, bins []string }

func (a *agentFlags) register(fs *pflag.FlagSet) {
	fs.StringSliceVar(&a.from, "agents-from", nil,
		"look for agents in this `folder`, where npm installed them, before PATH")
	fs.StringSliceVar(&a.bins, "agent-bin", nil, "the program of an agent, as `NAME=PATH`")
}

func (a *agentFlags) tester(sys *app.System) (agents.Tester, error) {
	path, _ := sys.LookupEnv("PATH")
	bins, err := agents.ParseBins(a.bins)
	if err != nil {
		return agents.Tester{}, exit.Errorf(exit.Input, "reading --agent-bin: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return agents.Tester{}, exit.Errorf(exit.Input, "finding minigem's own program: %w", err)
	}
	return agents.Tester{Search: agents.Search{From: a.from, Bins: bins, Path: path}, Self: self, Log: sys.Stderr}, nil
}

// agentsCommand lists the agents on which cases can run.
func agentsCommand(sys *app.System) *cobra.Command {
	var where agentFlags
	var asJSON, test bool
	cmd := &cobra.Command{
		Use:   "agents",
		Short: "List the coding agents that hooks can be tested on",
		Long: `Lists the agents that "hooks test --on" knows: whether each is installed, its
version, the measured versions, what cannot be tested on it, and how to get it.
--self-test makes each of them take every action once, with a hook on every
event; the result is kept for each version. For agents that a model calls see
docs/SUBAGENTS.md.`,
		Example: "  minigem agents\n  minigem agents install ~/agents\n  minigem agents --agents-from ~/agents --self-test",
		Args:    noSuchSubcommand,
		RunE: func(*cobra.Command, []string) error {
			ctx, stop := exit.Context()
			defer stop()
			t, err := where.tester(sys)
			if err != nil {
				return err
			}
			lines := t.Lines(ctx, agents.Adapters(), test)
			if err := exit.Ended(ctx); err != nil {
				return err
			}
			if !asJSON {
				fmt.Fprintf(sys.Stdout, "%s\nisolation: %s\n", agents.Lines(lines), agents.Isolate())
				return nil
			}
			data, err := json.MarshalIndent(lines, "", "  ")
			fmt.Fprintf(sys.Stdout, "%s\n", data)
			return err
		},
	}
	where.register(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&test, "self-test", false, "test each agent: every action once, with a hook on every event")
	cmd.AddCommand(agentsInstallCommand(sys))
	return cmd
}

func agentsInstallCommand(sys *app.System) *cobra.Command {
	var on []string
	cmd := &cobra.Command{
		Use:   "install FOLDER",
		Short: "Write a package.json with the measured versions of the agents",
		Long: `Writes a package.json to FOLDER that pins each agent to the version measured
last, and prints how to install them with npm. It runs nothing itself.`,
		Args: withUsage(cobra.ExactArgs(1), "needs a folder to write to"),
		RunE: func(_ *cobra.Command, args []string) error {
			chosen, err := agents.Choose(on)
			if err != nil {
				return exit.With(exit.Input, err)
			}
			path, err := agents.WriteProject(args[0], chosen)
			if err != nil {
				return exit.With(exit.Input, err)
			}
			fmt.Fprintf(sys.Stdout, "wrote %s\n\n  npm install --prefix %s\n  minigem hooks test --agents-from %s --on %s\n",
				path, args[0], args[0], strings.Join(on, ","))
			return nil
		},
	}
	cmd.Flags().StringSliceVar(&on, "on", []string{"all"}, "only these `agents`")
	return cmd
}

// onAgents runs the cases on minigem, on real agents and on played agents, and writes
// the matrix.
func (t *hooksTesting) onAgents(ctx context.Context, s *testbed.Suite, files []string, from agents.From) error {
	as, err := played.Find(t.as)
	if err != nil {
		return exit.Errorf(exit.Input, "reading --as: %w", err)
	}
	tester, err := t.agents.tester(t.sys)
	if err != nil {
		return err
	}
	m, err := tester.Run(ctx, agents.Order{Files: files, On: t.on, Version: app.Version, Options: s.Run,
		More: played.Columns(as, s.Run, cases.As), From: from})
	switch {
	case ctx.Err() != nil && m == nil:
		return exit.Ended(ctx)
	case err != nil:
		return exit.With(testbed.ExitBroken, err)
	}
	m.Verbose = t.verbose
	m.Settle(t.strict)
	if err := t.writeFile(t.html, m.WritePage); err != nil {
		return err
	}
	write := m.Write
	if t.format == "github" {
		write = func(w io.Writer, _ string) error { return m.WriteGitHub(w, t.sys.Getenv) }
	}
	if err := write(t.sys.Stdout, t.format); err != nil {
		return exit.With(exit.Input, err)
	}
	if ctx.Err() != nil {
		return exit.Ended(ctx)
	}
	if code := m.ExitCode(); code != testbed.ExitPassed {
		return exit.Silent(code)
	}
	return nil
}
