package chat

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/listing"
	"minigem/internal/slash"
	"minigem/internal/terminal"
	"minigem/internal/text"
)

// agentsCommands are /agents and what follows it (cli/ui/commands/agentsCommand.ts).
func (t *Chat) agentsCommands() slash.Command {
	return slash.Command{Name: "agents", Help: "the agents that the model may call", Run: t.agentsList,
		Sub: []slash.Command{
			{Name: "list", Help: "list them", Run: t.agentsList},
			{Name: "enable", Args: "NAME", Help: "offer one again", Run: t.agentsSwitch(true), Values: t.agentNames},
			{Name: "disable", Args: "NAME", Help: "offer one no more, in this project", Run: t.agentsSwitch(false),
				Values: t.agentNames},
			{Name: "config", Args: "NAME [KEY VALUE]", Help: "what one works with: model, turns, minutes", Run: t.agentsConfig,
				Values: t.agentNames},
			{Name: "reload", Aliases: []string{"refresh"}, Help: "read the folders of agents again", Run: t.agentsReload},
		}}
}

func (t *Chat) agentNames() []string {
	all, _ := t.runtime.Config.AllAgents()
	var names []string
	for _, a := range all {
		names = append(names, a.Name)
	}
	return names
}

func (t *Chat) agentsList(context.Context, string) error {
	return t.captured(func(sys *app.System) error { return listing.WriteAgents(t.runtime.Config, sys) })
}

func (t *Chat) agentsSwitch(on bool) func(context.Context, string) error {
	return t.switching(func(name string) (string, error) { return t.runtime.Config.SwitchAgent(name, on) })
}

func (t *Chat) agentsConfig(_ context.Context, args string) error {
	words := strings.Fields(args)
	switch len(words) {
	case 1:
	case 3:
		if err := t.runtime.Config.ConfigureAgent(words[0], words[1], words[2]); err != nil {
			return err
		}
		if err := t.reload(); err != nil {
			return err
		}
	default:
		return exit.Errorf(exit.Input, "which agent, and what of it? /agents config NAME [model|turns|minutes VALUE]")
	}
	what, err := t.runtime.Config.DescribeAgent(words[0])
	if err == nil {
		t.term.Print(terminal.Clean(what))
	}
	return err
}

// agentsReload reads definitions again, and says what is another one now.
func (t *Chat) agentsReload(context.Context, string) error {
	before := t.agentsNow()
	if err := t.reload(); err != nil {
		return err
	}
	now := t.agentsNow()
	t.term.Print("Read again: " + text.Plural(len(t.runtime.Agents()), "agent") + " may be called.")
	both := maps.Clone(before)
	maps.Copy(both, now)
	for _, name := range slices.Sorted(maps.Keys(both)) {
		was, is := before[name], now[name]
		switch {
		case was == is:
		case was == "":
			t.term.Print(terminal.Clean("  + " + name))
		case is == "":
			t.term.Print(terminal.Clean("  - " + name))
		default:
			t.term.Print(terminal.Clean("  ~ " + name))
		}
	}
	return nil
}

// agentsNow are the agents that may be called, and what each one is.
func (t *Chat) agentsNow() map[string]string {
	now := map[string]string{}
	for _, d := range t.runtime.Agents() {
		b, err := json.Marshal(d)
		if err != nil {
			b = []byte(err.Error())
		}
		now[d.Name] = string(b)
	}
	return now
}
