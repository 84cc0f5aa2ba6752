package chat

import (
	"errors"
	"strings"

	"minigem/agent"
	"minigem/internal/terminal"
)

// planCommands returns /plan and its subcommands (cli/ui/commands/planCommand.ts).
func planCommands() row {
	return row{
		Name: "plan", Args: "[PROMPT]", Help: "plan before any change; without a prompt, show the approved plan",
		Run: plan, Sub: []row{
			{Name: "copy", Help: "copy the approved plan", Run: copyPlan},
		},
	}
}

// plan enters plan mode and submits its arguments as a prompt. Without arguments it
// shows the approved plan.
func plan(t *call) error {
	if err := setMode(t.live, "plan"); err != nil {
		return err
	}
	if prompt := strings.TrimSpace(t.args); prompt != "" {
		t.submit(agent.Prompt{Text: prompt})
		return nil
	}
	if plan := t.runtime.Plans.Approved(); plan.Path != "" {
		t.view.Show(terminal.Clean(strings.TrimSpace(plan.Text)) + "\n")
		t.term.Print(t.term.Dim(terminal.Clean(t.shortenHome(plan.Path))))
	}
	return nil
}

func copyPlan(t *call) error {
	plan := t.runtime.Plans.Approved()
	if plan.Path == "" {
		return errors.New("no plan has been approved in this session")
	}
	if !t.term.Copy(plan.Text) {
		return errNoClipboard
	}
	t.term.Print(t.term.Dim("The plan was sent to the clipboard; some terminals refuse it."))
	return nil
}
