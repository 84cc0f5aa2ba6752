package testbed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"minigem/hooks"
	"minigem/hooks/author/attack"
	"minigem/internal/confine"
)

// Options configures how cases are run. Without a Driver every case is broken, and its
// result says so.
type Options struct {
	Driver  Driver
	Chat    ChatDriver                  // for cases with a terminal; without it they cannot run
	Timeout time.Duration               // of cases that set none; 0 means 30 s
	Update  bool                        // rewrite the expected sections with the actual ones
	Keep    string                      // a folder in which the cases' folders are kept; empty: they are removed
	Lookup  func(string) (string, bool) // looks up the environment; nil for the process's own
	// Elsewhere means that Driver runs another program, which cannot be queried about
	// everything. Assertions that it cannot judge are left out.
	Elsewhere bool
	Encloses  bool   // Driver confines all that it runs; false: the case does
	Strict    bool   // fail cases for assertions that prove nothing
	Compare   bool   // [Settle] is called later, with the cases that have the same hooks
	From      *From  // where hooks come from; nil for the case itself
	Self      string // minigem's own program, which translates answers of hooks; may be empty

	prepared func(*place) error    // changes the files of a case before it begins; may be nil
	played   func(*place, *Record) // sees the outcome before its files are removed; may be nil
}

const defaultTimeout = 30 * time.Second

// Result is the outcome of a case.
type Result struct {
	Case     *Case
	Broken   error  // why the case file cannot be run, see SyntaxError; nil if it can
	Skipped  string // why it was not run; empty if it was
	Failures []Failure
	Checks   []Check // the outcome of each assertion, in order
	Record   *Record // nil if the case did not run
	Dir      string  // the case's folder, if it was kept
	Updated  bool    // the case file was rewritten
	Took     time.Duration
	Allowed  string   // what the case was allowed beyond its own folder
	Left     []string // command lines of processes that it left running and that were ended
	Runs     []Result // all runs, if the case ran more than once

	Notes []string // remarks on a case that passed

	hooks   []*hookRan
	refuses []refusal
}

// Passed reports whether everything was as the case says. A skipped case passes.
func (r Result) Passed() bool { return r.Broken == nil && len(r.Failures) == 0 }

// Failure is a deviation from what the case says.
type Failure struct {
	Where    string `json:"where"`              // file:line
	Command  string `json:"command,omitempty"`  // as written in the file; empty if the case as a whole failed
	Expected string `json:"expected,omitempty"` // may be empty
	Actual   string `json:"actual"`
	Detail   string `json:"detail,omitempty"` // what happened, for people: events, requests, differences; may be empty
}

// runner runs the script of one case.
type runner struct {
	o        Options
	c        *Case
	ctx      context.Context
	place    *place
	rec      *recorder
	session  Session
	firer    Firer // the newest session, even if it has ended; may be nil
	setup    Setup
	env      []string
	ask      bool      // the user can be asked
	columns  int       // of the terminal; 0 if there is none
	answers  []Command // the remaining queued answers
	timeout  time.Duration
	skipped  string
	failures []Failure
	checks   []Check
	muted    string // key of the muted hook; "*": all hooks; empty: none
	notRun   string // why no command of the model runs; empty if they do
	refuses  []refusal
	allows   allowance
	domain   *confine.Domain          // nil if nothing is confined
	unjudged string                   // why an assertion was left out
	attacks  map[string]attack.Report // cached results
}

// Run runs c and judges its assertions. If c cannot be run, the Result's Broken or Skipped
// says why.
func Run(ctx context.Context, c *Case, o Options) Result {
	began := time.Now()
	if c == nil || o.Driver == nil {
		return Result{
			Case: cmp.Or(c, &Case{}), Broken: errors.New("a case and Options.Driver are needed: e2e/hooktest has both")}
	}
	r := newRunner(c, o)
	res := Result{Case: c}
	defer r.cleanUp(&res)
	if err := r.prepare(); err != nil {
		res.Broken = err
		return res
	}
	if r.skipped != "" {
		res.Skipped = r.skipped
		return res
	}
	r.enclose()
	r.play(ctx)
	res.Left, res.Allowed = r.release(), r.allows.String()
	res.Record, res.Failures, res.Checks, res.Skipped = r.rec.soFar(), r.failures, r.checks, r.skipped
	if r.unjudged != "" && len(r.failures) == 0 && res.Skipped == "" {
		res.Skipped = r.unjudged
	}
	if res.Skipped == "" {
		r.unasked()
		res.Checks = r.checks
		res.vacuous(o.Strict)
		if res.Passed() {
			res.ignored()
		}
		if o.Compare && o.prepared == nil { // no hooks were mutated
			r.findHooks(&res)
		}
	}
	if !res.Passed() {
		res.Record.readPrograms()
	}
	if o.played != nil {
		o.played(r.place, res.Record)
	}
	res.Took = time.Since(began)
	if o.Update {
		res.Updated, res.Broken = c.rewrite(r.rec.r.updates)
	}
	return res
}

func newRunner(c *Case, o Options) *runner {
	r := &runner{o: o, c: c, timeout: o.Timeout, attacks: map[string]attack.Report{}}
	if r.timeout <= 0 {
		r.timeout = defaultTimeout
	}
	if r.o.Lookup == nil {
		r.o.Lookup = os.LookupEnv
	}
	r.rec = &recorder{}
	r.rec.r.file, r.rec.r.sections, r.rec.r.wants, r.rec.r.update = c.Path, c.files, c.wants, o.Update
	r.rec.r.updates = map[string][]byte{}
	r.rec.r.diff, r.rec.r.attack = r.diff, r.attack
	return r
}

// prepare makes the case's folder and executes the commands before its first session.
func (r *runner) prepare() error {
	var err error
	if r.place, err = newPlace(r.o.Keep, r.c.base()); err != nil {
		return err
	}
	if r.c, err = r.c.placed(r.place); err != nil {
		return err
	}
	if r.o.From == nil && r.c.bare != nil {
		return r.c.bare
	}
	r.rec.model, r.rec.r.rounds, r.rec.r.commands = newProvider(r.c), r.c.Rounds, r.c.Commands
	r.rec.r.Workspace, r.rec.r.Home = r.place.workspace, r.place.home
	r.setup = Setup{Workspace: r.place.workspace, Home: r.place.home, Trust: TrustOn, HooksOff: r.muted == "*"}
	if err := r.place.write(r.c.files); err != nil {
		return err
	}
	if r.setup.Servers, err = r.place.servers(r.c.servers); err != nil {
		return err
	}
	if err := r.bring(); err != nil {
		return err
	}
	if err := r.writePortable(); err != nil {
		return err
	}
	for _, cmd := range r.c.Commands {
		if cmd.begins() {
			break
		}
		if cmd.verb.Kind == setup {
			if err := cmd.verb.do(r, cmd); err != nil {
				return &SyntaxError{cmd.File, cmd.Line, err.Error()}
			}
		}
	}
	if !r.o.Elsewhere && r.skipped == "" {
		r.skipped = r.hookless()
	}
	if r.o.prepared != nil {
		return r.o.prepared(r.place)
	}
	return nil
}

func (r *runner) cleanUp(res *Result) {
	if r.place == nil {
		return // there is no case: Broken says why
	}
	if r.o.Keep != "" {
		res.Dir = r.place.top
		return
	}
	r.place.remove() // processes that the case left running may still write there
}

// play runs the script, starting with its first action.
func (r *runner) play(ctx context.Context) {
	ctx, cancel := context.WithTimeoutCause(ctx, r.timeout, fmt.Errorf("the case took longer than %s", r.timeout))
	defer cancel()
	r.ctx = ctx
	defer r.close()
	last := r.lastAction()
	begun := false
	defer r.findings()
	for i, cmd := range r.c.Commands {
		begun = begun || cmd.begins()
		r.look(cmd)
		switch cmd.verb.Kind {
		case assertion:
			if i > last {
				r.close()
			}
			r.assert(cmd)
		case setup:
			if !begun {
				continue // prepare ran it
			}
			fallthrough
		case action:
			err := cmd.verb.do(r, cmd)
			var cannot *CannotError
			if errors.As(err, &cannot) {
				r.skipped = cannot.Why
				return
			}
			if err != nil && !errors.Is(err, errLost) {
				r.failScreen(Failure{Where: cmd.Where(), Command: cmd.Source}, err)
			}
		}
		if r.timedOut(cmd) {
			return
		}
	}
	r.close()
	r.crashed()
	if !r.o.Elsewhere {
		r.modelFitted()
		r.rejected()
		r.misconfigured()
	}
}

// findings fails the case for what another program did wrong that no assertion covers.
func (r *runner) findings() {
	if r.rec.r.other == nil || r.skipped != "" {
		return
	}
	for _, text := range r.rec.r.other.Findings() {
		r.fail(Failure{Where: r.c.Path, Actual: text})
	}
}

func (r *runner) lastAction() int {
	for i, cmd := range slices.Backward(r.c.Commands) {
		if cmd.verb.Kind == action {
			return i
		}
	}
	return -1
}

func (r *runner) timedOut(cmd Command) bool {
	if r.ctx.Err() == nil {
		return false
	}
	f := Failure{Where: cmd.Where(), Command: cmd.Source, Actual: context.Cause(r.ctx).Error()}
	record := r.rec.soFar()
	for _, rep := range slices.Backward(record.Reports) {
		if slices.ContainsFunc(rep.Runs, func(run hooks.Run) bool { return run.Failed == "cancelled" }) {
			f.Detail = "this was running:\n" + Describe(rep, record.shorten)
			break
		}
	}
	r.fail(f)
	return true
}

// modelFitted checks that the model had neither too few nor too many answers.
func (r *runner) modelFitted() {
	if _, missing := r.rec.model.asOfNow(); missing != nil {
		r.fail(Failure{Where: r.c.Path, Expected: "an answer of the model for each request", Actual: missing.Error()})
		last := len(r.failures) - 1 // the other failures most likely result from it
		r.failures = slices.Insert(r.failures[:last:last], 0, r.failures[last])
		return
	}
	if len(r.failures) > 0 {
		return // that explains unused answers
	}
	for _, round := range r.rec.model.unused() {
		r.fail(Failure{
			Where: fmt.Sprintf("%s:%d", r.c.Path, round.Line), Expected: "each answer of the model to be asked for",
			Actual: "this one was never requested: the run ended before it, or there is one too many",
			Detail: r.rec.soFar().requestList(),
		})
	}
}

func (r *runner) fail(f Failure) {
	record := r.rec.soFar()
	f.Actual, f.Detail = record.shorten(f.Actual), record.shorten(f.Detail)
	for _, g := range r.failures {
		if g.Detail != "" {
			f.Detail = strings.Replace(f.Detail, g.Detail, "(what happened is shown above)\n", 1)
		}
	}
	r.failures = append(r.failures, f)
}

func (r *runner) assert(cmd Command) {
	check := Check{Where: cmd.Where(), Command: cmd.Source}
	defer func() { r.checks = append(r.checks, check) }()
	record := r.rec.soFar()
	if check.Unasked = record.unasked(cmd); check.Unasked != "" && r.o.Elsewhere ||
		r.muted != "" && cmd.verb.Name == "max-ms" { // being quick is no silence
		return
	}
	// In a run with a muted hook, these can be judged from what happened, even though the
	// command was not run.
	known := r.muted != "" && (!cmd.negative() || cmd.verb.Name == "tool-ran")
	if why := unrun(record, r.notRun, cmd); why != "" && !known {
		check.Unasked, r.unjudged = why, why
		return
	}
	v := cmd.verb.judge(record, cmd)
	if why := noAgent(record, cmd.Conds); why != "" {
		v.invalid, v.actual = true, why
	}
	check.Passed, check.Expected, check.Actual = v.ok != cmd.Negated && !v.invalid, v.expected, record.shorten(v.actual)
	if check.Passed {
		return
	}
	if v.more != nil {
		v.detail = v.more()
	}
	f := Failure{Where: cmd.Where(), Command: cmd.Source, Expected: v.expected, Actual: v.actual, Detail: v.detail}
	switch {
	case v.invalid:
		f.Expected = "everything it names to exist: otherwise it proves nothing"
	case cmd.Negated:
		f.Expected = "not: " + v.expected
	}
	r.fail(f)
}
