package chat

import (
	"context"
	"errors"
	"strings"

	"minigem/agent"
	"minigem/internal/commands"
	"minigem/internal/slash"
	"minigem/internal/terminal"
	"minigem/internal/text"
)

// commandTable is what "/" runs and offers: minigem's own commands, the user's, and the
// prompts of MCP servers.
type commandTable struct {
	live    *live
	all     slash.Table[*call]
	own     int // how many of all are not prompts of MCP servers
	mine    []commands.Maker
	prompts []commands.Maker
	files   slash.FileIndex
}

// call is one command given by the user: its arguments, and the session it is run in.
type call struct {
	*live
	table *commandTable
	args  string
}

// row is a command of the table.
type row = slash.Command[*call]

// values returns a function that always offers the same arguments.
func values(all ...string) func(*call) []string { return func(*call) []string { return all } }

// with makes a call with the given arguments.
func (t *commandTable) with(args string) *call { return &call{live: t.live, table: t, args: args} }

// set rebuilds the table from the current commands.
func (t *commandTable) set() {
	t.mine = commands.Own(t.live.runtime, t.live.warn)
	t.all = builtinCommands(t.live.runtime)
	t.add(t.mine)
	t.own = len(t.all)
}

func (t *commandTable) add(commands []commands.Maker) {
	for _, c := range commands {
		t.all = append(t.all, row{Name: c.Name, Args: c.Args, Help: terminal.Clean(c.Help), Run: submitting(c)})
	}
}

// run executes a line that begins with "/". An unknown name may be a prompt of an MCP
// server that is still starting.
func (t *commandTable) run(line string) error {
	t.addPrompts()
	err := t.all.Run(line, t.with)
	var unknown *slash.UnknownError
	if errors.As(err, &unknown) && unknown.Usage == "" && t.live.runtime.MCP.Waiting() {
		t.awaitMCP()
		err = t.all.Run(line, t.with)
	}
	return err
}

// awaitMCP waits for the MCP servers and adds their prompts.
func (t *commandTable) awaitMCP() {
	if r := t.live.runtime; r.MCP.Waiting() {
		t.live.work("waiting for MCP servers", r.MCP.Await)
	} else {
		r.MCP.Await(t.live.ctx)
	}
	t.addPrompts()
}

// addPrompts adds the current prompts of MCP servers as commands.
func (t *commandTable) addPrompts() {
	t.all = t.all[:t.own:t.own]
	t.prompts = commands.OfServers(t.live.runtime, t.mine)
	t.add(t.prompts)
}

// submitting returns a command that submits the prompt of c unless it is blank.
func submitting(c commands.Maker) func(*call) error {
	return func(t *call) (err error) {
		var p agent.Prompt
		t.work("preparing /"+c.Name, func(ctx context.Context) {
			p, err = c.Make(ctx, t.args, t.approver(t.runtime.Config).Approve)
		})
		if err == nil && strings.TrimSpace(p.Text) != "" {
			t.submit(p)
		}
		return err
	}
}

// complete offers commands, or files, agents and resources after an "@".
func (t *commandTable) complete(ctx context.Context, line string) ([]terminal.Suggestion, int) {
	found, replaced := []slash.Suggestion(nil), 0
	if slash.Is(line) {
		found, replaced = t.all.Suggest(line, t.with)
	} else if !strings.HasPrefix(line, "!") {
		found, replaced = t.files.Suggest(ctx, t.live.runtime.Files(), line)
		_, word, _ := strings.Cut(line[max(0, strings.LastIndexByte(line, '@')):], "@")
		beside := t.namedWith(line)
		if len(beside) > 0 {
			replaced = len([]rune(word))
		}
		found = append(beside, found...)
	}
	out := make([]terminal.Suggestion, len(found))
	for i, s := range found {
		out[i] = terminal.Suggestion{Text: terminal.Clean(s.Text), Label: terminal.Clean(text.VisibleLine(s.Label)),
			Help: terminal.Clean(text.VisibleLine(s.Help))}
	}
	return out, replaced
}

// namedWith returns the agents and MCP resources that begin with what follows the "@"
// at the end of line.
func (t *commandTable) namedWith(line string) (out []slash.Suggestion) {
	at := strings.LastIndexByte(line, '@')
	if at < 0 || strings.ContainsAny(line[at:], " \n") {
		return nil
	}
	for _, a := range t.live.runtime.Agents.List() {
		if strings.HasPrefix(a.Name, line[at+1:]) {
			out = append(out, slash.Suggestion{Text: a.Name + " ", Label: a.Name, Help: "an agent: " + a.Description})
		}
	}
	for _, s := range t.live.runtime.MCP.Sessions() {
		for _, uri := range s.Resources() {
			if name := s.Name() + ":" + uri; strings.HasPrefix(name, line[at+1:]) && !strings.Contains(name, " ") {
				out = append(out, slash.Suggestion{Text: name + " ", Label: name, Help: "a resource of an MCP server"})
			}
		}
	}
	return out
}
