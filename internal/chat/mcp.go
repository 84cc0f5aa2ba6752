package chat

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"minigem/internal/exit"
	"minigem/internal/listing"
	"minigem/internal/terminal"
	"minigem/internal/text"
)

func mcpCommands() row {
	return row{Name: "mcp", Help: "the MCP servers, and what they offer", Run: listMCP(false),
		Sub: []row{
			{Name: "list", Aliases: []string{"ls", "nodesc"}, Help: "list them", Run: listMCP(false)},
			{Name: "desc", Aliases: []string{"description"}, Help: "with the descriptions that the model reads",
				Run: listMCP(true)},
			{Name: "reload", Aliases: []string{"refresh"}, Help: "read the settings again and restart all of them",
				Run: mcpReload},
			{Name: "restart", Help: "restart all of them", Run: mcpRestart},
			{Name: "log", Args: "NAME", Help: "the full error of one that does not answer", Run: mcpLog, Values: mcpNames},
			{Name: "auth", Args: "NAME", Help: "sign in at one that asks for it", Run: mcpAuth, Values: mcpNames},
			{Name: "enable", Args: "NAME", Help: "start one again that was disabled", Run: mcpSwitch(true),
				Values: mcpNames},
			{Name: "disable", Args: "NAME", Help: "stop starting one, in any folder", Run: mcpSwitch(false),
				Values: mcpNames},
		}}
}

func mcpNames(t *call) []string {
	var names []string
	for _, s := range t.runtime.MCP.Statuses() {
		names = append(names, s.Name)
	}
	return names
}

// listMCP lists the servers without waiting for any, because the user may be looking
// for one that hangs.
func listMCP(describe bool) func(*call) error {
	return func(t *call) error {
		statuses := t.runtime.MCP.Statuses()
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
			offers(t, &b, s.Name, describe)
		}
		t.term.Print(terminal.Clean(strings.TrimSuffix(b.String(), "\n")))
		return nil
	}
}

// offers writes what the server called name offers, if it is running.
func offers(t *call, b *strings.Builder, name string, describe bool) {
	for _, s := range t.runtime.MCP.Sessions() {
		if s.Name() != name {
			continue
		}
		for _, tool := range s.Tools() {
			fmt.Fprintf(b, "  tool      %s\n", tool.Spec().Name)
			if describe && tool.Spec().Description != "" {
				fmt.Fprintf(b, "            %s\n", strings.ReplaceAll(tool.Spec().Description, "\n", "\n            "))
			}
		}
		for _, p := range t.table.prompts {
			if p.Server == name {
				fmt.Fprintf(b, "  prompt    /%s %s\n", p.Name, p.Args)
			}
		}
		for _, uri := range s.Resources() {
			fmt.Fprintf(b, "  resource  @%s:%s\n", name, uri)
		}
	}
}

func mcpReload(t *call) error {
	if err := t.reload(); err != nil {
		return err
	}
	return mcpRestart(t)
}

func mcpRestart(t *call) error {
	t.restartServers()
	return listMCP(false)(t)
}

// restartServers restarts the MCP servers and waits for them.
func (t *call) restartServers() {
	t.runtime.MCP.Restart()
	t.table.awaitMCP()
}

func mcpLog(t *call) error {
	for _, s := range listing.ListedMCPServers(t.runtime.Config, t.runtime.MCP.Statuses()) {
		if s.Name == t.args {
			t.term.Print(
				terminal.Clean(
					fmt.Sprintf("%s is %s: %s\n%s", s.Name, s.Status, s.Target, cmp.Or(s.Why, "It has reported no error."))))
			return nil
		}
	}
	return noServer(t)
}

func noServer(t *call) error {
	return exit.Errorf(exit.Input, "%s", text.None("MCP server", t.args, mcpNames(t), "; /mcp lists them"))
}

func mcpAuth(t *call) error {
	var err error
	t.work("waiting until you have signed in", func(ctx context.Context) {
		err = t.runtime.Config.MCP(nil).SignIn(ctx, t.args, t.sys.OpenBrowser, t.term.Print)
	})
	if err != nil {
		return err
	}
	t.restartServers()
	return nil
}

func mcpSwitch(on bool) func(*call) error {
	return func(t *call) error {
		if !slices.Contains(mcpNames(t), t.args) {
			return noServer(t)
		}
		done, err := t.runtime.Config.MCP(nil).Switch(t.args, on)
		if err != nil {
			return err
		}
		t.term.Print(terminal.Clean(done))
		t.restartServers()
		return nil
	}
}
