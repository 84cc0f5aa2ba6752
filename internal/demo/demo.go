package demo

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"minigem/agent"
	"minigem/agent/event"
	"minigem/hooks"
	"minigem/internal/app"
	"minigem/internal/boundedfile"
	"minigem/internal/exit"
	"minigem/internal/output"
	"minigem/internal/proc"
	"minigem/internal/stage"
	"minigem/internal/wiring"
	"minigem/llm/script"
	"minigem/tools/policy"
	"minigem/tools/toolcall"
)

//go:embed all:demo
var demoFiles embed.FS

// The prompts of the demo. The model's answers are in demo/model.responses, and the
// hooks in demo/project/.gemini.
const (
	demoPrompt = "The tests of slug.sh fail. Fix it, then deploy to production."
	demoSecret = "What is the staging password?"
)

// demo is one run of the demo.
type demo struct {
	out     io.Writer
	project string
	sys     *app.System // as the project sees it
	midLine bool
}

// Run makes the project in a temporary folder, or in the new folder keep, and shows a
// session in it.
func Run(ctx context.Context, sys *app.System, keep string) error {
	top, remove, err := stage.Temp()
	if err != nil {
		return fmt.Errorf("making a folder for the demo: %w", err)
	}
	defer remove()
	d := &demo{out: sys.Stdout, project: filepath.Join(top, "project")}
	if keep != "" {
		if d.project, err = filepath.Abs(keep); err != nil {
			return err
		}
		if app.Exists(d.project) {
			return exit.Errorf(exit.Input, "%s already exists: --keep wants a new folder", d.project)
		}
	}
	if err := unpack(demoFiles, "demo/project", d.project); err != nil {
		return fmt.Errorf("making the project of the demo: %w", err)
	}
	home := filepath.Join(top, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		return fmt.Errorf("making a home for the demo: %w", err)
	}
	own := *sys
	own.Dir = d.project
	own.Env = append(own.Env, "HOME="+home, "GEMINI_CLI_HOME=")
	d.sys = &own
	return d.run(ctx)
}

func (d *demo) run(ctx context.Context) error {
	d.title("A small project with a bug. Its tests:")
	if err := d.shell(ctx, "bash test.sh"); err != nil {
		return err
	}
	before, err := boundedfile.Read(filepath.Join(d.project, "slug.sh"), boundedfile.Written)
	if err != nil {
		return err
	}
	if err := d.talk(ctx); err != nil {
		return err
	}
	after, err := boundedfile.Read(filepath.Join(d.project, "slug.sh"), boundedfile.Written)
	if err != nil {
		return err
	}
	d.title("What was changed:")
	d.indent(udiff.Unified("slug.sh before", "slug.sh after", string(before), string(after)))
	d.title("The tests now:")
	if err := d.shell(ctx, "bash test.sh; echo; echo 'deployed-to.txt:'; cat deployed-to.txt"); err != nil {
		return err
	}
	d.title("What to try next:")
	d.indent(`minigem demo --keep ./demo   the same project, to look at: .gemini/hooks has
                             the hooks, a few lines of shell each: change one
minigem hooks new guard      a hook of your own, and a case that tests it
minigem -p "..."             with GEMINI_API_KEY set: your own project
docs/EVENTS.md               every event, what it reads and what it may say
`)
	return nil
}

// talk runs the session: a prompt with work to do, a compression, and a prompt that a
// hook answers.
func (d *demo) talk(ctx context.Context) error {
	answers, err := demoFiles.ReadFile("demo/model.responses")
	if err != nil {
		return err
	}
	entries, err := script.Parse("demo/model.responses", bytes.NewReader(answers))
	if err != nil {
		return err
	}
	f := &app.Options{SkipTrust: true, Model: "gemini-2.5-flash"}
	c, err := app.Configure(d.sys, f)
	if err != nil {
		return err
	}
	r, err := wiring.Open(ctx, d.sys, f, c, wiring.Frontend{
		Interactive: true,
		Sink:        event.SinkFunc(d.show),
		Reports:     d.report,
		Approver:    demoApprover{d},
		Model:       script.New(entries, false),
		Warn:        func(text string) { d.line("  ! " + text) },
	})
	if err != nil {
		return err
	}
	defer r.Close()
	d.title("An agent works on it. Every hook event is a line:")
	start := r.Session.Begin(ctx)
	defer r.Session.End(context.WithoutCancel(ctx), "exit")
	if err := d.prompt(ctx, r, demoPrompt, start); err != nil {
		return err
	}
	d.line("\n> /compress")
	if err := r.Compress(ctx); err != nil {
		return err
	}
	return d.prompt(ctx, r, demoSecret, "")
}

func (d *demo) prompt(ctx context.Context, r *wiring.Runtime, text, context string) error {
	d.line("\n> " + text)
	res := r.Agent.Run(ctx, agent.Prompt{Text: text, Context: context})
	if res.Ending != agent.Answered {
		return fmt.Errorf("the demo ended with %s: %w", res.Ending, res.Err)
	}
	return nil
}

// report shows an event for which hooks ran.
func (d *demo) report(r hooks.Report) {
	if !slices.ContainsFunc(r.Runs, hooks.Run.Ran) || r.Late {
		return
	}
	d.line("  " + output.HookLine(r))
	for why := range strings.Lines(output.HookWhy(r)) {
		d.line("      " + strings.TrimRight(why, "\n"))
	}
}

// show shows what the model says and what its tools do.
func (d *demo) show(e event.Event) {
	switch e := e.(type) {
	case event.TextDelta:
		if !d.midLine {
			fmt.Fprint(d.out, "model: ")
		}
		fmt.Fprint(d.out, e.Text)
		d.midLine = true
	case event.ToolRequested:
		d.line(fmt.Sprintf("model: calls %s %s", e.Call.Name, callArgument(e.Call.Args)))
	case event.ToolFinished:
		if e.Record.Status == event.ToolError {
			d.line("tool:  " + e.Record.ErrorMessage)
			return
		}
		d.line(fmt.Sprintf("tool:  %s %s", e.Record.DisplayName, e.Record.Description))
	case event.Compressed:
		d.line(fmt.Sprintf("       %d tokens became %d", e.Before, e.After))
	}
}

// callArgument returns the most telling argument of a call.
func callArgument(args map[string]any) string {
	for _, name := range []string{"command", "file_path"} {
		if s, ok := args[name].(string); ok {
			return s
		}
	}
	return ""
}

// demoApprover approves every call, and shows that it did.
type demoApprover struct{ d *demo }

func (a demoApprover) Approve(_ context.Context, q toolcall.Question) toolcall.Answer {
	a.d.line(fmt.Sprintf("you:   allow %s? yes, once (the demo answers for you)", q.Info.DisplayName))
	return toolcall.Answer{Outcome: policy.ProceedOnce}
}

func (d *demo) title(text string) { d.line("\n" + text + "\n") }

func (d *demo) line(text string) {
	if d.midLine {
		fmt.Fprintln(d.out)
	}
	d.midLine = false
	fmt.Fprintln(d.out, text)
}

func (d *demo) indent(text string) {
	for line := range strings.Lines(text) {
		d.line("  " + strings.TrimRight(line, "\n"))
	}
}

// shell runs a command in the project and shows its output.
func (d *demo) shell(ctx context.Context, command string) error {
	res, err := proc.Run(ctx, proc.Command{Line: command, Dir: d.project, Env: d.sys.Env, Merge: true})
	d.indent(res.Stdout.String())
	return cmp.Or(err, context.Cause(ctx))
}

// unpack writes an embedded folder to disk and makes scripts executable.
func unpack(from fs.FS, dir, to string) error {
	return fs.WalkDir(from, dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if e.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		data, err := fs.ReadFile(from, path)
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if strings.HasSuffix(path, ".sh") {
			mode = 0o755
		}
		return os.WriteFile(target, data, mode)
	})
}
