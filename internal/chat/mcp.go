package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/listing"
	"minigem/internal/slash"
	"minigem/internal/terminal"
	"minigem/internal/text"
	"minigem/llm"
)

// runCommand does what a line with a "/" asks for. A name that is not known yet
// may be a prompt of an MCP server that is still on its way up.
func (t *Chat) runCommand(line string) error {
	t.addPrompts()
	err := t.table.Run(t.Ctx, line)
	var unknown *slash.UnknownError
	if errors.As(err, &unknown) && unknown.Usage == "" && t.runtime.MCPWaiting() {
		t.awaitMCP()
		err = t.table.Run(t.Ctx, line)
	}
	return err
}

func (t *Chat) awaitMCP() {
	if t.runtime.MCPWaiting() {
		t.work("waiting for MCP servers", t.runtime.AwaitMCP)
	} else {
		t.runtime.AwaitMCP(t.Ctx)
	}
	t.addPrompts()
}

// addPrompts makes the prompts of MCP servers commands, those that came
// meanwhile too.
func (t *Chat) addPrompts() {
	t.table = t.table[:t.ownCommands:t.ownCommands]
	var taken []string
	for _, c := range t.table {
		taken = append(append(taken, c.Name), c.Aliases...)
	}
	t.prompts = t.runtime.MCPPrompts(taken)
	for _, p := range t.prompts {
		args := ""
		if usage := p.Usage(); usage != "" {
			args = "[" + usage + "]"
		}
		help := fmt.Sprintf("from the MCP server %s", p.Server)
		if p.Description != "" {
			help = p.Description + " (" + p.Server + ")"
		}
		t.table = append(t.table, slash.Command{Name: p.Command, Args: args, Help: terminal.Clean(help), Run: t.runPrompt(p)})
	}
}

func (t *Chat) runPrompt(p app.MCPPrompt) func(context.Context, string) error {
	return func(_ context.Context, args string) error {
		var text string
		var err error
		t.work("asking "+p.Server, func(ctx context.Context) { text, err = p.Fill(ctx, args) })
		if err != nil {
			return err
		}
		t.submit(text, []llm.Part{llm.Text{Text: text}})
		return nil
	}
}

func (t *Chat) mcpCommands() slash.Command {
	return slash.Command{Name: "mcp", Help: "the MCP servers, and what they offer", Run: t.mcpList, Sub: []slash.Command{
		{Name: "list", Aliases: []string{"ls", "nodesc"}, Help: "list them", Run: t.mcpList},
		{Name: "desc", Aliases: []string{"description"}, Help: "with the descriptions that the model reads",
			Run: t.mcpDescribe},
		{Name: "reload", Aliases: []string{"refresh"}, Help: "read the settings again and start all of them anew",
			Run: t.mcpReload},
		{Name: "restart", Help: "start all of them anew", Run: t.mcpRestart},
		{Name: "log", Args: "NAME", Help: "why one does not answer, whole", Run: t.mcpLog, Values: t.mcpNames},
		{Name: "auth", Args: "NAME", Help: "sign in at one that asks for it", Run: t.mcpAuth, Values: t.mcpNames},
		{Name: "enable", Args: "NAME", Help: "start one again that was disabled", Run: t.mcpSwitch(true), Values: t.mcpNames},
		{Name: "disable", Args: "NAME", Help: "start one no more, in any folder", Run: t.mcpSwitch(false),
			Values: t.mcpNames},
	}}
}

func (t *Chat) mcpNames() []string {
	var names []string
	for _, s := range t.runtime.MCPStatuses() {
		names = append(names, s.Name)
	}
	return names
}

func (t *Chat) mcpList(context.Context, string) error     { return t.listMCP(false) }
func (t *Chat) mcpDescribe(context.Context, string) error { return t.listMCP(true) }

// listMCP waits for nobody: a server that hangs is what somebody looks for here.
func (t *Chat) listMCP(describe bool) error {
	statuses := t.runtime.MCPStatuses()
	if len(statuses) == 0 {
		t.term.Print("There are no MCP servers; minigem mcp add adds one.")
		return nil
	}
	var b strings.Builder
	for _, s := range listing.ListedMCPServers(t.runtime.Config, statuses) {
		fmt.Fprintf(&b, "%s (%s) - %s\n", s.Name, s.Type, s.Status)
		if why, rest, _ := strings.Cut(strings.TrimSpace(s.Why), "\n"); rest != "" {
			fmt.Fprintf(&b, "  %s (/mcp log %s says all)\n", why, s.Name)
		} else if why != "" {
			fmt.Fprintf(&b, "  %s\n", why)
		}
		t.offers(&b, s.Name, describe)
	}
	t.term.Print(terminal.Clean(strings.TrimSuffix(b.String(), "\n")))
	return nil
}

// offers writes what the server called name offers, if it is up.
func (t *Chat) offers(b *strings.Builder, name string, describe bool) {
	for _, s := range t.runtime.MCPSessions() {
		if s.Name() != name {
			continue
		}
		for _, tool := range s.Tools() {
			fmt.Fprintf(b, "  tool      %s\n", tool.Spec().Name)
			if describe && tool.Spec().Description != "" {
				fmt.Fprintf(b, "            %s\n", strings.ReplaceAll(tool.Spec().Description, "\n", "\n            "))
			}
		}
		for _, p := range t.prompts {
			if p.Server == name {
				fmt.Fprintf(b, "  prompt    /%s %s\n", p.Command, p.Usage())
			}
		}
		for _, uri := range s.Resources() {
			fmt.Fprintf(b, "  resource  @%s:%s\n", name, uri)
		}
	}
}

func (t *Chat) mcpReload(context.Context, string) error {
	if err := t.reload(); err != nil {
		return err
	}
	t.runtime.StartMCP()
	t.awaitMCP()
	return t.listMCP(false)
}

func (t *Chat) mcpRestart(context.Context, string) error {
	t.runtime.StartMCP()
	t.awaitMCP()
	return t.listMCP(false)
}

func (t *Chat) mcpLog(_ context.Context, name string) error {
	for _, s := range listing.ListedMCPServers(t.runtime.Config, t.runtime.MCPStatuses()) {
		if s.Name == name {
			t.term.Print(
				terminal.Clean(
					fmt.Sprintf("%s is %s: %s\n%s", s.Name, s.Status, s.Target, cmp.Or(s.Why, "It has reported no error."))))
			return nil
		}
	}
	return t.noServer(name)
}

func (t *Chat) noServer(name string) error {
	return exit.Errorf(exit.Input, "%s", text.None("MCP server", name, t.mcpNames(), "; /mcp lists them"))
}

func (t *Chat) mcpAuth(_ context.Context, name string) error {
	var err error
	t.work("waiting until you have signed in", func(ctx context.Context) {
		err = t.runtime.Config.SignInMCP(ctx, t.Sys, name, t.term.Print)
	})
	if err != nil {
		return err
	}
	t.runtime.StartMCP()
	t.awaitMCP()
	return nil
}

func (t *Chat) mcpSwitch(on bool) func(context.Context, string) error {
	return func(_ context.Context, name string) error {
		if !slices.Contains(t.mcpNames(), name) {
			return t.noServer(name)
		}
		done, err := t.runtime.Config.SwitchMCP(name, on)
		if err != nil {
			return err
		}
		t.term.Print(terminal.Clean(done))
		t.runtime.StartMCP()
		t.awaitMCP()
		return nil
	}
}
