package chat

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"minigem/internal/app"
	"minigem/internal/atomicfile"
	"minigem/internal/terminal"
	"minigem/internal/text"
)

// preferenceCommands returns the commands for how the chat looks and works for this
// user.
func preferenceCommands() []row {
	return []row{
		{Name: "bug", Args: "[WHAT HAPPENED]", Help: "write a bug report to a file; nothing is sent", Run: reportBug},
		{Name: "commands", Help: "commands of your own", Run: ownCommandsList, Sub: []row{
			{Name: "list", Help: "list them", Run: ownCommandsList},
			{Name: "reload", Aliases: []string{"refresh"}, Help: "read their folders again", Run: ownCommandsReload},
		}},
		{Name: "docs", Help: "where to read more", Run: docs},
		{Name: "editor", Args: "[COMMAND]", Help: "the editor for ^G and for changes before they are made",
			Run:    setEditor,
			Values: values("vi", "vim", "nvim", "nano", "emacs", "code --wait")},
		{Name: "theme", Args: "[light|dark|auto]", Help: "colours for a light or a dark background", Run: setTheme,
			Values: values("light", "dark", "auto")},
		{Name: "vim", Help: "turn vi keys on or off", Run: switchVim},
	}
}

// setTheme changes the colours, now and for later sessions.
func setTheme(t *call) error {
	theme := t.args
	switch theme {
	case "":
		t.term.Print("The theme is " + text.VisibleLine(cmp.Or(t.theme, t.runtime.Config.Settings.UI.Theme, "auto")) +
			"; use /theme light, dark or auto.")
		return nil
	case "light", "dark":
		t.term.SetLight(theme == "light")
	case "auto":
	default:
		return fmt.Errorf("there is no theme %q: use light, dark or auto", text.VisibleLine(theme))
	}
	if err := t.runtime.Config.SaveSetting(theme, "ui", "theme"); err != nil {
		return err
	}
	t.theme = theme
	more := ""
	if theme == "auto" {
		more = "; the terminal is asked at the next start"
	}
	t.term.Print("The theme is " + theme + more + ".")
	return nil
}

func switchVim(t *call) error {
	on := !t.term.Vim()
	if err := t.runtime.Config.SaveSetting(on, "general", "vimMode"); err != nil {
		return err
	}
	t.term.SetVim(on)
	t.term.Print("The keys are those of " + map[bool]string{true: "vi", false: "emacs"}[on] + ".")
	return nil
}

func setEditor(t *call) error {
	command := t.args
	c := t.runtime.Config
	if command == "" {
		t.term.Print("The editor is " + terminal.Clean(text.VisibleLine(editorOf(c))) +
			": $VISUAL, $EDITOR, then general.preferredEditor.")
		return nil
	}
	if err := c.SaveSetting(command, "general", "preferredEditor"); err != nil {
		return err
	}
	c.Settings.General.PreferredEditor = command
	said := "The editor is " + command + "."
	if now := editorOf(c); now != command {
		said = fmt.Sprintf("Kept in the settings, but $VISUAL or $EDITOR says %s, which wins.", now)
	}
	t.term.Print(terminal.Clean(text.VisibleLine(said)))
	return nil
}

func docs(t *call) error {
	t.term.Print(`/help lists the commands and keys of the chat.
minigem --help, and minigem COMMAND --help, have flags and examples.
The folder docs of minigem's source has a page for each subject: CHAT.md (this
chat), PERMISSIONS.md (what may run), EXTENSIONS.md, MODELS.md, SUBAGENTS.md,
HOOKS.md (hooks), TESTBED.md (tests of hooks); README.md is the index.`)
	return nil
}

func ownCommandsList(t *call) error {
	rows := [][]string{{"Command", "What it does"}}
	for _, c := range t.table.mine {
		rows = append(rows, []string{text.VisibleLine("/" + c.Name), text.VisibleLine(c.Help)})
	}
	t.rows(rows, "You have no commands of your own: ~/.gemini/commands/NAME.toml makes /NAME.")
	return nil
}

func ownCommandsReload(t *call) error {
	t.table.set()
	t.term.Print("Read again: " + text.Plural(len(t.table.mine), "command") + " of your own.")
	return nil
}

// reportBug writes what is needed to fix a problem to a file, without any of the
// conversation.
func reportBug(t *call) error {
	what := t.args
	c := t.runtime.Config
	columns, rows := t.term.Size()
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nminigem %s, %s/%s, %s\nmodel %s, sign-in %s, mode %s\n"+
		"terminal %s %s, %d columns, %d rows\n%s, %s, folder trusted: %v\n",
		cmp.Or(what, "What happened, and what should have?"), app.Version, runtime.GOOS, runtime.GOARCH, runtime.Version(),
		t.runtime.Models.Name, cmp.Or(c.Settings.Security.Auth.SelectedType, "as the environment says"),
		t.runtime.Policy.Mode().Flag(),
		cmp.Or(t.sys.Getenv("TERM"), "unknown"), t.sys.Getenv("TERM_PROGRAM"), columns, rows,
		text.Plural(len(c.Hooks.Hooks), "hook"), text.Plural(len(t.runtime.MCP.Statuses()), "MCP server"), c.Trust.Trusted)
	for _, p := range c.Hooks.Problems {
		fmt.Fprintf(&b, "problem: %s\n", c.ShortenIn(p.Text))
	}
	for _, h := range t.tally.hooks.Snapshot() {
		if h.Failed > 0 {
			fmt.Fprintf(&b, "a hook at %s failed %d of %d times\n", h.Event, h.Failed, h.Runs())
		}
	}
	fmt.Fprintf(&b, "\nThe conversation is in %s; it is not in this report.\n", t.shortenHome(t.runtime.Session.Path()))
	path := filepath.Join(c.DotGemini, "bug-"+t.sys.Now().UTC().Format("2006-01-02T15-04-05")+".md")
	if err := atomicfile.WriteFile(path, []byte(c.Masker.String(text.Clean(b.String()))), 0o600); err != nil {
		return errors.Join(errors.New("the report cannot be written"), err)
	}
	t.term.Print("Written: " + terminal.Clean(t.shortenHome(path)))
	t.term.Print("Nothing was sent: read it, and put it where you want it.")
	return nil
}
