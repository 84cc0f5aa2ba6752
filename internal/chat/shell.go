package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"minigem/internal/proc"
	"minigem/internal/slash"
	"minigem/internal/terminal"
	"minigem/internal/text"
	"minigem/llm"
)

// shellKept is how much of a command's output the model gets
// (cli/ui/hooks/useExecutionLifecycle.ts).
const shellKept = 10_000

// userShell runs the commands that the user types after "!".
type userShell struct {
	live *live
	dir  string // where they run; if empty, the chat's folder
}

// run runs a command of the user in a terminal of its own, without asking for
// permission. The model gets its output with the next prompt.
func (s *userShell) run(line string) error {
	t := s.live
	if line == "" {
		t.term.Print("!command runs a command: !git status")
		return nil
	}
	if dir, ok := changesFolder(line); ok {
		return s.changeFolder(dir)
	}
	c := proc.Command{Line: line, Dir: cmp.Or(s.dir, t.runtime.Config.Dir), Env: t.runtime.Config.ChildEnv(), Merge: true,
		Within: t.sys.Within}
	var res proc.Result
	var err error
	var printed string
	t.work("running "+line, func(ctx context.Context) {
		if res, printed, err = inTerminal(t.term, ctx, c); !errors.Is(err, proc.ErrNoTerminal) {
			return
		}
		var live terminal.Cleaner
		c.Live = func(b []byte) { t.term.Write(live.Clean(b)) }
		res, err = proc.Run(ctx, c)
		printed = terminal.Clean(res.Stdout.String())
	})
	if err != nil {
		return err
	}
	switch {
	case res.Stopped != nil:
		t.term.Print(t.term.Warning("Command cancelled."))
	case res.Signal != 0:
		t.term.Print(t.term.Warning("ended by " + res.SignalName))
		printed += "\n(ended by " + res.SignalName + ")"
	case res.ExitCode != 0:
		t.term.Print(t.term.Warning(fmt.Sprintf("exit status %d", res.ExitCode)))
		printed += fmt.Sprintf("\n(exit status %d)", res.ExitCode)
	case strings.TrimSpace(printed) == "":
		t.term.Print(t.term.Dim("(no output)"))
	}
	if len(printed) > shellKept {
		printed = strings.ToValidUTF8(printed[:shellKept], "") + "\n... (cut)"
	}
	t.runtime.Session.Append(llm.UserText(slash.Ran(line, printed)))
	return nil
}

// inTerminal runs a command that receives all keys.
func inTerminal(term *terminal.Terminal, ctx context.Context,
	c proc.Command) (res proc.Result, printed string, err error) {
	var passage *terminal.Passage
	res, err = proc.RunInTerminal(ctx, proc.Session{
		Command: c, Size: term.Size,
		Show: func(b []byte, keys bool) { passage.Show(b, keys) },
		Begin: func(keys func([]byte), resized func()) func() {
			passage = term.Pass(keys, resized)
			return func() {
				drew := false
				if printed, drew = passage.Over(); drew {
					printed += "\n(it drew the screen, too)"
				}
			}
		},
	})
	return res, printed, err
}

// changesFolder reports whether a line only changes the folder.
func changesFolder(line string) (dir string, ok bool) {
	dir, ok = strings.CutPrefix(line, "cd")
	if !ok || dir != "" && dir[0] != ' ' || strings.ContainsAny(dir, "$`;&|<>(){}*?[\"'\\\n") {
		return "", false
	}
	return strings.TrimSpace(dir), true
}

// changeFolder makes later commands of the user run in another folder. The model's
// commands are not affected. An empty dir means the chat's folder.
func (s *userShell) changeFolder(dir string) error {
	t := s.live
	if dir == "" {
		dir = t.runtime.Config.Dir
	}
	dir = folderAt(t.runtime.Config.Home, dir, cmp.Or(s.dir, t.runtime.Config.Dir))
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return fmt.Errorf("there is no folder %s", text.VisibleLine(dir))
	}
	s.dir = dir
	t.term.Print(t.term.Dim(terminal.Clean("Your commands with ! run in " + t.shortenHome(s.dir) + " from now on. The " +
		"model's run where they did; !cd alone goes back.")))
	return nil
}
