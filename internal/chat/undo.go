package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"minigem/internal/app"
	"minigem/internal/listing"
	"minigem/internal/terminal"
	"minigem/internal/text"
	"minigem/internal/undo"
)

const (
	rewindUsage  = "/rewind [NUMBER [files|conversation|both]]: 1 is your last prompt, /rewind alone lists them"
	restoreUsage = "/restore [CHECKPOINT [files|conversation|both]]: /restore alone lists them"
)

func undoStore(t *live) undo.Store {
	return app.UndoStore(t.runtime.Config, t.runtime.Project, t.runtime.Workspace, t.sys.Now)
}

func checkpointNames(t *call) []string { return names(undoStore(t.live).Checkpoints()) }

func names(all []undo.Checkpoint) []string {
	var out []string
	for _, c := range all {
		out = append(out, c.Name)
	}
	return out
}

// goingBack is a dialogue about going back to an earlier state.
type goingBack struct {
	*live
	d     *terminal.Dialogue
	store undo.Store
	what  undo.What // what goes back; if empty, the user is asked
}

// parseUndo parses where to go back to and what goes back. Both are optional.
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

// rewind goes back to before one of the user's prompts, restoring the conversation, the
// files or both. It saves the current state first, so that it can be restored.
func rewind(t *call) error {
	where, what, err := parseUndo(t.args, rewindUsage)
	if err != nil {
		return err
	}
	f, err := t.runtime.Session.Transcript()
	if err != nil {
		return err
	}
	b := goingBack{t.live, t.term.Dialogue(), undoStore(t.live), what}
	defer b.d.End()
	prompts := undo.Prompts(f)
	number := 0
	if where == "" {
		number = b.choosePrompt(prompts)
	} else if number, err = strconv.Atoi(where); err != nil || number < 1 {
		return errors.New(rewindUsage)
	}
	if number == 0 {
		return nil
	}
	var plan undo.Plan
	t.work("looking at what changed", func(ctx context.Context) {
		plan, err = b.store.Before(ctx, t.runtime.Session.ID(), prompts, number)
	})
	if err != nil {
		return err
	}
	text, _ := listing.Prompt(plan.Prompt, t.sys.Now())
	lines := "Before > " + text + "\n"
	if len(plan.Changes) > 0 {
		lines += "Files that changed since:\n" + listing.Changes(t.runtime.Config, plan.Changes)
	}
	return b.to(plan, lines, "What should be restored?")
}

// restoreCheckpoint restores the files of a checkpoint, the conversation before its
// edit, or both.
func restoreCheckpoint(t *call) error {
	where, what, err := parseUndo(t.args, restoreUsage)
	if err != nil {
		return err
	}
	b := goingBack{t.live, t.term.Dialogue(), undoStore(t.live), what}
	defer b.d.End()
	switch {
	case where == "":
		if where = b.chooseCheckpoint(); where == "" {
			return nil
		}
	case what == "":
		b.what = undo.Both
	}
	c, err := b.store.Checkpoint(where)
	if err != nil {
		return fmt.Errorf("%w; /restore lists them", err)
	}
	if b.what == undo.Files && !c.HasFiles() {
		return fmt.Errorf("checkpoint %s has no files, only a conversation", c.Name)
	}
	plan, err := b.store.To(c)
	if err != nil {
		return err
	}
	return b.to(plan, "", "What should be restored? The current state is saved first.")
}

// to carries out plan after asking what is still open. lines describes the plan.
func (t *goingBack) to(plan undo.Plan, lines, question string) error {
	if t.what == "" {
		t.what, lines = t.chooseWhat(lines, plan, question), ""
	}
	if t.what == "" || !t.confirmConflicts(lines, plan) {
		t.term.Print(t.term.Dim("Everything stays as it is."))
		return nil
	}
	var kept string
	var err error
	t.work("going back", func(ctx context.Context) {
		kept, err = t.store.Apply(ctx, plan, t.what, t.runtime.Session.Messages())
	})
	if err != nil {
		return err
	}
	if t.what != undo.Conversation {
		t.term.Print("The files are as they were " + text.VisibleLine(plan.When) + ".")
	}
	if t.what != undo.Files {
		if err := t.inConversation(plan); err != nil {
			return err
		}
	}
	t.term.Print(t.term.Dim("To undo this: /restore " + kept))
	return nil
}

func (t *goingBack) inConversation(plan undo.Plan) error {
	switch {
	case plan.Prompt.ID == "" && len(plan.Conversation) > 0:
		t.goOnWith(plan.Conversation)
	case plan.Prompt.ID == "":
	case !t.runtime.Session.RollbackTo(plan.Prompt.ID):
		return errors.New("the conversation does not have this prompt any more: it was compressed or replaced")
	default:
		text, _ := listing.Prompt(plan.Prompt, t.sys.Now())
		t.term.Print("Forgotten, from here on: > " + text)
	}
	return nil
}

// choosePrompt lets the user choose a prompt and returns its number, or 0 for none.
func (t *goingBack) choosePrompt(prompts []undo.Prompt) int {
	if len(prompts) == 0 {
		t.term.Print("There is no prompt yet to go back to.")
		return 0
	}
	return 1 + t.chooseNewest("Go back to before which prompt? (Esc: none)", "/rewind NUMBER goes back to one of them.",
		len(prompts), func(i int) string {
			text, more := listing.Prompt(prompts[i], t.sys.Now())
			return text + "  " + t.term.Dim(more)
		})
}

// chooseCheckpoint lets the user choose a checkpoint and returns its name, or "" for
// none.
func (t *goingBack) chooseCheckpoint() string {
	all := t.store.Checkpoints()
	if len(all) == 0 {
		t.term.Print("No checkpoint was taken; general.checkpointing.enabled in the settings turns them on.")
		return ""
	}
	i := t.chooseNewest("Go back to before which edit? (Esc: none)", "minigem sessions restore lists all.", len(all),
		func(i int) string {
			return t.describeCheckpoint(all[i].Name)
		})
	if i < 0 {
		return ""
	}
	return all[len(all)-1-i].Name
}

// chooseNewest lets the user choose among the newest of n items, the last one first. It
// returns how many are newer than the chosen one, or -1 if none was chosen.
func (t *goingBack) chooseNewest(question, others string, n int, label func(int) string) int {
	const most = 9
	lines := ""
	if n > most {
		lines = t.term.Dim(fmt.Sprintf("%d older ones are not listed; %s", n-most, others))
	}
	var choices []terminal.Choice
	for i := n - 1; i >= max(0, n-most); i-- {
		choices = append(choices, terminal.Choice{Label: label(i)})
	}
	i, _, ok := t.d.Choose(t.ctx, lines, question, choices)
	if !ok {
		return -1
	}
	return i
}

// describeCheckpoint describes a checkpoint by tool, file and age.
func (t *goingBack) describeCheckpoint(name string) string {
	c, err := t.store.Checkpoint(name)
	if err != nil {
		return text.VisibleLine(name + "  (cannot be read)")
	}
	what := "as it was " + strings.ReplaceAll(c.Purpose(), "-", " ")
	if c.Tool != "" {
		path, _ := c.Args["file_path"].(string)
		what = c.Tool + " " + t.runtime.Config.Relative(path)
	}
	return fmt.Sprintf("%s  %s", text.VisibleLine(what), t.term.Dim(listing.Age(c, t.sys.Now())))
}

// chooseWhat asks what goes back. It returns "" for nothing.
func (t *goingBack) chooseWhat(lines string, plan undo.Plan, question string) undo.What {
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
	i, _, ok := t.d.Choose(t.ctx, lines, question, choices)
	if !ok {
		return ""
	}
	return kinds[i]
}

// confirmConflicts shows lines, and asks before it undoes changes made by others, too.
func (t *goingBack) confirmConflicts(lines string, plan undo.Plan) bool {
	n := plan.Conflicts()
	if n == 0 || t.what == undo.Conversation {
		t.term.Print(lines)
		return true
	}
	warning := t.warning(fmt.Sprintf("%s changed in other ways too, and those changes would be undone as well (see above)",
		text.Plural(n, "file")))
	i, _, ok := t.d.Confirm(t.ctx, lines+warning, "Go back anyway? The current state is saved as a checkpoint.",
		[]terminal.Choice{
			{Label: "No", Keys: []string{"n", "no"}}, {Label: "Yes", Keys: []string{"y", "yes"}},
		})
	return ok && i == 1
}
