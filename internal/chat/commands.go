package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"minigem/agent/event"
	"minigem/compress"
	"minigem/internal/app"
	"minigem/internal/commands"
	"minigem/internal/listing"
	"minigem/internal/terminal"
	"minigem/internal/text"
	"minigem/internal/wiring"
)

// builtinCommands returns the commands for "/" (cli/services/BuiltinCommandLoader.ts).
func builtinCommands(r *wiring.Runtime) []row {
	all := slices.Concat(shared(commands.Builtin(r)), sessionCommands(), countCommands(), preferenceCommands(),
		placeCommands())
	slices.SortStableFunc(all, func(a, b row) int { return strings.Compare(a.Name, b.Name) })
	return withElsewhere(all)
}

// shared returns commands that editors have, too.
func shared(all commands.Table) (out []row) {
	for _, c := range all {
		sub := shared(c.Sub)
		if c.Name == "extensions" {
			sub = append(sub, extensionsCommands()...)
		}
		out = append(out, row{Name: c.Name, Aliases: c.Aliases, Args: c.Args, Help: c.Help, Sub: sub,
			Run: func(t *call) error {
				on := &commands.Call{Context: t.ctx, Runtime: t.runtime, Args: t.args, Reload: t.reloadMemory}
				err := t.captured(func(sys *app.System) error {
					on.Sys = sys
					return c.Run(on)
				})
				if on.Prompt.Text != "" {
					t.submit(on.Prompt)
				}
				return err
			}})
	}
	return out
}

func sessionCommands() []row {
	return []row{
		chatCommand("chat", "checkpoints"),
		{Name: "clear", Aliases: []string{"new"}, Help: "begin a new session on an empty screen", Run: clearAll},
		{Name: "compress", Aliases: []string{"summarize", "compact"}, Help: "replace the history by a summary",
			Run: compressNow},
		{Name: "copy", Help: "copy the last answer to the clipboard", Run: copyAnswer},
		directoryCommands(),
		{Name: "export", Aliases: []string{"export-session"}, Args: "[FILE.md|.json]",
			Help: "write this conversation to a file", Run: share},
		{Name: "help", Aliases: []string{"?", "shortcuts"}, Help: "list the commands and keys", Run: help},
		hooksCommands(),
		{Name: "last", Help: "the full last result (^O)", Run: showLast},
		mcpCommands(),
		{Name: "mode", Args: "[default|auto_edit|plan|yolo]", Help: "what runs without asking (Shift+Tab)", Run: changeMode,
			Values: modeNames},
		{Name: "model", Help: "the model in use", Run: modelSet, Sub: []row{
			{Name: "set", Args: "NAME [--persist]", Help: "use another one, in later sessions too", Run: modelSet,
				Values: modelNames},
		}},
		{Name: "permissions", Help: "trust in this folder, and the approval mode", Run: permissions,
			Sub: []row{
				{Name: "trust", Help: "trust this folder and its hooks as they are now", Run: trustNow},
			}},
		planCommands(),
		{Name: "policies", Help: "the rules that decide what may run", Run: policies, Sub: []row{
			{Name: "list", Help: "list them", Run: policies},
		}},
		{Name: "quit", Aliases: []string{"exit"}, Help: "leave", Run: func(t *call) error {
			t.left = "exit"
			return nil
		}},
		chatCommand("resume"),
		{Name: "restore", Args: "[CHECKPOINT [WHAT]]", Help: "go back to before an edit", Run: restoreCheckpoint,
			Values: checkpointNames},
		{Name: "rewind", Args: "[NUMBER [WHAT]]", Help: "go back to before one of your prompts", Run: rewind},
		{Name: "settings", Help: "the settings files and what is set", Run: listSettings},
		skillsCommands(),
		agentsCommands(),
	}
}

const keysHelp = `
  @path        put a file or a folder into the prompt
  !command     run a command; the model sees what it printed
  \ at the end, Alt-Enter, or a paste: more than one line
  / and @ show what is there: arrows move, Tab takes, Esc closes
  Up and ^R find earlier prompts, ^G or ^X ^E opens your editor
  keys are those of emacs, or of vi (general.vimMode)
  Shift+Tab changes the approval mode
  ^O shows the full last result
  Esc or ^C interrupts, ^C twice or ^D leaves, ^Z suspends
`

func help(t *call) error {
	t.term.Print(t.table.all.Help() + keysHelp)
	return nil
}

// compressNow runs /compress. Its result is reported as an event.
func compressNow(t *call) error {
	t.work("compressing the history", func(ctx context.Context) {
		// everything else is reported elsewhere
		if res := t.runtime.Compressor.Compress(ctx, 0); res.Status == compress.Noop {
			t.view.Emit(event.Compressed{Before: res.Before, After: res.After, Status: int(res.Status)})
		}
	})
	return nil
}

var errNoClipboard = errors.New("this terminal has no clipboard that a program can reach")

func copyAnswer(t *call) error {
	answer := t.view.LastAnswer()
	if answer == "" {
		return errors.New("there is no answer to copy yet")
	}
	if !t.term.Copy(answer) {
		return errNoClipboard
	}
	t.term.Print(t.term.Dim("The last answer was sent to the clipboard; some terminals refuse it."))
	return nil
}

func showLast(t *call) error {
	if !t.view.Unfold() {
		return errors.New("there is no tool result yet")
	}
	return nil
}

func modelNames(t *call) []string {
	return []string{"auto", "pro", "flash", "flash-lite", "gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite",
		"gemini-3.1-pro-preview"}
}

func modelSet(t *call) error {
	args := t.args
	name, persist := strings.CutSuffix(args, " --persist")
	name = strings.TrimSpace(name)
	if strings.HasPrefix(name, "-") || strings.ContainsFunc(name, unicode.IsSpace) {
		return fmt.Errorf("%q is not the name of a model: use /model set NAME [--persist]", text.VisibleLine(name))
	}
	if name != "" {
		if err := t.runtime.Models.Use(name); err != nil {
			return err
		}
	}
	if persist {
		if err := t.runtime.Config.SaveSetting(name, "model", "name"); err != nil {
			return err
		}
	}
	said := t.runtime.Models.Name
	if auto := t.runtime.Models.Auto(); auto != "" {
		said += " now; " + auto + " chooses it by rule"
	}
	if persist {
		said += ", in later sessions too"
	}
	t.term.Print("The model is " + terminal.Clean(said) + ".")
	return nil
}

// permissions shows the current permissions and changes nothing.
func permissions(t *call) error {
	state := "trusted"
	if !t.runtime.Config.Trust.Trusted {
		state = "not trusted; /permissions trust changes that"
	}
	if t.runtime.Config.Trust.Why != "" {
		state += " (" + t.runtime.Config.ShortenIn(t.runtime.Config.Trust.Why) + ")"
	}
	t.term.Print(
		terminal.Clean(fmt.Sprintf("%s is %s\nThe approval mode is %s; /policies lists the rules.",
			t.shortenHome(t.runtime.Config.Dir), state, t.runtime.Policy.Mode().Flag())))
	return nil
}

func policies(t *call) error {
	return t.captured(func(sys *app.System) error {
		return listing.WriteRules(t.runtime.Config, sys, t.runtime.Policy.Rules())
	})
}

func listSettings(t *call) error {
	return t.captured(func(sys *app.System) error {
		for _, f := range t.runtime.Config.Loaded.Files {
			state := cmp.Or(f.Skipped, "read")
			if f.Data == nil && f.Skipped == "" {
				state = "not there"
			}
			fmt.Fprintf(sys.Stdout, "%-16s %s (%s)\n", f.Layer, t.runtime.Config.Shorten(f.Path), state)
		}
		fmt.Fprintln(sys.Stdout)
		return listing.WriteSettings(t.runtime.Config, sys, listing.SettingsBelow(t.runtime.Config, ""), true)
	})
}
