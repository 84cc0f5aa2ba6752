package chat

import (
	"context"
	"errors"
	"strings"

	"minigem/internal/slash"
	"minigem/internal/terminal"
)

// planCommands are /plan and what follows it (cli/ui/commands/planCommand.ts).
func (t *Chat) planCommands() slash.Command {
	return slash.Command{
		Name: "plan", Args: "[PROMPT]", Help: "change nothing but a plan; without a prompt, show the plan that was agreed to",
		Run: t.plan, Sub: []slash.Command{
			{Name: "copy", Help: "copy the plan that was agreed to", Run: t.copyPlan},
		},
	}
}

// plan enters plan mode, and submits what follows.
func (t *Chat) plan(ctx context.Context, prompt string) error {
	if err := t.changeMode(ctx, "plan"); err != nil {
		return err
	}
	if prompt = strings.TrimSpace(prompt); prompt != "" {
		t.submit(prompt, nil)
		return nil
	}
	if plan := t.runtime.ApprovedPlan(); plan.Path != "" {
		t.view.Show(terminal.Clean(strings.TrimSpace(plan.Text)) + "\n")
		t.term.Print(t.term.Dim(terminal.Clean(t.shortenHome(plan.Path))))
	}
	return nil
}

func (t *Chat) copyPlan(context.Context, string) error {
	plan := t.runtime.ApprovedPlan()
	if plan.Path == "" {
		return errors.New("no plan has been agreed to in this session")
	}
	if !t.term.Copy(plan.Text) {
		return errNoClipboard
	}
	t.term.Print(t.term.Dim("The plan was sent to the clipboard; some terminals refuse it."))
	return nil
}
