package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"minigem/agent"
	"minigem/agent/event"
	"minigem/e2e/record"
	"minigem/hooks"
	"minigem/internal/atomicfile"
	"minigem/tools/toolcall"
)

// recording is --record-case: a run becomes a case of the testbed. A nil one
// records nothing.
type recording struct {
	*record.Recorder
	sys  *system
	path string
}

// checkRecording says before anything runs that the case could not be written.
func (f *flags) checkRecording(sys *system) error {
	if f.recordCase == "" {
		return nil
	}
	path := absolute(sys, f.recordCase)
	info, err := os.Lstat(path)
	switch {
	case err == nil && info.IsDir():
		return exitf(exitInput, "--record-case: %s is a folder: name a file in it, such as %s", f.recordCase, filepath.Join(f.recordCase, "case.txtar"))
	case err == nil && !f.force:
		return exitf(exitInput, "--record-case: %s is there already: take another name, or add --force to write over it", f.recordCase)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return exitf(exitInput, "--record-case: %w", err)
	}
	probe, err := os.CreateTemp(filepath.Dir(path), ".record-case-*")
	if err != nil {
		return exitf(exitInput, "--record-case: nothing can be written beside %s: %w", f.recordCase, err)
	}
	_ = probe.Close()
	return os.Remove(probe.Name())
}

// startRecording begins to record where the flags ask for it.
func (f *flags) startRecording(sys *system, c *configuration, interactive bool) *recording {
	if f.recordCase == "" {
		return nil
	}
	user := sys.Getenv("USER")
	if user == "" {
		user = sys.Getenv("LOGNAME")
	}
	return &recording{sys: sys, path: absolute(sys, f.recordCase), Recorder: record.New(record.Options{
		Dir: c.dir, Project: c.projectDir, Home: c.home, User: user, Interactive: interactive, Untrusted: !c.trust.trusted,
		Resumed: f.resume != "" || f.sessionFile != "",
		Mask:    func(text string) string { return c.masker.String(text) }, Hooks: c.hooks.Hooks,
	})}
}

// join lets the recorder hear of a session.
func (r *recording) join(w *wiring) {
	if r == nil {
		return
	}
	w.sink = event.Tee(r.Recorder, w.sink)
	told := w.reports
	w.reports = func(rep hooks.Report) { r.Report(rep); told(rep) }
	w.tap = r.Model
}

// opened tells the recorder of a session that is wired.
func (r *recording) opened(rig *rig) {
	if r != nil {
		r.SetMode(rig.policy.Mode().Flag())
	}
}

func (r *recording) prompt(text string) {
	if r != nil {
		r.Prompt(text)
	}
}

func (r *recording) finished(res agent.Result) {
	if r != nil {
		r.Finished(res)
	}
}

// write writes the case when the run is over. err is how it ended, and stays so
// unless the case cannot be written.
func (r *recording) write(err error) error {
	if r == nil {
		return err
	}
	data, failed := r.Case(exitCodeOf(err))
	if failed == nil {
		failed = atomicfile.WriteFile(r.path, data, 0o600)
	}
	if failed != nil {
		failed = fmt.Errorf("writing the case: %w", failed)
		if err == nil {
			return withCode(exitInput, failed)
		}
		fmt.Fprintf(r.sys.Stderr, "minigem: %v\n", failed)
		return err
	}
	name := r.path
	if rel, relErr := filepath.Rel(r.sys.Dir, r.path); relErr == nil && filepath.IsLocal(rel) {
		name = rel
	}
	fmt.Fprintf(r.sys.Stderr, "minigem: recorded %s; this runs it: minigem hooks test %s\n", name, name)
	return err
}

// exitCodeOf is what the program ends with for err.
func exitCodeOf(err error) int {
	_, code := failureOf(err)
	return code
}

// observe makes the recorder a witness of a chat.
func (r *recording) observe(t *chat) {
	t.witness.configured = func(c *configuration) error {
		r.Recorder = t.flags.startRecording(t.sys, c, true).Recorder
		return nil
	}
	t.witness.opened = r.opened
	t.witness.wiring = func(w *wiring) { r.join(w) }
	t.witness.submitted = r.prompt
	t.witness.commanded = r.command
	t.witness.finished = r.finished
	t.witness.answered = func(q toolcall.Question, a toolcall.Answer) { r.Answered(q, a) }
}

// unrecorded are commands of the chat that a case has no word for, with what it
// then lacks.
var unrecorded = map[string]string{
	"resume": "another session", "chat": "a kept conversation", "checkpoints": "a kept conversation", "rewind": "what was forgotten",
	"restore": "the files that were brought back",
}

// command hears of a line that begins with "/" or "!".
func (r *recording) command(line string) {
	word, rest, _ := strings.Cut(strings.TrimPrefix(line, "/"), " ")
	rest, _, _ = strings.Cut(strings.TrimSpace(rest), " ")
	switch {
	case strings.HasPrefix(line, "!"):
		r.Unrecorded("What the user ran with ! is not part of the case.")
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

// recorded runs a chat with a recorder, if the flags ask for one.
func (t *chat) recorded(run func() error) error {
	if t.flags.recordCase == "" {
		return run()
	}
	r := &recording{sys: t.sys, path: absolute(t.sys, t.flags.recordCase)}
	r.observe(t)
	err := run()
	if r.Recorder == nil { // it never began
		return err
	}
	return r.write(err)
}
