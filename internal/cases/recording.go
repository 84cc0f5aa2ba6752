package cases

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"minigem/agent/event"
	"minigem/e2e/record"
	"minigem/hooks"
	"minigem/internal/app"
	"minigem/internal/atomicfile"
	"minigem/internal/chat"
	"minigem/internal/exit"
	"minigem/internal/headless"
	"minigem/internal/text"
	"minigem/internal/wiring"
	"minigem/tools/toolcall"
)

// Recording implements --record-case: a run becomes a case of the testbed. For a run
// without a terminal it is a [headless.Observer].
type Recording struct {
	*record.Recorder
	Sys   *app.System
	Flags *app.Options

	// The folder and the name of the file, which are the same at the end, whatever the run
	// makes of the links that lead there.
	folder *os.Root
	name   string
}

// path returns the path of the case.
func (r *Recording) path() string { return app.Absolute(r.Sys, r.Flags.RecordCase) }

// Check returns an error if the flags ask for a case that could not be written.
func (r *Recording) Check() error {
	f := r.Flags
	if f.RecordCase == "" {
		return nil
	}
	path := r.path()
	_, err := os.Lstat(path)
	info, target := os.Stat(path)
	switch {
	case target == nil && info.IsDir():
		return exit.Errorf(exit.Input, "--record-case: %s is a folder: name a file in it, such as %s", f.RecordCase,
			filepath.Join(f.RecordCase, "case.txtar"))
	case err == nil && target != nil:
		return exit.Errorf(exit.Input, "--record-case: %s is a link to nothing: take another name, or remove it",
			f.RecordCase)
	case err == nil && !info.Mode().IsRegular():
		return exit.Errorf(exit.Input, "--record-case: %s is not a regular file: take another name", f.RecordCase)
	case err == nil && !f.Force:
		return exit.Errorf(
			exit.Input, "--record-case: %s already exists: take another name, or add --force to write over it", f.RecordCase)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return exit.Errorf(exit.Input, "--record-case: %w", err)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	_ = os.MkdirAll(filepath.Dir(path), 0o755) // if it fails, so does the probe
	probe := filepath.Join(filepath.Dir(path), atomicfile.TempName())
	defer atomicfile.Announce(probe)()
	if err := os.WriteFile(probe, nil, 0o600); err != nil {
		return exit.Errorf(exit.Input, "--record-case: no file can be written next to %s: %w", f.RecordCase, err)
	}
	return os.Remove(probe)
}

// start begins to record.
func (r *Recording) start(c *app.Configuration, interactive bool) {
	real, err := filepath.EvalSymlinks(r.path())
	if err != nil {
		real = r.path()
	}
	r.folder, _ = os.OpenRoot(filepath.Dir(real)) // nil: it has been removed since Check
	r.name = filepath.Base(real)
	r.Recorder = record.New(record.Options{
		Dir: c.Dir, Project: c.ProjectDir, Home: c.Home, User: cmp.Or(r.Sys.Getenv("USER"), r.Sys.Getenv("LOGNAME")),
		Interactive: interactive, Untrusted: !c.Trust.Trusted, Resumed: r.Flags.Resume != "" || r.Flags.SessionFile != "",
		Mask: func(text string) string { return c.Masker.String(text) }, Hooks: c.Hooks.Hooks, Agents: c.Agents().Files(),
	})
}

// Join implements [headless.Observer].
func (r *Recording) Join(c *app.Configuration, w *wiring.Frontend) {
	r.start(c, false)
	r.join(w)
}

// join makes the recorder record a session.
func (r *Recording) join(w *wiring.Frontend) {
	w.Sink = event.Tee(r.Recorder, w.Sink)
	others := w.Reports
	w.Reports = func(rep hooks.Report) { r.Report(rep); others(rep) }
	w.Tap = r.Model
}

// Opened tells the recorder about a wired session.
func (r *Recording) Opened(runtime *wiring.Runtime) {
	r.SetMode(runtime.Policy.Mode().Flag())
}

// Write writes the case once the run is over. err is the run's error, which is returned
// unless the case cannot be written.
func (r *Recording) Write(err error) error {
	data, failed := r.Case(exitCodeOf(err))
	if failed == nil {
		failed = r.writeFile(data)
	}
	if failed != nil {
		failed = fmt.Errorf("writing the case: %w", failed)
		if err == nil {
			return exit.With(exit.Input, failed)
		}
		fmt.Fprintf(r.Sys.Stderr, "minigem: %v\n", failed)
		return err
	}
	name := r.path()
	if rel, ok := text.Below(r.Sys.Dir, name); ok {
		name = rel
	}
	if taken := r.Taken(); taken != "" {
		fmt.Fprintf(r.Sys.Stderr, "minigem: took these secrets out of the case: %s\n", taken)
	}
	fmt.Fprintf(r.Sys.Stderr, "minigem: recorded %s; this runs it: minigem hooks test %s\n", name, name)
	if !bytes.Contains(data, []byte("\nfired ")) {
		fmt.Fprintln(r.Sys.Stderr,
			"minigem: no hook ran: the case tests none. Calls that minigem refuses reach no hook: try --yolo, or another prompt")
	}
	return err
}

// writeFile writes the case. If the path was a link, it replaces the link's target.
func (r *Recording) writeFile(data []byte) error {
	if r.folder == nil {
		return &fs.PathError{Op: "open", Path: filepath.Dir(r.path()), Err: fs.ErrNotExist}
	}
	temp := atomicfile.TempName()
	defer atomicfile.Announce(filepath.Join(r.folder.Name(), temp))()
	defer r.folder.Remove(temp) // has no effect after the rename
	if err := r.folder.WriteFile(temp, data, 0o600); err != nil {
		return err
	}
	return r.folder.Rename(temp, r.name)
}

// exitCodeOf returns the program's exit code for err.
func exitCodeOf(err error) int {
	_, code := headless.FailureOf(err)
	return code
}

// observe tells the recorder what happens in a chat.
func (r *Recording) observe(t *chat.Chat) {
	t.Observer.Configured = func(c *app.Configuration) error {
		r.start(c, true)
		t.Observer.Opened, t.Observer.Finished = r.Opened, r.Finished // of the Recorder that start made
		return nil
	}
	t.Observer.Wiring = r.join
	t.Observer.Submitted = func(text string) { r.Prompt(text, text) }
	t.Observer.Commanded = r.command
	t.Observer.Answered = func(q toolcall.Question, a toolcall.Answer) { r.Answered(q, a) }
}

// unrecorded lists chat commands that a case cannot express, and what the case then
// lacks.
var unrecorded = map[string]string{
	"resume": "another session", "chat": "a kept conversation", "checkpoints": "a kept conversation",
	"rewind":  "what was forgotten",
	"restore": "the files that were brought back",
}

// command is called for a line that begins with "/" or "!".
func (r *Recording) command(line string) {
	word, rest, _ := strings.Cut(strings.TrimPrefix(line, "/"), " ")
	rest, _, _ = strings.Cut(strings.TrimSpace(rest), " ")
	switch {
	case strings.HasPrefix(line, "!"):
		r.Unrecorded("Commands that the user ran with ! are not part of the case.")
	case slices.Contains([]string{"clear", "new"}, word):
		r.Do("clear")
	case slices.Contains([]string{"compress", "summarize", "compact"}, word):
		r.Do("compress")
	case word == "hooks" && rest != "" && rest != "list" && rest != "why":
		r.Unrecorded("The user changed which hooks run with /hooks: the case has those that ran.")
	case unrecorded[word] != "" && !slices.Contains([]string{"save", "list", "share", "delete"}, rest):
		r.Stop(fmt.Sprintf("It ends before /%s: %s cannot be part of a case.", word, unrecorded[word]))
	}
}

// Recorded runs a chat, with a recorder if the flags ask for one.
func Recorded(t *chat.Chat, run func() error) error {
	if t.Flags.RecordCase == "" {
		return run()
	}
	r := &Recording{Sys: t.Sys, Flags: t.Flags}
	r.observe(t)
	err := run()
	if r.Recorder == nil { // the chat never began
		return err
	}
	return r.Write(err)
}
