package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"minigem/internal/listing"
	"minigem/internal/terminal"
	"minigem/internal/text"
	"minigem/internal/undo"
)

const (
	rewindUsage  = "/rewind [NUMBER [files|conversation|both]]: 1 is your last prompt, /rewind alone lists them"
	restoreUsage = "/restore [CHECKPOINT [files|conversation|both]]: /restore alone lists them"
)

func (t *Chat) undoStore() undo.Store {
	return t.runtime.Config.UndoStore(t.runtime.Project, t.runtime.Workspace, t.Sys.Now)
}

func (t *Chat) checkpointNames() []string { return names(t.undoStore().Checkpoints()) }

func names(all []undo.Checkpoint) []string {
	var out []string
	for _, c := range all {
		out = append(out, c.Name)
	}
	return out
}

// parseUndo reads where to go back to, and what goes back; both may be left
// out.
func parseUndo(args, usage string) (where string, what undo.What, err error) {
	words := strings.Fields(args)
	ok := len(words) < 2
	if len(words) == 2 {
		what, ok = undo.ParseWhat(words[1])
	}
	if !ok {
		return "", "", errors.New(usage)
	}
	return strings.Join(words[:min(1, len(words))], ""), what, nil
}

// rewind goes back to before one of the user's prompts: with the conversation,
// with the files, or with both. The current state is saved first, and can be
// restored.
func (t *Chat) rewind(_ context.Context, args string) error {
	where, what, err := parseUndo(args, rewindUsage)
	if err != nil {
		return err
	}
	f, err := t.runtime.Session.Transcript()
	if err != nil {
		return err
	}
	d := t.term.Dialogue()
	defer d.End()
	prompts := undo.Prompts(f)
	number := 0
	if where == "" {
		number = t.choosePrompt(d, prompts)
	} else if number, err = strconv.Atoi(where); err != nil || number < 1 {
		return errors.New(rewindUsage)
	}
	if number == 0 {
		return nil
	}
	var plan undo.Plan
	t.work("looking at what changed", func(ctx context.Context) {
		plan, err = t.undoStore().Before(ctx, t.runtime.Session.ID(), prompts, number)
	})
	if err != nil {
		return err
	}
	text, _ := listing.Prompt(plan.Prompt, t.Sys.Now())
	lines := "Before > " + text + "\n"
	if len(plan.Changes) > 0 {
		lines += "Files that changed since:\n" + listing.Changes(t.runtime.Config, plan.Changes)
	}
	return t.goBack(d, lines, plan, what, "What goes back?")
}

// restoreCheckpoint restores the files of a checkpoint, the conversation before
// its edit, or both.
func (t *Chat) restoreCheckpoint(_ context.Context, args string) error {
	where, what, err := parseUndo(args, restoreUsage)
	if err != nil {
		return err
	}
	d := t.term.Dialogue()
	defer d.End()
	switch {
	case where == "":
		if where = t.chooseCheckpoint(d); where == "" {
			return nil
		}
	case what == "":
		what = undo.Both
	}
	c, err := t.undoStore().Checkpoint(where)
	if err != nil {
		return fmt.Errorf("%w; /restore lists them", err)
	}
	if what == undo.Files && !c.HasFiles() {
		return fmt.Errorf("checkpoint %s has no files, only a conversation", c.Name)
	}
	plan, err := t.undoStore().To(c)
	if err != nil {
		return err
	}
	return t.goBack(d, "", plan, what, "What should be restored? The current state is saved first.")
}

// goBack executes plan, after asking what is still open. lines describe the plan.
func (t *Chat) goBack(d *terminal.Dialogue, lines string, plan undo.Plan, what undo.What, question string) error {
	if what == "" {
		what, lines = t.chooseWhat(d, lines, plan, question), ""
	}
	if what == "" || !t.confirmConflicts(d, lines, plan, what) {
		t.term.Print(t.term.Dim("Everything stays as it is."))
		return nil
	}
	var kept string
	var err error
	t.work("going back", func(ctx context.Context) {
		kept, err = t.undoStore().Apply(ctx, plan, what, t.runtime.Session.Messages())
	})
	if err != nil {
		return err
	}
	if what != undo.Conversation {
		t.term.Print("The files are as they were " + text.VisibleLine(plan.When) + ".")
	}
	if what != undo.Files {
		if err := t.goBackInConversation(plan); err != nil {
			return err
		}
	}
	t.term.Print(t.term.Dim("To undo this: /restore " + kept))
	return nil
}

func (t *Chat) goBackInConversation(plan undo.Plan) error {
	switch {
	case plan.Prompt.ID == "" && len(plan.Conversation) > 0:
		t.goOnWith(plan.Conversation)
	case plan.Prompt.ID == "":
	case !t.runtime.Session.RollbackTo(plan.Prompt.ID):
		return errors.New("the conversation does not have this prompt any more: it was compressed or replaced")
	default:
		text, _ := listing.Prompt(plan.Prompt, t.Sys.Now())
		t.term.Print("Forgotten, from here on: > " + text)
	}
	return nil
}

// choosePrompt lets the user choose a prompt by its number; 0: none.
func (t *Chat) choosePrompt(d *terminal.Dialogue, prompts []undo.Prompt) int {
	if len(prompts) == 0 {
		t.term.Print("There is no prompt yet to go back to.")
		return 0
	}
	return 1 + t.chooseNewest(d, "Go back to before which prompt? (Esc: none)", "/rewind NUMBER goes back to one of them.",
		len(prompts), func(i int) string {
			text, more := listing.Prompt(prompts[i], t.Sys.Now())
			return text + "  " + t.term.Dim(more)
		})
}

// chooseCheckpoint lets the user choose a checkpoint by its name; empty: none.
func (t *Chat) chooseCheckpoint(d *terminal.Dialogue) string {
	all := t.undoStore().Checkpoints()
	if len(all) == 0 {
		t.term.Print("No checkpoint was taken; general.checkpointing.enabled in the settings turns them on.")
		return ""
	}
	i := t.chooseNewest(d, "Go back to before which edit? (Esc: none)", "minigem sessions restore lists all.", len(all),
		func(i int) string {
			return t.describeCheckpoint(all[i].Name)
		})
	if i < 0 {
		return ""
	}
	return all[len(all)-1-i].Name
}

// chooseNewest lets the user choose among the newest of n items, the last of
// them first. It returns how many are newer than the chosen one; -1: none was
// chosen.
func (t *Chat) chooseNewest(d *terminal.Dialogue, question, others string, n int, label func(int) string) int {
	const most = 9
	lines := ""
	if n > most {
		lines = t.term.Dim(fmt.Sprintf("%d older ones are not listed; %s", n-most, others))
	}
	var choices []terminal.Choice
	for i := n - 1; i >= max(0, n-most); i-- {
		choices = append(choices, terminal.Choice{Label: label(i)})
	}
	i, _, ok := d.Choose(t.Ctx, lines, question, choices)
	if !ok {
		return -1
	}
	return i
}

// describeCheckpoint shows the tool, the file and the age.
func (t *Chat) describeCheckpoint(name string) string {
	c, err := t.undoStore().Checkpoint(name)
	if err != nil {
		return text.VisibleLine(name + "  (cannot be read)")
	}
	what := "as it was " + strings.ReplaceAll(c.Purpose(), "-", " ")
	if c.Tool != "" {
		path, _ := c.Args["file_path"].(string)
		what = c.Tool + " " + t.runtime.Config.Relative(path)
	}
	return fmt.Sprintf("%s  %s", text.VisibleLine(what), t.term.Dim(listing.Age(c, t.Sys.Now())))
}

// chooseWhat asks what goes back; empty: nothing.
func (t *Chat) chooseWhat(d *terminal.Dialogue, lines string, plan undo.Plan, question string) undo.What {
	kinds := []undo.What{undo.Both, undo.Conversation, undo.Files, ""}
	choices := []terminal.Choice{
		{Label: "Files and conversation", Keys: []string{"b", "both"}},
		{Label: "Conversation only", Keys: []string{"c", "conversation"}},
		{Label: "Files only", Keys: []string{"f", "files"}},
		{Label: "Nothing", Keys: []string{"n", "no"}},
	}
	for i := len(kinds) - 2; i >= 0; i-- {
		if kinds[i] != undo.Conversation && !plan.HasFiles() || kinds[i] != undo.Files && !plan.HasConversation() {
			kinds, choices = slices.Delete(kinds, i, i+1), slices.Delete(choices, i, i+1)
		}
	}
	i, _, ok := d.Choose(t.Ctx, lines, question, choices)
	if !ok {
		return ""
	}
	return kinds[i]
}

// confirmConflicts shows lines and asks before a change by somebody else is undone
// too.
func (t *Chat) confirmConflicts(d *terminal.Dialogue, lines string, plan undo.Plan, what undo.What) bool {
	n := plan.Conflicts()
	if n == 0 || what == undo.Conversation {
		t.term.Print(lines)
		return true
	}
	warning := warning(t, fmt.Sprintf("%s changed in other ways too, and those changes would be undone as well (see "+
		"above)", text.Plural(n, "file")))
	i, _, ok := d.Confirm(t.Ctx, lines+warning, "Go back all the same? The current state is saved as a checkpoint.",
		[]terminal.Choice{
			{Label: "No", Keys: []string{"n", "no"}}, {Label: "Yes", Keys: []string{"y", "yes"}},
		})
	return ok && i == 1
}
