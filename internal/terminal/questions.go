package terminal

import (
	"context"
	"fmt"
	"strings"

	"minigem/tools/builtin"
)

// Questioner asks the user the questions of the model and of MCP servers. It is a
// builtin.Dialogue.
type Questioner struct {
	View *View
	d    *Dialogue // nil: each call opens its own
}

// Together implements builtin.Dialogue.
func (a *Questioner) Together(ask func(builtin.Asker)) {
	d := a.View.term.Dialogue()
	defer d.End()
	ask(&Questioner{a.View, d})
}

// AskQuestions implements builtin.Asker. Esc dismisses them all.
func (a *Questioner) AskQuestions(ctx context.Context, qs []builtin.Question) (map[int]string, bool, error) {
	v, d := a.View, a.d
	v.endAnswer()
	v.spin.hide(true)
	defer v.spin.hide(false)
	if d == nil {
		d = v.term.Dialogue()
		defer d.End()
	}
	answers := map[int]string{}
	for i, q := range qs {
		answer, ok := v.ask(ctx, d, q)
		if !ok {
			v.note(v.style.yellow(Cancelled))
			return nil, false, nil
		}
		if answer != "" {
			answers[i] = answer
		}
	}
	return answers, true, nil
}

func (v *View) ask(ctx context.Context, d *Dialogue, q builtin.Question) (string, bool) {
	lines := "\n" + v.style.bold("? "+cleanLine(q.Header)) + "\n  " + Clean(q.Question)
	switch q.Type {
	case "yesno":
		i, _, ok := d.Choose(ctx, lines, "Your answer",
			[]Choice{{"Yes", []string{"y", "yes"}, false}, {"No", []string{"n", "no"}, false}})
		return []string{"Yes", "No"}[i], ok
	case "choice":
		if q.MultiSelect {
			return v.askSeveral(ctx, d, lines, q.Options)
		}
		choices := make([]Choice, len(q.Options))
		for i, o := range q.Options {
			choices[i] = Choice{Label: cleanLine(o.Label) + v.style.dim("  "+cleanLine(o.Description))}
		}
		choices = append(choices, Choice{"Something else" + v.style.dim("  (o and your words)"), []string{"o", "other"},
			true})
		i, words, ok := d.Choose(ctx, lines, "Your answer", choices)
		if ok && i < len(q.Options) {
			words = q.Options[i].Label
		}
		return words, ok
	}
	hint := ""
	if q.Placeholder != "" {
		hint = v.style.dim(" (" + cleanLine(q.Placeholder) + ")")
	}
	return d.Ask(ctx, lines, "Your answer"+hint+": ")
}

// askSeveral reads numbers separated by blanks or commas.
func (v *View) askSeveral(ctx context.Context, d *Dialogue, lines string, options []builtin.Option) (string, bool) {
	choices := make([]Choice, len(options))
	for i, o := range options {
		choices[i] = Choice{Label: o.Label}
		lines += fmt.Sprintf("\n  %d. %s  %s", i+1, cleanLine(o.Label), v.style.dim(cleanLine(o.Description)))
	}
	for {
		line, ok := d.Ask(ctx, lines, "Your answers, as numbers (Enter: none): ")
		if !ok {
			return "", false
		}
		var taken []string
		valid := true
		for _, word := range strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == ',' }) {
			i, _, found := pick(word, choices)
			valid = valid && found
			if found {
				taken = append(taken, options[i].Label)
			}
		}
		if valid {
			return strings.Join(taken, ", "), true
		}
		lines = ""
	}
}
