// Package torture finds out whether a hook survives: payloads that are valid and
// unpleasant, twenty at once, another folder, another language, no home, a
// time-out in the middle. What a hook does is compared with what it does
// undisturbed.
package torture

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"minigem/hooks"
	"minigem/hooks/author/inspect"
	"minigem/hooks/protocol"
	"minigem/internal/text"
)

// The classes of findings.
const (
	Crash     = "crash"          // it failed
	FailOpen  = "fail-open"      // what it refuses undisturbed went on, or would have
	NoJSON    = "no JSON"        // it printed an object that is not JSON
	Injection = "injection"      // a payload was run as a command
	Order     = "side by side"   // runs beside each other disturb one another
	Differs   = "not idempotent" // the second run says something else
	Files     = "files"          // it leaves files behind
	Processes = "processes"      // it leaves processes behind
	Elsewhere = "place"          // it depends on where it runs
	Growth    = "growth"         // its time grows faster than the payload
)

// Place is where a hook runs.
type Place struct {
	Dir string
	Env map[string]string // changes; an empty value takes a variable away
}

// Subject is the hook that is tortured.
type Subject struct {
	Config  hooks.Config // it alone
	Dir     string
	Temp    string // an empty folder, for all that it leaves behind
	Runner  func(Place) hooks.Runner
	Left    func() int // processes that are left behind now
	Payload []byte     // one that it refuses, or a sample
	Timeout time.Duration
	Guard   bool // it can refuse
	Heavy   int  // bytes of the largest payload
	Most    int  // of runs side by side

	Match *regexp.Regexp // trials by their names; nil: all
}

// Finding is one thing that went wrong.
type Finding struct {
	Class  string `json:"class"`
	Trial  string `json:"trial"`
	Detail string `json:"detail"`
}

// Report is the outcome of all trials.
type Report struct {
	Trials   int       `json:"trials"`
	Refuses  bool      `json:"refuses"` // the payload, undisturbed
	Findings []Finding `json:"findings"`
}

// Torture runs all trials. done, if not nil, is called with how many are finished.
func Torture(ctx context.Context, s Subject, done func(n, of int)) (Report, error) {
	t := &torture{Subject: s, ctx: ctx, reference: hooks.Proceed}
	h := &t.Config.Hooks[0]
	if s.Timeout > 0 && (h.Timeout <= 0 || h.Timeout > s.Timeout) {
		h.Timeout = s.Timeout
	}
	all, err := t.chosen()
	if err != nil {
		return t.report, err
	}
	before := t.files()
	first, err := t.fire(t.home(), s.Payload)
	if err != nil {
		return t.report, err
	}
	if !first.ran {
		return t.report, fmt.Errorf("the hook does not run for this payload: %s", first.skipped)
	}
	t.reference, t.report.Refuses = first.decision, first.decision != hooks.Proceed
	t.judge("as it is", first)
	for i, trial := range all {
		if ctx.Err() != nil {
			return t.report, ctx.Err()
		}
		if err := trial.run(t, trial); err != nil {
			return t.report, err
		}
		t.report.Trials++
		if done != nil {
			done(i+1, len(all))
		}
	}
	t.left(before)
	return t.report, nil
}

type torture struct {
	Subject
	ctx       context.Context
	reference hooks.Decision // of the payload, undisturbed
	report    Report
	mu        sync.Mutex
}

// outcome is what one run did.
type outcome struct {
	ran      bool
	skipped  string
	decision hooks.Decision
	failed   string
	timedOut bool
	stdout   []byte
	took     time.Duration
}

// home is where the hook runs undisturbed.
func (t *torture) home() Place {
	return Place{Dir: t.Dir, Env: map[string]string{"TMPDIR": t.Temp}}
}

func (t *torture) fire(at Place, payload []byte) (outcome, error) {
	return t.fireWith(t.Config, at, payload)
}

func (t *torture) fireWith(c hooks.Config, at Place, payload []byte) (outcome, error) {
	r, err := inspect.Fire(
		t.ctx, &hooks.Engine{Config: c, Runner: t.Runner(at), Origin: hooks.Origin{Cwd: at.Dir, ProjectDir: at.Dir}}, payload)
	if err != nil || len(r.Runs) == 0 {
		return outcome{}, err
	}
	run := r.Runs[0]
	return outcome{
		ran: run.Ran(), skipped: run.Skipped, decision: run.Decision, failed: run.Failed, timedOut: run.TimedOut,
		stdout: run.Exit.Stdout, took: run.Exit.Duration,
	}, nil
}

func (t *torture) find(class, trial, format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f := Finding{class, trial, fmt.Sprintf(format, args...)}
	if !slices.Contains(t.report.Findings, f) {
		t.report.Findings = append(t.report.Findings, f)
	}
}

// judge reports what a run shows without any other.
func (t *torture) judge(trial string, o outcome) {
	if !o.ran {
		return
	}
	open := t.Guard && t.Config.Hooks[0].OnError != "block" && o.decision == hooks.Proceed
	switch {
	case o.failed != "" && open:
		t.find(FailOpen, trial, "%s, and the action goes on", o.failed)
	case o.failed != "":
		t.find(Crash, trial, "%s", o.failed)
	}
	if text := bytes.TrimSpace(o.stdout); len(text) > 0 && text[0] == '{' && !json.Valid(text) {
		t.find(NoJSON, trial, "it prints an object that is not valid JSON: %.60s", text)
	}
}

// same finds a run that decided differently than it does undisturbed.
func (t *torture) same(class, trial string, o outcome) {
	if !o.ran || o.failed != "" || o.decision == t.reference {
		return
	}
	if t.report.Refuses && o.decision == hooks.Proceed {
		class = FailOpen
	}
	t.find(class, trial, "undisturbed it says %s, here %s", t.reference, o.decision)
}

// files are those of the project and of the folder for temporary ones, with
// their sizes left out: a log may grow.
func (t *torture) files() map[string]bool {
	const most = 20_000
	found := map[string]bool{}
	for _, root := range []string{t.Dir, t.Temp} {
		_ = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error { // what cannot be read is not compared
			switch {
			case err != nil || len(found) >= most:
				return filepath.SkipDir
			case d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules"):
				return filepath.SkipDir
			}
			found[path] = true
			return nil
		})
	}
	return found
}

// left reports files and processes that were not there before.
func (t *torture) left(before map[string]bool) {
	var more []string
	for path := range t.files() {
		if !before[path] {
			more = append(more, path)
		}
	}
	slices.Sort(more)
	if n := len(more); n > 0 {
		t.find(Files, "all", "%d files and folders are left, such as %s", n,
			strings.TrimPrefix(strings.TrimPrefix(more[n-1], t.Dir+"/"), t.Temp+"/"))
	}
	if n := t.Left(); n > 0 {
		t.find(Processes, "all", "%d processes are left that hold its streams open", n)
	}
}

// Fails reports whether a report says that onError: block would help.
func (r Report) Fails() bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Class == FailOpen })
}

// Write is the report for people.
func (r Report) Write(name string) string {
	var b strings.Builder
	in := "lets its payload pass"
	if r.Refuses {
		in = "refuses its payload"
	}
	fmt.Fprintf(&b, "%s %s undisturbed; %s\n", name, in, text.Plural(r.Trials, "trial"))
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "  %-14s %s: %s\n", f.Class, f.Trial, f.Detail)
	}
	if len(r.Findings) == 0 {
		b.WriteString("  it survived all of them\n")
	}
	return b.String()
}

// SampleFor is a payload of the event that the hook's matcher lets through.
func SampleFor(c hooks.Config, ev protocol.Event, tools []string) ([]byte, error) {
	subjects := tools
	if !ev.IsTool() {
		subjects = append([]string{""}, ev.Triggers()...)
	}
	if ev.IsAgent() { // they have the names that its matcher gives them
		for _, h := range c.Hooks {
			subjects = append(subjects, strings.FieldsFunc(h.Matcher, func(r rune) bool {
				return strings.ContainsRune("^$()|, ", r)
			})...)
		}
	}
	for _, tool := range subjects {
		payload, err := inspect.Sample(ev, tool)
		if err != nil {
			return nil, err
		}
		r, err := inspect.Fire(context.Background(), &hooks.Engine{Config: c, Runner: nobody{}}, payload)
		if err == nil && len(r.Runs) > 0 && r.Runs[0].Ran() {
			return payload, nil
		}
	}
	return nil, fmt.Errorf("the hook runs for none of %s: give it a payload", strings.Join(subjects, ", "))
}

// nobody runs nothing.
type nobody struct{}

func (nobody) Run(context.Context, hooks.Hook, hooks.Payload, []string) hooks.Exit {
	return hooks.Exit{}
}
