package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"minigem/internal/app"
	"minigem/internal/output"
	"minigem/internal/terminal"
)

const rewindUsage = "/rewind [NUMBER [files|conversation|both]]: 1 is your last prompt, /rewind alone lists them"

// rewind goes back to before a prompt of the user's: with the conversation, with
// the files, or with both. What is there now is kept, and can be restored.
func (t *Chat) rewind(_ context.Context, args string) error {
	f, err := t.runtime.Session.Transcript()
	if err != nil {
		return err
	}
	r := app.NewRewinder(t.runtime.Config, t.runtime.Project, t.runtime.Workspace, t.runtime.Session.ID(), f, t.Sys.Now())
	n, what, err := parseRewind(args)
	if err != nil {
		return err
	}
	if n == 0 {
		if n = t.choosePrompt(r); n == 0 {
			return nil
		}
	}
	var back app.Retreat
	t.work("looking at what changed", func(ctx context.Context) { back, err = r.Plan(ctx, n) })
	if err != nil {
		return err
	}
	text, _ := r.Summary(back.Prompt)
	t.term.Print("Before > " + text)
	if len(back.Shown) > 0 {
		t.term.Print("Files that changed since:\n" + back.Describe(t.runtime.Config))
	}
	if what == "" {
		what = t.chooseBack(back)
	}
	if what == "" || !t.confirmBack(back, what) {
		t.term.Print(t.term.Dim("Everything stays as it is."))
		return nil
	}
	return t.goBack(r, back, what)
}

func parseRewind(args string) (n int, what string, err error) {
	words := strings.Fields(args)
	if len(words) == 0 {
		return 0, "", nil
	}
	if n, err = strconv.Atoi(words[0]); err != nil || n < 1 || len(words) > 2 {
		return 0, "", errors.New(rewindUsage)
	}
	if len(words) == 2 {
		if what = words[1]; !slices.Contains([]string{app.BackBoth, app.BackFiles, app.BackConversation}, what) {
			return 0, "", errors.New(rewindUsage)
		}
	}
	return n, what, nil
}

// choosePrompt lets the user choose one of the newest; 0: none.
func (t *Chat) choosePrompt(r *app.Rewinder) int {
	if len(r.Prompts) == 0 {
		t.term.Print("Nothing has been said yet that could be gone back to.")
		return 0
	}
	const most = 9
	var choices []terminal.Choice
	for i, p := range slices.Backward(r.Prompts) {
		if len(choices) == most {
			t.term.Print(t.term.Dim(fmt.Sprintf("%d older ones are not listed; /rewind NUMBER goes back to one of them.", i+1)))
			break
		}
		text, more := r.Summary(p)
		choices = append(choices, terminal.Choice{Label: text + "  " + t.term.Dim(more)})
	}
	i, _, ok := t.term.Choose(t.Ctx, "Go back to before which prompt? (Esc: none)", choices)
	if !ok {
		return 0
	}
	return i + 1
}

// chooseBack asks what goes back; empty: nothing.
func (t *Chat) chooseBack(b app.Retreat) string {
	kinds := []string{app.BackBoth, app.BackConversation, app.BackFiles, ""}
	choices := []terminal.Choice{
		{Label: "Files and conversation", Keys: []string{"b", "both"}},
		{Label: "Conversation only", Keys: []string{"c", "conversation"}},
		{Label: "Files only", Keys: []string{"f", "files"}},
		{Label: "Nothing", Keys: []string{"n", "no"}},
	}
	if !b.Movable() {
		kinds, choices = []string{app.BackConversation, ""}, []terminal.Choice{choices[1], choices[3]}
	}
	i, _, ok := t.term.Choose(t.Ctx, "What goes back?", choices)
	if !ok {
		return ""
	}
	return kinds[i]
}

// confirmBack asks before a change that somebody else made is taken back too.
func (t *Chat) confirmBack(b app.Retreat, what string) bool {
	n := b.Conflicts()
	if n == 0 || what == app.BackConversation {
		return true
	}
	t.warn(fmt.Sprintf("%s changed in other ways too, and those changes would go as well (see above)", output.Count(n, "file")))
	i, _, ok := t.term.Choose(t.Ctx, "Go back all the same? What is there now is kept as a checkpoint.", []terminal.Choice{
		{Label: "No", Keys: []string{"n", "no"}}, {Label: "Yes", Keys: []string{"y", "yes"}},
	})
	return ok && i == 1
}

func (t *Chat) goBack(r *app.Rewinder, b app.Retreat, what string) error {
	var undo string
	var err error
	t.work("going back", func(ctx context.Context) {
		undo, err = r.Apply(ctx, b, what != app.BackConversation, t.runtime.Session.Messages())
	})
	if err != nil {
		return err
	}
	text, _ := r.Summary(b.Prompt)
	if what != app.BackConversation {
		t.term.Print("The files are as they were before it.")
	}
	if what != app.BackFiles {
		if !t.runtime.Session.RollbackTo(b.Prompt.ID) {
			return errors.New("the conversation does not have this prompt any more: it was compressed or replaced")
		}
		t.term.Print("Forgotten, from here on: > " + text)
	}
	t.term.Print(t.term.Dim("To undo this: /restore " + undo))
	return nil
}
