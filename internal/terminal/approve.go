package terminal

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"minigem/internal/boundedfile"
	"minigem/internal/proc"
	"minigem/internal/stage"
	"minigem/tools"
	"minigem/tools/policy"
	"minigem/tools/toolcall"
)

// Cancelled is printed when the user refuses. Programs that drive a terminal
// wait for it.
const Cancelled = "Cancelled"

// Approver asks the user whether a call may run. It is a toolcall.Approver.
type Approver struct {
	View *View
	Dir  string // the session's folder; a command that runs elsewhere is shown with its own
	// Shorten shortens paths in a text. If nil, texts are left as they are.
	Shorten func(string) string
	// Edit lets the user change a text in an editor. If nil, it is not offered.
	Edit func(ctx context.Context, name, text string) (string, error)
	// OnceOnly leaves out choices that last longer than the call.
	OnceOnly bool
}

// permission is a choice and its outcome.
type permission struct {
	Choice
	outcome policy.Outcome
}

// Approve implements toolcall.Approver.
func (a *Approver) Approve(ctx context.Context, q toolcall.Question) toolcall.Answer {
	if q.Call.Name == "ask_user" && !q.Forced { // its questions are for the user, who may dismiss them
		return toolcall.Answer{Outcome: policy.ProceedOnce}
	}
	v := a.View
	v.endAnswer()
	v.spin.hide(true)
	defer v.spin.hide(false)
	permissions := a.permissions(q)
	choices := make([]Choice, len(permissions))
	for i, p := range permissions {
		choices[i] = p.Choice
	}
	// As the first question of its dialogue it takes no key from before it was
	// visible: what was typed for something else must not permit anything.
	d := v.term.Dialogue()
	defer d.End()
	i, words, ok := d.choose(ctx, choice{about: a.show(q), question: a.question(q, false), stays: a.question(q, true),
		choices: choices, fresh: true})
	v.tools.Store(true) // the result follows
	if !ok {
		return toolcall.Answer{Outcome: policy.Cancel}
	}
	answer := toolcall.Answer{Outcome: permissions[i].outcome, Feedback: words}
	switch answer.Outcome {
	case policy.ProceedAlways:
		if q.Intent.Edit != nil || q.Intent.Plan != nil {
			v.note(v.style.dim(v.term.Wrap("The mode is auto_edit now: edits in this folder are not asked about. /mode " +
				"default goes back.")))
		}
	case policy.ModifyWithEditor:
		text, err := a.Edit(ctx, q.Intent.Edit.FileName, q.Intent.Edit.New)
		if err != nil {
			v.Failure(err)
			return answer // asked again
		}
		answer.NewContent = &text
	}
	return answer
}

// roomForAnswer is the width that the rest of the line takes: the question around the
// command, and a short answer.
const roomForAnswer = 42

// question returns the question. If whole is set, it names what it is about, because
// nothing above it does.
func (a *Approver) question(q toolcall.Question, whole bool) string {
	switch {
	case q.Intent.Edit != nil:
		return "Allow this change of " + cleanLine(q.Intent.Edit.FileName) + "?"
	case q.Intent.Exec != nil && !whole:
		return "Allow execution?"
	case q.Intent.Exec != nil:
		return "Allow execution of: '" +
			truncate(cleanLine(q.Intent.Exec.Command), min(max(a.View.width()-roomForAnswer, 30), 60)) + "'?"
	case q.Intent.Plan != nil:
		return "Allow the model to carry out this plan?"
	case q.Intent.MCP != nil:
		return fmt.Sprintf("Allow execution of MCP tool %q from server %q?", cleanLine(q.Intent.MCP.Tool),
			cleanLine(q.Intent.MCP.Server))
	}
	return "Allow " + cleanLine(q.Info.DisplayName) + "?"
}

// permissions returns the choices (docs/spec/contract.md 9).
func (a *Approver) permissions(q toolcall.Question) []permission {
	if q.Intent.Plan != nil {
		return a.planPermissions()
	}
	out := []permission{{Choice{"Yes, allow once", []string{"y", "yes", "o", "once"}, false}, policy.ProceedOnce}}
	session := func(label string, outcome policy.Outcome, keys ...string) {
		if !a.OnceOnly && slices.Contains(q.Lasting, outcome) {
			out = append(out, permission{Choice{label, keys, false}, outcome})
		}
	}
	switch in := q.Intent; {
	case in.MCP != nil:
		session("Allow this tool for this session", policy.ProceedAlwaysTool, "a", "t", "always", "tool")
		session("Server "+cleanLine(in.MCP.Server)+": allow all its tools for this session", policy.ProceedAlwaysServer, "s",
			"server")
	case in.Exec != nil:
		session("Allow "+commandsOf(in)+" for this session, whatever it does", policy.ProceedAlways, "a", "always")
	case in.Edit != nil:
		session("Allow all edits for this session", policy.ProceedAlways, "a", "always")
	default:
		session("Allow for this session", policy.ProceedAlways, "a", "always")
	}
	if q.Modifiable && q.Intent.Edit != nil && a.Edit != nil {
		out = append(out, permission{Choice{"Modify with external editor", []string{"m", "e", "modify", "edit"}, false},
			policy.ModifyWithEditor})
	}
	no := a.View.style.dim("  (or: n why not, for the model)")
	out = append(out, permission{Choice{"No" + no, []string{"n", "no"}, true}, policy.Cancel})
	if q.Intent.Exec != nil { // last, because 3 means no to programs that drive a terminal
		session("Allow "+commandsOf(q.Intent)+" for this session, in the sandbox", policy.ProceedAlwaysSandbox, "s",
			"sandbox")
	}
	return out
}

// commandsOf names what "always" would allow.
func commandsOf(in tools.Intent) string {
	return cleanLine(strings.Join(policy.RootCommands(in.Exec.Command), ", "))
}

// planPermissions are the choices about a plan (cli/ui/components/ExitPlanModeDialog.tsx).
func (a *Approver) planPermissions() []permission {
	var out []permission
	if !a.OnceOnly {
		out = append(out, permission{Choice{"Yes, and allow edits without asking", []string{"a", "auto"}, false},
			policy.ProceedAlways})
	}
	change := a.View.style.dim("  (or: n and what to change, for the model)")
	return append(out, permission{Choice{"Yes, and ask about each edit", []string{"y", "yes"}, false}, policy.ProceedOnce},
		permission{Choice{"No, keep planning" + change, []string{"n", "no"}, true}, policy.Cancel})
}

// show shows in full what the question is about.
func (a *Approver) show(q toolcall.Question) string {
	s, in := a.View.style, q.Intent
	title := in.Title
	if title == "" {
		title = q.Info.DisplayName + "  " + in.Description
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n", s.bold("? "+cleanLine(title)))
	room := max(a.View.width()-3, 8)
	switch {
	case in.Edit != nil:
		b.WriteString(indent(strings.Join(s.broken(a.View.diff(in.Edit.Diff), room), "\n"), "  ") + "\n")
	case in.Exec != nil:
		if why, _ := q.Call.Args["description"].(string); why != "" {
			b.WriteString(s.dim(indent(visible(why), "  ")) + "\n")
		}
		for line := range strings.SplitSeq(visible(in.Exec.Command), "\n") {
			b.WriteString("  $ " + strings.Join(s.broken(s.cyan(line), room-2), "\n    ") + "\n")
		}
		if in.Exec.Dir != "" && in.Exec.Dir != a.Dir {
			b.WriteString(s.dim("  in "+cleanLine(in.Exec.Dir)) + "\n")
		}
	case in.Plan != nil:
		b.WriteString(indent(strings.TrimRight(renderMarkdown(visible(in.Plan.Text), s, room), "\n"), "  ") + "\n")
		b.WriteString(s.dim("  "+cleanLine(in.Plan.Path)) + "\n")
	case in.Info != nil:
		b.WriteString(indent(strings.TrimSpace(visible(in.Info.Prompt)), "  ") + "\n")
		for _, u := range in.Info.URLs {
			b.WriteString("  " + s.underline(cleanLine(u)) + "\n")
		}
	default:
		for _, name := range slices.Sorted(maps.Keys(q.Call.Args)) {
			fmt.Fprintf(&b, "  %s: %s\n", cleanLine(name), visible(fmt.Sprint(q.Call.Args[name])))
		}
	}
	if why := cleanLine(a.shorten(q.Why)); why != "" {
		b.WriteString(s.yellow(indent(a.View.term.Wrap("Asked because "+why), "  ")) + "\n")
	}
	if q.Forced {
		b.WriteString(s.yellow("  A hook wants you to be asked."))
		b.WriteString("\n")
		for _, text := range []string{q.HookMessage, q.HookReason} {
			if text = strings.TrimSpace(Clean(text)); text != "" {
				b.WriteString(s.yellow(indent(text, "  ")) + "\n")
			}
		}
	}
	return b.String()
}

func (a *Approver) shorten(s string) string {
	if a.Shorten == nil {
		return s
	}
	return a.Shorten(s)
}

// diff colours a unified diff and leaves out the file names.
func (v *View) diff(unified string) string {
	var lines []string
	for line := range strings.Lines(unified) {
		line = strings.ReplaceAll(visible(strings.TrimRight(line, "\r\n")), "\t", "    ")
		if strings.HasPrefix(line, "===") || strings.HasPrefix(line, "+++") || strings.HasPrefix(line, "---") ||
			strings.HasPrefix(line, "Index:") {
			continue // the file was named before
		}
		lines = append(lines, v.style.diffLine(line))
	}
	return strings.Join(lines, "\n")
}

// Editor returns a function for Approver.Edit. It writes the text to a file and runs
// command, a shell command line, on it.
func (t *Terminal) Editor(command string, env []string) func(ctx context.Context, name, text string) (string, error) {
	return func(ctx context.Context, name, text string) (string, error) {
		dir, remove, err := stage.Temp()
		if err != nil {
			return "", fmt.Errorf("making a file to edit: %w", err)
		}
		defer remove()
		path := filepath.Join(dir, filepath.Base(name))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return "", fmt.Errorf("making a file to edit: %w", err)
		}
		err = t.RunOutside(func() error {
			line := command + ` "$MINIGEM_EDIT_FILE"`
			return proc.RunAttached(ctx, proc.Command{Line: line, Dir: dir, Env: append(env, "MINIGEM_EDIT_FILE="+path)}, t.o.In,
				t.o.Out)
		})
		if err != nil {
			return "", fmt.Errorf("editing with %s: %w", command, err)
		}
		edited, err := boundedfile.Read(path, boundedfile.Kept)
		return string(edited), err
	}
}
