package listing

import (
	"fmt"
	"strings"

	"minigem/hooks"
	"minigem/hooks/config"
	"minigem/internal/app"
	"minigem/internal/skills"
	"minigem/internal/text"
)

// ListedSkill is a skill.
type ListedSkill struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Enabled     bool   `json:"enabled"`
	Source      string `json:"source"`
	Location    string `json:"location"`
}

// ListedSkills returns all skills. It reports problems found in others on standard
// error.
func ListedSkills(c *app.Configuration, sys *app.System) []ListedSkill {
	set := c.Skills()
	found, problems := set.All()
	for _, p := range problems {
		fmt.Fprintf(sys.Stderr, "[WARNING] %s\n", c.ShortenIn(text.VisibleLine(p)))
	}
	out := []ListedSkill{}
	for _, s := range found {
		out = append(out, ListedSkill{s.Name, s.Description, !set.Off(s.Name), s.Source, s.File})
	}
	return out
}

// WriteSkills lists skills for people, in Gemini CLI's format
// (cli/commands/skills/list.ts).
func WriteSkills(c *app.Configuration, sys *app.System, found []ListedSkill) error {
	if len(found) == 0 {
		_, err := fmt.Fprintln(sys.Stdout, "No skills discovered.")
		return err
	}
	var b strings.Builder
	b.WriteString("Discovered Agent Skills:\n\n")
	for _, s := range found {
		state := "Enabled"
		if !s.Enabled {
			state = "Disabled"
		}
		fmt.Fprintf(&b, "%s [%s]\n  Description: %s\n  Location:    %s\n\n", text.VisibleLine(s.Name), state,
			text.VisibleLine(s.Description), text.VisibleLine(c.Shorten(s.Location)))
	}
	_, err := fmt.Fprint(sys.Stdout, b.String())
	return err
}

// writeSkillHooks shows which hooks a skill runs while it is active.
func writeSkillHooks(sys *app.System, s skills.Skill) {
	if s.Hooks.Line == 0 {
		return
	}
	head := config.LoadHead(config.Head{Of: hooks.Part{Skill: s.Name}, Dir: s.Dir(),
		Hooks: s.Hooks.JSON, Fault: s.Hooks.Fault})
	for _, h := range head.Hooks {
		matcher := ""
		if h.Matcher != "" {
			matcher = " for " + text.VisibleLine(h.Matcher)
		}
		fmt.Fprintf(sys.Stderr, "    runs at %s%s, while it is active: %s\n", h.Event, matcher, text.VisibleLine(h.Target()))
	}
	for _, p := range head.Problems {
		fmt.Fprintf(sys.Stderr, "    %s\n", text.VisibleLine(p.Text))
	}
}

// WriteSkillPlan says what installing skills would do, before the user agrees.
func WriteSkillPlan(c *app.Configuration, sys *app.System, source string, plan []skills.Change) {
	fmt.Fprintf(sys.Stderr, "From %s:\n", text.VisibleLine(source))
	for _, p := range plan {
		verb := "copied"
		if p.Link {
			verb = "linked"
		}
		if p.Replaces {
			verb += ", replacing what is there"
		}
		fmt.Fprintf(sys.Stderr, "  * %s: %s\n    %s, %s to %s\n", text.VisibleLine(p.Skill.Name),
			text.VisibleLine(p.Skill.Description),
			text.Plural(p.Items, "file"), verb, c.Shorten(p.To))
		writeSkillHooks(sys, p.Skill)
	}
	fmt.Fprintln(sys.Stderr, "A skill tells models what to do, and may bring programs that they are told to run. Read "+
		"it before you agree.")
}
