package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"minigem/internal/terminal"
)

const rewindUsage = "/rewind [NUMBER [files|conversation|both]]: 1 is your last prompt, /rewind alone lists them"

// rewind goes back to before a prompt of the user's: with the conversation, with
// the files, or with both. What is there now is kept, and can be restored.
func (t *chat) rewind(_ context.Context, args string) error {
	f, err := t.session.Transcript()
	if err != nil {
		return err
	}
	r := newRewinder(t.configuration, t.project, t.workspace, t.session.ID(), f, t.sys.Now())
	n, what, err := parseRewind(args)
	if err != nil {
		return err
	}
	if n == 0 {
		if n = t.choosePrompt(r); n == 0 {
			return nil
		}
	}
	var back retreat
	t.work("looking at what changed", func(ctx context.Context) { back, err = r.plan(ctx, n) })
	if err != nil {
		return err
	}
	text, _ := r.summary(back.prompt)
	t.term.Print("Before > " + text)
	if len(back.shown) > 0 {
		t.term.Print("Files that changed since:\n" + back.describe(t.configuration))
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
		if what = words[1]; !slices.Contains([]string{backBoth, backFiles, backConversation}, what) {
			return 0, "", errors.New(rewindUsage)
		}
	}
	return n, what, nil
}

// choosePrompt lets the user choose one of the newest; 0: none.
func (t *chat) choosePrompt(r *rewinder) int {
	if len(r.prompts) == 0 {
		t.term.Print("Nothing has been said yet that could be gone back to.")
		return 0
	}
	const most = 9
	var choices []terminal.Choice
	for i, p := range slices.Backward(r.prompts) {
		if len(choices) == most {
			t.term.Print(t.term.Dim(fmt.Sprintf("%d older ones are not listed; /rewind NUMBER goes back to one of them.", i+1)))
			break
		}
		text, more := r.summary(p)
		choices = append(choices, terminal.Choice{Label: text + "  " + t.term.Dim(more)})
	}
	i, _, ok := t.term.Choose(t.ctx, "Go back to before which prompt? (Esc: none)", choices)
	if !ok {
		return 0
	}
	return i + 1
}

// chooseBack asks what goes back; empty: nothing.
func (t *chat) chooseBack(b retreat) string {
	kinds := []string{backBoth, backConversation, backFiles, ""}
	choices := []terminal.Choice{
		{Label: "Files and conversation", Keys: []string{"b", "both"}},
		{Label: "Conversation only", Keys: []string{"c", "conversation"}},
		{Label: "Files only", Keys: []string{"f", "files"}},
		{Label: "Nothing", Keys: []string{"n", "no"}},
	}
	if !b.movable() {
		kinds, choices = []string{backConversation, ""}, []terminal.Choice{choices[1], choices[3]}
	}
	i, _, ok := t.term.Choose(t.ctx, "What goes back?", choices)
	if !ok {
		return ""
	}
	return kinds[i]
}

// confirmBack asks before a change that somebody else made is taken back too.
func (t *chat) confirmBack(b retreat, what string) bool {
	n := b.conflicts()
	if n == 0 || what == backConversation {
		return true
	}
	t.warn(fmt.Sprintf("%s changed in other ways too, and those changes would go as well (see above)", count(n, "file")))
	i, _, ok := t.term.Choose(t.ctx, "Go back all the same? What is there now is kept as a checkpoint.", []terminal.Choice{
		{Label: "No", Keys: []string{"n", "no"}}, {Label: "Yes", Keys: []string{"y", "yes"}},
	})
	return ok && i == 1
}

func (t *chat) goBack(r *rewinder, b retreat, what string) error {
	var undo string
	var err error
	t.work("going back", func(ctx context.Context) {
		undo, err = r.apply(ctx, b, what != backConversation, t.session.Messages())
	})
	if err != nil {
		return err
	}
	text, _ := r.summary(b.prompt)
	if what != backConversation {
		t.term.Print("The files are as they were before it.")
	}
	if what != backFiles {
		if !t.session.RollbackTo(b.prompt.ID) {
			return errors.New("the conversation does not have this prompt any more: it was compressed or replaced")
		}
		t.term.Print("Forgotten, from here on: > " + text)
	}
	t.term.Print(t.term.Dim("To undo this: /restore " + undo))
	return nil
}
