package chat

import (
	"context"

	"minigem/internal/app"
	"minigem/internal/listing"
	"minigem/internal/slash"
	"minigem/internal/terminal"
	"minigem/internal/text"
)

func (t *Chat) skillsCommands() slash.Command {
	return slash.Command{Name: "skills", Help: "the skills that the model may activate", Run: t.skillsList,
		Sub: []slash.Command{
			{Name: "list", Help: "list them", Run: t.skillsList},
			{Name: "enable", Args: "NAME", Help: "offer one again", Run: t.skillsSwitch(true), Values: t.skillNames},
			{Name: "disable", Args: "NAME", Help: "offer one no more, in this project", Run: t.skillsSwitch(false),
				Values: t.skillNames},
			{Name: "reload", Aliases: []string{"refresh"}, Help: "read the folders of skills again", Run: t.skillsReload},
		}}
}

func (t *Chat) skillNames() []string {
	all, _ := t.runtime.Config.AllSkills()
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
	}
	return names
}

func (t *Chat) skillsList(context.Context, string) error {
	return t.captured(func(sys *app.System) error {
		return listing.WriteSkills(t.runtime.Config, sys, listing.ListedSkills(t.runtime.Config, sys))
	})
}

func (t *Chat) skillsSwitch(on bool) func(context.Context, string) error {
	return t.switching(func(name string) (string, error) { return t.runtime.Config.SwitchSkill(name, on, false) })
}

// switching is a command that changes the settings for what is called so, and reads
// them again. do says what it did.
func (t *Chat) switching(do func(name string) (done string, err error)) func(context.Context, string) error {
	return func(_ context.Context, name string) error {
		done, err := do(name)
		if err != nil {
			return err
		}
		t.term.Print(terminal.Clean(done))
		return t.reload()
	}
}

func (t *Chat) skillsReload(context.Context, string) error {
	if err := t.reload(); err != nil {
		return err
	}
	t.term.Print("Read again: " + text.Plural(len(t.runtime.Skills()), "skill") + " may be activated.")
	return nil
}
