package manage

import (
	"cmp"
	"fmt"
	"path/filepath"

	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/listing"
	"minigem/internal/skills"
)

// Skills implements minigem skills, in the folder of the user's skills or of the
// project's.
type Skills struct {
	Config    *app.Configuration
	Sys       *app.System
	Workspace bool
}

// Install installs or links the skills in source, below the folder path in it.
func (s Skills) Install(source, path string, link, agreed bool) error {
	from := source
	if !link && skills.IsRepository(from) {
		ctx, stop := exit.Context()
		defer stop()
		dir, remove, err := skills.Clone(ctx, from, waitOn(s.Sys))
		if err != nil {
			return cmp.Or(exit.Ended(ctx), exit.With(exit.Input, err))
		}
		defer remove()
		from = dir
	} else if !filepath.IsAbs(from) {
		from = filepath.Join(s.Sys.Dir, from)
	}
	plan, err := skills.Plan(filepath.Join(from, path), s.Config.Skills().Dir(s.Workspace), link)
	if err != nil {
		return exit.With(exit.Input, err)
	}
	listing.WriteSkillPlan(s.Config, s.Sys, source, plan)
	if !agreed && !Confirmed(s.Sys, "Install this? [y/N] ") {
		return exit.Errorf(exit.Failed, "nothing was installed, because nobody agreed; --consent says yes beforehand")
	}
	for _, p := range plan {
		if err := p.Do(); err != nil {
			return err
		}
		fmt.Fprintf(s.Sys.Stdout, "Skill %q installed in %s.\n", p.Skill.Name, s.Config.Shorten(p.To))
	}
	return nil
}

// Uninstall removes a skill, or the link to it.
func (s Skills) Uninstall(name string) error {
	dir := s.Config.Skills().Dir(s.Workspace)
	found, err := skills.Uninstall(dir, name)
	switch {
	case err != nil:
		return err
	case !found:
		return exit.Errorf(exit.Input, "there is no skill %q in %s; minigem skills list shows where skills are", name,
			s.Config.Shorten(dir))
	}
	_, err = fmt.Fprintf(s.Sys.Stdout, "Skill %q removed from %s.\n", name, s.Config.Shorten(dir))
	return err
}
