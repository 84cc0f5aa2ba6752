package terminal

import (
	"context"
	"fmt"
	"strings"

	"minigem/tools/builtin"
)

// Questioner asks the user the model's questions. It is a builtin.Asker.
type Questioner struct{ View *View }

// AskQuestions implements builtin.Asker. Esc dismisses them all.
func (a *Questioner) AskQuestions(ctx context.Context, qs []builtin.Question) (map[int]string, bool, error) {
	v := a.View
	v.endAnswer()
	v.spin.hide(true)
	defer v.spin.hide(false)
	answers := map[int]string{}
	for i, q := range qs {
		v.note("\n" + v.style.bold("? "+cleanLine(q.Header)) + "\n  " + Clean(q.Question))
		answer, ok := a.ask(ctx, q)
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

func (a *Questioner) ask(ctx context.Context, q builtin.Question) (string, bool) {
	v := a.View
	switch q.Type {
	case "yesno":
		i, _, ok := v.Choose(ctx, "Your answer", []Choice{{"Yes", []string{"y", "yes"}, false}, {"No", []string{"n", "no"}, false}})
		return []string{"Yes", "No"}[i], ok
	case "choice":
		if q.MultiSelect {
			return a.several(ctx, q.Options)
		}
		choices := make([]Choice, len(q.Options))
		for i, o := range q.Options {
			choices[i] = Choice{Label: cleanLine(o.Label) + v.style.dim("  "+cleanLine(o.Description))}
		}
		choices = append(choices, Choice{"Something else" + v.style.dim("  (o and your words)"), []string{"o", "other"}, true})
		i, words, ok := v.Choose(ctx, "Your answer", choices)
		if ok && i < len(q.Options) {
			words = q.Options[i].Label
		}
		return words, ok
	}
	hint := ""
	if q.Placeholder != "" {
		hint = v.style.dim(" (" + cleanLine(q.Placeholder) + ")")
	}
	return v.Ask(ctx, "Your answer"+hint+": ")
}

// several reads numbers with blanks or commas between them.
func (a *Questioner) several(ctx context.Context, options []builtin.Option) (string, bool) {
	v := a.View
	choices := make([]Choice, len(options))
	for i, o := range options {
		choices[i] = Choice{Label: o.Label}
		v.note(fmt.Sprintf("  %d. %s  %s", i+1, cleanLine(o.Label), v.style.dim(cleanLine(o.Description))))
	}
	for {
		line, ok := v.Ask(ctx, "Your answers, as numbers (Enter: none): ")
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
	}
}
