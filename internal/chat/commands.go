package chat

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode"

	"minigem/agent/event"
	"minigem/compress"
	"minigem/internal/app"
	"minigem/internal/listing"
	"minigem/internal/slash"
	"minigem/internal/terminal"
	"minigem/internal/text"
)

// commands returns the commands for "/" (cli/services/BuiltinCommandLoader.ts).
func (t *Chat) commands() slash.Table {
	all := append(append(t.sessionCommands(), t.preferenceCommands()...), t.placeCommands()...)
	slices.SortStableFunc(all, func(a, b slash.Command) int { return strings.Compare(a.Name, b.Name) })
	return withElsewhere(all)
}

func (t *Chat) sessionCommands() slash.Table {
	return slash.Table{
		{Name: "about", Help: "version, system, model", Run: t.about},
		t.chatCommand("chat", "checkpoints"),
		{Name: "clear", Aliases: []string{"new"}, Help: "begin a new session on an empty screen", Run: t.clearAll},
		{Name: "compress", Aliases: []string{"summarize", "compact"}, Help: "replace the history by a summary", Run: t.compressNow},
		{Name: "copy", Help: "copy the last answer to the clipboard", Run: t.copyAnswer},
		t.directoryCommands(),
		{Name: "export", Aliases: []string{"export-session"}, Args: "[FILE.md|.json]", Help: "write this conversation to a file", Run: t.share},
		t.extensionsCommands(),
		{Name: "help", Aliases: []string{"?", "shortcuts"}, Help: "list the commands and keys", Run: t.help},
		t.hooksCommands(),
		{Name: "init", Help: "let the model write a " + app.ContextName(t.runtime), Run: t.initContext},
		{Name: "last", Help: "the last result, whole (^O)", Run: t.showLast},
		t.mcpCommands(),
		{Name: "memory", Help: "what the model reads of memory files", Run: t.memoryList, Sub: []slash.Command{
			{Name: "show", Help: "print them", Run: t.memoryShow},
			{Name: "list", Help: "list them", Run: t.memoryList},
			{Name: "add", Args: "[--project] TEXT", Help: "remember it, in all projects or in this one", Run: t.memoryAdd},
			{Name: "reload", Aliases: []string{"refresh"}, Help: "read them, settings and hooks again", Run: t.memoryReload},
		}},
		{Name: "mode", Args: "[default|auto_edit|plan|yolo]", Help: "what runs unasked (Shift+Tab)", Run: t.changeMode, Values: t.modeNames},
		{Name: "model", Help: "the model in use", Run: t.modelSet, Sub: []slash.Command{
			{Name: "set", Args: "NAME [--persist]", Help: "use another one, in later sessions too", Run: t.modelSet, Values: modelNames},
		}},
		{Name: "permissions", Help: "trust in this folder, and the approval mode", Run: t.permissions, Sub: []slash.Command{
			{Name: "trust", Help: "trust this folder and its hooks as they are now", Run: t.trustNow},
		}},
		t.planCommands(),
		{Name: "policies", Help: "the rules that decide what may run", Run: t.policies, Sub: []slash.Command{
			{Name: "list", Help: "list them", Run: t.policies},
		}},
		{Name: "quit", Aliases: []string{"exit"}, Help: "leave", Run: func(context.Context, string) error { t.left = "exit"; return nil }},
		t.chatCommand("resume"),
		{Name: "restore", Args: "[CHECKPOINT [WHAT]]", Help: "go back to before an edit", Run: t.restoreCheckpoint, Values: t.checkpointNames},
		{Name: "rewind", Args: "[NUMBER [WHAT]]", Help: "go back to before one of your prompts", Run: t.rewind},
		{Name: "settings", Help: "the settings files and what is set", Run: t.listSettings},
		t.skillsCommands(),
		t.agentsCommands(),
		{Name: "stats", Aliases: []string{"usage"}, Help: "requests, tokens, calls", Run: t.statsSession, Sub: []slash.Command{
			{Name: "session", Help: "all of them", Run: t.statsSession},
			{Name: "model", Help: "those of models", Run: t.statsModel},
			{Name: "tools", Aliases: []string{"tool"}, Help: "those of tools", Run: t.statsTools},
			{Name: "hooks", Aliases: []string{"hook"}, Help: "those of hooks, and how long they took", Run: t.statsHooks},
		}},
		{Name: "tools", Help: "the tools that the model is offered", Run: t.listTools, Sub: []slash.Command{
			{Name: "list", Help: "list them", Run: t.listTools},
			{Name: "desc", Aliases: []string{"descriptions"}, Help: "with the descriptions that the model reads", Run: t.describeTools},
		}},
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
  ^O shows the last result whole
  Esc or ^C interrupts, ^C twice or ^D leaves, ^Z suspends
`

func (t *Chat) help(context.Context, string) error {
	t.term.Print(t.table.Help() + keysHelp)
	return nil
}

func (t *Chat) about(context.Context, string) error {
	auth := cmp.Or(t.runtime.Config.Settings.Security.Auth.SelectedType, "as the environment says")
	t.term.Print(fmt.Sprintf("minigem %s, %s/%s\nmodel    %s\nsign-in  %s\nsession  %s\nfile     %s\nmode     %s",
		app.Version, runtime.GOOS, runtime.GOARCH, t.runtime.ModelName, auth, t.runtime.Session.ID(), t.shortenHome(t.runtime.Session.Path()), t.runtime.Policy.Mode().Flag()))
	return nil
}

// compressNow is /compress; its result is reported as an event.
func (t *Chat) compressNow(context.Context, string) error {
	t.work("compressing the history", func(ctx context.Context) {
		if res := t.runtime.Compressor.Compress(ctx, 0); res.Status == compress.Noop { // everything else is reported elsewhere
			t.view.Emit(event.Compressed{Before: res.Before, After: res.After, Status: int(res.Status)})
		}
	})
	return nil
}

var errNoClipboard = errors.New("this terminal has no clipboard that a program can reach")

func (t *Chat) copyAnswer(context.Context, string) error {
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

func (t *Chat) showLast(context.Context, string) error {
	if !t.view.Unfold() {
		return errors.New("no tool has had a result yet")
	}
	return nil
}

func (t *Chat) initContext(context.Context, string) error {
	name := app.ContextName(t.runtime)
	if app.Exists(filepath.Join(t.runtime.Config.Dir, name)) {
		return fmt.Errorf("%s is there already: ask for the changes that you want", name)
	}
	t.submit("Look at this project and write a file "+name+" in its root: what the project is, how it is laid out, "+
		"the commands that build, test and run it, and the conventions that its code follows. "+
		"Keep to what you find in its files, and keep it short: it is what you will be told about this project at the start of each session.", nil)
	return nil
}

func (t *Chat) memoryList(context.Context, string) error {
	paths := t.runtime.Context.Paths()
	for i, p := range paths {
		paths[i] = "  " + t.shortenHome(p)
	}
	if len(paths) == 0 {
		paths = []string{"No memory file is loaded. /init lets the model write one."}
	}
	t.term.Print(terminal.Clean(strings.Join(paths, "\n")))
	return nil
}

func (t *Chat) memoryShow(ctx context.Context, _ string) error {
	text := memoryText(t.runtime.Context, t.runtime.Config.Dir)
	if strings.TrimSpace(text) == "" {
		return t.memoryList(ctx, "")
	}
	t.term.Print(terminal.Clean(strings.TrimSpace(text)))
	return nil
}

func modelNames() []string {
	return []string{"auto", "pro", "flash", "flash-lite", "gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite", "gemini-3.1-pro-preview"}
}

func (t *Chat) modelSet(_ context.Context, args string) error {
	name, persist := strings.CutSuffix(args, " --persist")
	name = strings.TrimSpace(name)
	if strings.HasPrefix(name, "-") || strings.ContainsFunc(name, unicode.IsSpace) {
		return fmt.Errorf("%q is not the name of a model: it is /model set NAME [--persist]", text.VisibleLine(name))
	}
	if name != "" {
		if err := t.runtime.UseModel(name); err != nil {
			return err
		}
	}
	if persist {
		if err := t.runtime.Config.SaveSetting(name, "model", "name"); err != nil {
			return err
		}
	}
	said := t.runtime.ModelName
	if auto := t.runtime.AutoModel(); auto != "" {
		said += " now; " + auto + " chooses it by rule"
	}
	if persist {
		said += ", in later sessions too"
	}
	t.term.Print("The model is " + terminal.Clean(said) + ".")
	return nil
}

// permissions shows the current permissions; it changes nothing.
func (t *Chat) permissions(context.Context, string) error {
	state := "trusted"
	if !t.runtime.Config.Trust.Trusted {
		state = "not trusted; /permissions trust changes that"
	}
	if t.runtime.Config.Trust.Why != "" {
		state += " (" + t.runtime.Config.ShortenIn(t.runtime.Config.Trust.Why) + ")"
	}
	t.term.Print(terminal.Clean(fmt.Sprintf("%s is %s\nThe approval mode is %s; /policies lists the rules.", t.shortenHome(t.runtime.Config.Dir), state, t.runtime.Policy.Mode().Flag())))
	return nil
}

func (t *Chat) policies(context.Context, string) error {
	return t.captured(func(sys *app.System) error {
		return listing.WriteRules(t.runtime.Config, sys, t.runtime.Policy.Rules())
	})
}

func (t *Chat) listSettings(context.Context, string) error {
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

// captured shows what f writes to a System of its own.
func (t *Chat) captured(f func(sys *app.System) error) error {
	var b bytes.Buffer
	sys := *t.Sys
	sys.Stdout, sys.Stderr = &b, &b
	err := f(&sys)
	t.term.Print(terminal.Clean(strings.TrimRight(b.String(), "\n")))
	return err
}

// complete offers commands, and files and resources after an "@".
func (t *Chat) complete(ctx context.Context, line string) ([]terminal.Suggestion, int) {
	found, replaced := []slash.Suggestion(nil), 0
	if slash.Is(line) {
		found, replaced = t.table.Suggest(line)
	} else if !strings.HasPrefix(line, "!") {
		found, replaced = t.files.Suggest(ctx, t.runtime.Files(), line)
		_, word, _ := strings.Cut(line[max(0, strings.LastIndexByte(line, '@')):], "@")
		beside := t.namedWith(line)
		if len(beside) > 0 {
			replaced = len([]rune(word))
		}
		found = append(beside, found...)
	}
	out := make([]terminal.Suggestion, len(found))
	for i, s := range found {
		out[i] = terminal.Suggestion{Text: terminal.Clean(s.Text), Label: terminal.Clean(text.VisibleLine(s.Label)), Help: terminal.Clean(text.VisibleLine(s.Help))}
	}
	return out, replaced
}

// namedWith are the agents, and the resources of MCP servers, that begin with what
// follows the "@" at the end of line.
func (t *Chat) namedWith(line string) (out []slash.Suggestion) {
	at := strings.LastIndexByte(line, '@')
	if at < 0 || strings.ContainsAny(line[at:], " \n") {
		return nil
	}
	for _, a := range t.runtime.Agents() {
		if strings.HasPrefix(a.Name, line[at+1:]) {
			out = append(out, slash.Suggestion{Text: a.Name + " ", Label: a.Name, Help: "an agent: " + a.Description})
		}
	}
	for _, s := range t.runtime.MCPSessions() {
		for _, uri := range s.Resources() {
			if name := s.Name() + ":" + uri; strings.HasPrefix(name, line[at+1:]) && !strings.Contains(name, " ") {
				out = append(out, slash.Suggestion{Text: name + " ", Label: name, Help: "a resource of an MCP server"})
			}
		}
	}
	return out
}
