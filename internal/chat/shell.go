package chat

import (
	"context"
	"fmt"
	"strings"

	"minigem/internal/proc"
	"minigem/internal/terminal"
	"minigem/llm"
)

// shellKept is how much of a command's output the model gets
// (cli/ui/hooks/useExecutionLifecycle.ts).
const shellKept = 10_000

// shell runs a command of the user, without asking for permission. The model
// gets its output with the next prompt.
func (t *Chat) shell(line string) error {
	if line == "" {
		t.term.Print("!command runs a command: !git status")
		return nil
	}
	var res proc.Result
	var err error
	var live terminal.Cleaner
	t.work("running "+line, func(ctx context.Context) {
		res, err = proc.Run(ctx, proc.Command{
			Line: line, Dir: t.runtime.Config.Dir, Env: t.runtime.Config.ChildEnv(), Merge: true,
			Live: func(b []byte) { t.term.Write(live.Clean(b)) },
		})
	})
	if err != nil {
		return err
	}
	text := terminal.Clean(res.Stdout.String())
	switch {
	case res.Stopped != nil:
		t.term.Print(t.term.Warning("Command cancelled."))
	case res.ExitCode != 0:
		t.term.Print(t.term.Warning(fmt.Sprintf("exit status %d", res.ExitCode)))
		text += fmt.Sprintf("\n(exit status %d)", res.ExitCode)
	case strings.TrimSpace(text) == "":
		t.term.Print(t.term.Dim("(no output)"))
	}
	if len(text) > shellKept {
		text = strings.ToValidUTF8(text[:shellKept], "") + "\n... (cut)"
	}
	t.runtime.Session.Append(llm.UserText("I ran this command:\n```sh\n" + line + "\n```\n\nIt printed:\n```\n" + strings.TrimSpace(text) + "\n```"))
	return nil
}
