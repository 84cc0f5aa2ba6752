package chat

import (
	"minigem/internal/app"
	"minigem/internal/listing"
	"minigem/internal/terminal"
	"minigem/internal/text"
)

func skillsCommands() row {
	return row{Name: "skills", Help: "the skills that the model may activate", Run: skillsList,
		Sub: []row{
			{Name: "list", Help: "list them", Run: skillsList},
			{Name: "enable", Args: "NAME", Help: "offer one again", Run: skillsSwitch(true), Values: skillNames},
			{Name: "disable", Args: "NAME", Help: "stop offering one, in this project", Run: skillsSwitch(false),
				Values: skillNames},
			{Name: "reload", Aliases: []string{"refresh"}, Help: "read the folders of skills again", Run: skillsReload},
		}}
}

func skillNames(t *call) []string {
	all, _ := t.runtime.Config.Skills().All()
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
	}
	return names
}

func skillsList(t *call) error {
	return t.captured(func(sys *app.System) error {
		return listing.WriteSkills(t.runtime.Config, sys, listing.ListedSkills(t.runtime.Config, sys))
	})
}

func skillsSwitch(on bool) func(*call) error {
	return switching(func(t *call) (string, error) { return t.runtime.Config.Skills().Switch(t.args, on, false) })
}

// switching returns a command that changes the settings for a named item and reloads
// them. do returns what it did.
func switching(do func(*call) (done string, err error)) func(*call) error {
	return func(t *call) error {
		done, err := do(t)
		if err != nil {
			return err
		}
		t.term.Print(terminal.Clean(done))
		return t.reload()
	}
}

func skillsReload(t *call) error {
	if err := t.reload(); err != nil {
		return err
	}
	t.term.Print("Read again: " + text.Plural(len(t.runtime.Skills.List()), "skill") + " may be activated.")
	return nil
}
