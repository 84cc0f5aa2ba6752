// Package torture finds out whether a hook survives valid but unpleasant payloads, many
// runs at once, another folder, another locale, no home directory, or a timeout half-way.
// What the hook does is compared with what it does undisturbed.
//
//	payload, err := torture.SampleFor(c, protocol.BeforeTool, config.BuiltinTools())
//	r, err := torture.Torture(ctx, torture.Subject{Config: c, Payload: payload, ...}, nil)
//	fmt.Print(r.Write("guard"))
//
// Hooks run through the Runner that the caller passes, which also confines them.
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
	// Crash means that the hook failed.
	Crash = "crash"
	// FailOpen means that something it refuses undisturbed went on, or would have.
	FailOpen = "fail-open"
	// NoJSON means that it printed an object that is not valid JSON.
	NoJSON = "no JSON"
	// Injection means that a payload was run as a command.
	Injection = "injection"
	// Order means that concurrent runs disturb each other.
	Order = "side by side"
	// Differs means that a second run, or an irrelevant change, gives another answer.
	Differs = "not idempotent"
	// Files means that it leaves files behind.
	Files = "files"
	// Processes means that it leaves processes behind.
	Processes = "processes"
	// Elsewhere means that it depends on where it runs.
	Elsewhere = "place"
	// Growth means that its time grows faster than the payload.
	Growth = "growth"
)

// Place is where a hook runs.
type Place struct {
	// Dir is the working directory.
	Dir string
	// Env holds changes to the environment; an empty value removes a variable.
	Env map[string]string
}

// Subject is the hook that is tortured, and how.
type Subject struct {
	// Config must hold only the hook.
	Config hooks.Config
	// Dir is the project. New files in it are reported.
	Dir string
	// Temp is an empty folder, which the hook gets as TMPDIR. New files in it are
	// reported.
	Temp string
	// Runner returns a Runner for a place. It is required.
	Runner func(Place) hooks.Runner
	// Left returns the number of processes that are left behind now. It is required.
	Left func() int
	// Payload is one that the hook refuses, or any that it runs for; see [SampleFor].
	Payload []byte
	// Timeout, if not 0, lowers the hook's own timeout.
	Timeout time.Duration
	// Guard says that the hook can refuse, so that a failure which lets the action go on
	// is FailOpen.
	Guard bool
	// Heavy is the size of the largest payload, in bytes.
	Heavy int
	// Most is the number of concurrent runs.
	Most int

	// Match selects trials by their names; nil means all.
	Match *regexp.Regexp
}

// Finding is one thing that went wrong.
type Finding struct {
	// Class is one of the constants.
	Class string `json:"class"`
	// Trial is the name of the trial; "all" for what was left behind at the end.
	Trial string `json:"trial"`
	// Detail says what happened, for people.
	Detail string `json:"detail"`
}

// Report is the outcome of all trials.
type Report struct {
	// Trials is the number of trials that were run.
	Trials int `json:"trials"`
	// Refuses says that the hook refuses the payload, or asks, undisturbed.
	Refuses bool `json:"refuses"`
	// Findings lists what went wrong, each once, in the order of the trials.
	Findings []Finding `json:"findings"`
}

// Torture runs the trials, one after the other. It may change the timeout in s.Config.
// done, if not nil, is called after each trial with the number of finished ones. The
// error is for a payload for which the hook does not run, for a Match that selects
// nothing, and for the end of ctx; what the hook does wrong is in the report.
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

// torture is one test of a hook. mu guards the report, because one trial runs the hook
// many times at once.
type torture struct {
	Subject
	ctx       context.Context
	reference hooks.Decision // the decision on the undisturbed payload
	report    Report
	mu        sync.Mutex
}

// outcome is the result of one run.
type outcome struct {
	ran      bool
	skipped  string
	decision hooks.Decision
	failed   string
	timedOut bool
	stdout   []byte
	took     time.Duration
}

// home returns the place of undisturbed runs.
func (t *torture) home() Place {
	return Place{Dir: t.Dir, Env: map[string]string{"TMPDIR": t.Temp}}
}

// fire runs the hook once on a payload in a place.
func (t *torture) fire(at Place, payload []byte) (outcome, error) {
	return t.fireWith(t.Config, at, payload)
}

// fireWith is fire with another configuration of the hook. The outcome is zero if no
// hook is configured for the event. The error is as in [inspect.Fire].
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

// find adds a finding, unless the report has the same already.
func (t *torture) find(class, trial, format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f := Finding{class, trial, fmt.Sprintf(format, args...)}
	if !slices.Contains(t.report.Findings, f) {
		t.report.Findings = append(t.report.Findings, f)
	}
}

// judge reports faults that one run shows by itself.
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

// same reports a run whose decision differs from the undisturbed one.
func (t *torture) same(class, trial string, o outcome) {
	if !o.ran || o.failed != "" || o.decision == t.reference {
		return
	}
	if t.report.Refuses && o.decision == hooks.Proceed {
		class = FailOpen
	}
	t.find(class, trial, "undisturbed it says %s, here %s", t.reference, o.decision)
}

// files returns the files in the project and in the temporary folder. It ignores their
// sizes, because a log may grow.
func (t *torture) files() map[string]bool {
	const most = 20_000
	found := map[string]bool{}
	for _, root := range []string{t.Dir, t.Temp} {
		_ = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error { // unreadable files are not compared
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

// left reports files and processes that did not exist before.
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

// Fails reports whether a finding is FailOpen, for which onError "block" would help.
func (r Report) Fails() bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Class == FailOpen })
}

// Write returns the report as text for people; name is the hook's. It has one line for
// each finding, after a line with the number of trials.
func (r Report) Write(name string) string {
	var b strings.Builder
	in := "allows its payload"
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

// SampleFor returns a sample payload of ev for which the hook in c runs, by its matcher
// and condition. tools are tried for tool events. It runs nothing. It is an error if
// there is none.
func SampleFor(c hooks.Config, ev protocol.Event, tools []string) ([]byte, error) {
	subjects := tools
	if !ev.IsTool() {
		subjects = append([]string{""}, ev.Triggers()...)
	}
	if ev.IsAgent() { // try the names in the matcher, since users name agents themselves
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
		r, err := inspect.Fire(context.Background(), &hooks.Engine{Config: c, Runner: hooks.ByKind{}}, payload)
		if err == nil && len(r.Runs) > 0 && r.Runs[0].Ran() {
			return payload, nil
		}
	}
	return nil, fmt.Errorf("the hook runs for none of these: %s. Give it a payload that it runs for",
		strings.Join(subjects, ", "))
}
