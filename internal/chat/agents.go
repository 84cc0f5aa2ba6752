package chat

import (
	"strings"

	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/listing"
	"minigem/internal/terminal"
	"minigem/internal/text"
)

// agentsCommands returns /agents and its subcommands
// (cli/ui/commands/agentsCommand.ts).
func agentsCommands() row {
	return row{Name: "agents", Help: "the agents that the model may call", Run: agentsList,
		Sub: []row{
			{Name: "list", Help: "list them", Run: agentsList},
			{Name: "enable", Args: "NAME", Help: "offer one again", Run: agentsSwitch(true), Values: agentNames},
			{Name: "disable", Args: "NAME", Help: "stop offering one, in this project", Run: agentsSwitch(false),
				Values: agentNames},
			{Name: "config", Args: "NAME [KEY VALUE]", Help: "the settings of one: model, turns, minutes",
				Run: agentsConfig, Values: agentNames},
			{Name: "reload", Aliases: []string{"refresh"}, Help: "read the folders of agents again", Run: agentsReload},
		}}
}

func agentNames(t *call) []string {
	all, _ := t.runtime.Config.Agents().All()
	var names []string
	for _, a := range all {
		names = append(names, a.Name)
	}
	return names
}

func agentsList(t *call) error {
	return t.captured(func(sys *app.System) error { return listing.WriteAgents(t.runtime.Config, sys) })
}

func agentsSwitch(on bool) func(*call) error {
	return switching(func(t *call) (string, error) { return t.runtime.Config.Agents().Switch(t.args, on) })
}

func agentsConfig(t *call) error {
	words := strings.Fields(t.args)
	switch len(words) {
	case 1:
	case 3:
		if err := t.runtime.Config.Agents().Configure(words[0], words[1], words[2]); err != nil {
			return err
		}
		if err := t.reload(); err != nil {
			return err
		}
	default:
		return exit.Errorf(exit.Input, "which agent, and which setting? /agents config NAME [model|turns|minutes VALUE]")
	}
	what, err := t.runtime.Config.Agents().Describe(words[0])
	if err == nil {
		t.term.Print(terminal.Clean(what))
	}
	return err
}

// agentsReload reads the definitions again and prints what changed.
func agentsReload(t *call) error {
	before := t.inForce()
	if err := t.reload(); err != nil {
		return err
	}
	t.term.Print("Read again: " + text.Plural(len(t.runtime.Agents.List()), "agent") + " may be called.")
	t.printChanges(before, false)
	return nil
}
