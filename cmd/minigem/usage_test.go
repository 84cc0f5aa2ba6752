package main

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"

	"minigem/internal/exit"
	"minigem/internal/text"
)

func TestUsage(t *testing.T) {
	t.Parallel()
	w := twoSessions(t)
	for _, c := range []struct {
		args string
		code int
		says string // part of stderr, or of stdout if the code is 0
	}{
		// the parent
		{"hooks", 0, "minigem hooks lint --fix"},
		{"hook", 0, "Available Commands"},
		{"hooks lst", 42, `minigem hooks has no subcommand "lst"; did you mean "list"?`},
		{"hooks tst", 42, `minigem hooks has no subcommand "tst"; did you mean "test"?`},
		{"hooks --no", 42, "unknown flag: --no"},
		// each help has an example
		{"hooks list --help", 0, "Examples:\n  minigem hooks list"},
		{"hooks enable --help", 0, "Examples:\n  minigem hooks enable guard"},
		{"hooks disable --help", 0, "Examples:\n  minigem hooks disable guard"},
		{"hooks enable-all --help", 0, "Examples:\n  minigem hooks enable-all"},
		{"hooks disable-all --help", 0, "Examples:\n  minigem hooks disable-all"},
		{"hooks schema --help", 0, "Examples:\n  minigem hooks schema BeforeTool"},
		{"hooks migrate --help", 0, "Examples:\n  minigem hooks migrate --from-claude"},
		// wrong arguments
		{"hooks list x", 42, "minigem hooks list takes no arguments"},
		{"hooks enable", 42, "needs the names of hooks"},
		{"hooks disable-all x", 42, "takes no arguments"},
		{"hooks schema --tools", 0, `"write_file": {`},
		{"hooks schema --tools BeforeTool", 42, "leave out BeforeTool"},
		{"hooks schema A B", 42, "takes one event"},
		{"hooks schema --input --output", 42, "none of the others can be"},
		{"hooks migrate", 42, "--from-claude"},
		{"hooks migrate --to clade", 42, `not "clade"; did you mean "claude"?`},
		{"hooks migrate --from-claude --to codex", 42, "leave out --to codex"},
		{"hooks migrate --from-claude --dry-run --yes", 42, "none of the others can be"},
		{"hooks test --no", 42, "unknown flag: --no"},
		{"hooks test -j 0", 42, "minigem: --jobs is 0: expected at least 1\n"},
		{"hooks test -j -1", 42, "minigem: --jobs is -1: expected at least 1\n"},
		{"hooks test --jobs many", 42, "minigem: --jobs is \"many\": expected a whole number\nSee: minigem hooks test --help\n"},
		{"hooks fire BeforeTool --timeout 5", 42, `--timeout is "5": expected a time such as 500ms or 10s`},
		{"hooks list --json=maybe", 42, `--json is "maybe": expected true or false`},
		{"hooks test --shufle", 42, "did you mean --shuffle?"},
		{"hooks explain --no", 42, "unknown flag: --no"},
		{"hooks fire BeforeTool --input a --tool b", 42, "none of the others can be"},
		{"hooks new --no", 42, "unknown flag: --no"},
		{"hooks view", 42, "minigem hooks view"},
		{"hooks replay", 42, "needs session files"},
		{"sessions", 0, "minigem sessions delete 3"},
		{"session", 0, "Available Commands"},
		{"sessions lst", 42, `minigem sessions has no subcommand "lst"; did you mean "list"?`},
		{"sessions list --help", 0, "Examples:\n  minigem sessions list"},
		{"sessions show --help", 0, "Examples:\n  minigem sessions show"},
		{"sessions delete --help", 0, "Examples:\n  minigem sessions delete"},
		{"sessions list x", 42, "takes no arguments"},
		{"sessions show", 42, "needs the number or the id of one session"},
		{"sessions show 1 2", 42, "needs the number or the id of one session"},
		{"sessions show 7", 42, "showing session: session index 7 is out of range: there are sessions 1 to 2"},
		{"sessions delete", 42, "needs the numbers or ids of sessions"},
		{"settings", 0, "minigem settings list --origin general"},
		{"settings lst", 42, `minigem settings has no subcommand "lst"; did you mean "list"?`},
		{"settings list --help", 0, "Examples:\n  minigem settings list"},
		{"settings schema --help", 0, "Examples:\n  minigem settings schema"},
		{"settings list a b", 42, "takes one key"},
		{"settings list no.such", 42, `no setting "no.such" is in force: minigem settings list shows those that are`},
		{"settings list --known modle", 42, `there is no setting "modle"; did you mean "model"?`},
		{"settings list --known model.fallbak", 42, `there is no setting "model.fallbak"; did you mean "model.fallback"?`},
		{"settings schema x", 42, "takes no arguments"},
		{"--acp -w x", 1, "--acp works in the folders that the editor names: leave --worktree out"},
		{"-w x -r 3 -p hi", 1, "to resume, run --resume in the session's worktree"},
		{"-w x -p hi", 1, `--worktree is experimental: set "experimental": {"worktrees": true} in ~/.gemini/settings.json`},
		{"--acp hi", 1, "--acp takes its prompts from the editor: leave the prompt out"},
		{"--acp -p hi", 1, "--acp takes its prompts from the editor: leave the prompt out"},
		{"--acp -i hi", 1, "--acp takes its prompts from the editor: leave the prompt out"},
		{"settings schema", 0, `"title": "settings.json"`},
		{"policies --help", 0, "Examples:\n  minigem policies"},
		{"agents instal", 42, `minigem agents has no subcommand "instal"; did you mean "install"?`},
		{"agents install", 42, "minigem agents install needs a folder to write to"},
		{"trust --never --list", 42, "none of the others can be"},
		{"fake-api", 42, "minigem fake-api needs one script"},
	} {
		got := w.run(c.args)
		assert.Equal(t, c.code, got.code, c.args)
		shown, silent := got.err, got.out
		if c.code == 0 {
			shown, silent = got.out, got.err
		}
		assert.Contains(t, shown, c.says, c.args)
		assert.Empty(t, silent, c.args)
		assert.NotContains(t, shown, "\x1b", c.args)
	}
}

// TestUnknownFlags checks that an unknown flag of a subcommand is bad input before
// anything is read or done, and that minigem itself exits like Gemini CLI.
func TestUnknownFlags(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, map[string]string{"~/.gemini/settings.json": "{"})
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		want := exit.Input
		if !c.HasParent() {
			want = exit.Failed
		}
		got := w.run(c.CommandPath()[len("minigem"):] + " --no-such-flag")
		assert.Equal(t, want, got.code, c.CommandPath())
		assert.Equal(t, "minigem: unknown flag: --no-such-flag\nSee: "+c.CommandPath()+" --help\n", got.err)
		assert.Empty(t, got.out, c.CommandPath())
		for _, sub := range c.Commands() {
			if sub.Name() == "run" { // agents take any exit code but 2 as a go-ahead
				refused := w.run("hooks run --no-such-flag")
				assert.Equal(t, 2, refused.code)
				assert.Contains(t, refused.err+refused.out, `"decision":"block"`)
				continue
			}
			walk(sub)
		}
	}
	sys, _, _ := w.sys()
	root, _ := newRootCommand(sys)
	walk(root)
}

// TestHelpFits checks that the help of each command fits a terminal of 80 columns.
func TestHelpFits(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, nil)
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		got := w.run(c.CommandPath()[len("minigem"):] + " --help")
		most := map[string]int{"minigem": 50, "minigem hooks test": 40}[c.CommandPath()]
		if most == 0 {
			most = 60
		}
		assert.LessOrEqual(t, strings.Count(got.out, "\n"), most, "lines of %s --help", c.CommandPath())
		assert.Contains(t, got.out, "\n\nUsage:\n  "+c.CommandPath())
		for line := range strings.Lines(got.out) {
			line = strings.TrimRight(line, "\n")
			assert.LessOrEqual(t, ansi.StringWidth(line), text.HelpWidth, "%s --help: %s", c.CommandPath(), line)
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	sys, _, _ := w.sys()
	root, _ := newRootCommand(sys)
	walk(root)
}

// TestHelpTopics checks help about commands and topics, and --help-cases, the reference
// of cases.
func TestHelpTopics(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, nil)
	for args, want := range map[string]string{
		"help flags":              "      --fake-responses file ",
		"help flags hooks test":   "Flags of minigem hooks test:\n",
		"help runs":               "--approval-mode=auto_edit   edit files",
		"help exit-codes":         "\n  55   the folder is not trusted\n",
		"help hooks attack":       "Usage:\n  minigem hooks attack",
		"hooks test --help-cases": "A condition is KEY=VALUE",
	} {
		got := w.run(args)
		assert.Equal(t, 0, got.code, got.err)
		assert.Contains(t, got.out, want, args)
		if strings.HasPrefix(args, "help") {
			assert.LessOrEqual(t, strings.Count(got.out, "\n"), 60, "lines of %s", args)
		}
	}
}
