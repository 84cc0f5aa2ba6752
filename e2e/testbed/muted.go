package testbed

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"minigem/hooks"
	"minigem/hooks/author/attack"
	"minigem/hooks/author/inspect"
	"minigem/hooks/config"
	"minigem/hooks/protocol"
	"minigem/internal/boundedfile"
)

// Every hook of a run must be noticed by a case if its program does nothing: an assertion
// that holds needs more of it than silence, or a case fails when this one hook is muted.

// hookRan is a hook that ran in a case.
type hookRan struct {
	id, name string      // id: the same in each case that has the hook
	proved   bool        // the case notices it, or that cannot be known
	lets     bool        // it let something pass
	refuses  string      // why it seems to refuse everything; empty: it does not
	meant    bool        // it refuses in words of its own
	mute     func() bool // runs the case with it muted, and reports whether it fails; nil: it does not run again
}

// Settle judges the hooks of all results, which are those of one run, by what its cases
// prove together. What no case notices is reported with each case that has it; with
// strict that is a failure.
func Settle(all []*Result, strict bool) {
	proved, lets, open := map[string]bool{}, map[string]bool{}, map[string][]hookRan{}
	for _, r := range all {
		for _, h := range r.hooks {
			proved[h.id], lets[h.id] = proved[h.id] || h.proved, lets[h.id] || h.lets
			open[h.id] = append(open[h.id], h)
		}
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	free := make(chan struct{}, min(runtime.GOMAXPROCS(0), mostJobs()))
	for id, cases := range open {
		if proved[id] {
			continue
		}
		free <- struct{}{}
		wg.Go(func() {
			noticed := slices.ContainsFunc(cases, func(h hookRan) bool { return h.mute != nil && h.mute() })
			mu.Lock()
			defer mu.Unlock()
			proved[id] = noticed
			<-free
		})
	}
	wg.Wait()
	for _, r := range all {
		r.settle(proved, lets, strict)
	}
}

// settle reports the hooks of r that are not proved, and those that let nothing pass.
func (r *Result) settle(proved, lets map[string]bool, strict bool) {
	var vacuous []string
	if r.idle != "" && !slices.ContainsFunc(r.hooks, func(h hookRan) bool { return proved[h.id] }) {
		vacuous = append(vacuous, r.idle)
	}
	for _, h := range r.hooks {
		switch {
		case !proved[h.id] && r.idle == "":
			vacuous = append(vacuous, fmt.Sprintf("no case fails if %s does nothing: assert what it decides or changes (fired "+
				"EVENT HOOK decision=deny, file PATH ~TEXT), or add a case that does", h.name))
		case h.refuses == "" || lets[h.id]:
		case h.meant:
			r.Notes = append(r.Notes, h.refuses+": no case shows what it lets through")
			lets[h.id] = true // once is enough
		default:
			vacuous = append(vacuous, h.refuses)
		}
	}
	if slices.ContainsFunc(r.Checks, func(c Check) bool { return c.Vacuous != "" }) {
		return // it is known already
	}
	for _, why := range vacuous {
		r.add(Check{Where: r.Case.Path, Passed: true, Vacuous: why}, strict)
	}
}

// open reports whether other cases decide on what r proves.
func (r Result) open() bool {
	return slices.ContainsFunc(r.hooks, func(h hookRan) bool { return !h.proved || h.refuses != "" })
}

// findHooks says in res which hooks its case is about: those that ran, or all where none
// did and nothing asks for that.
func (r *runner) findHooks(res *Result) {
	rec := res.Record
	asks := func(c Command) bool { return c.verb.name == "not-fired" && !c.negative() || c.attacks(nil) }
	if h := rec.idle(); h != nil && len(r.failures) == 0 && !slices.ContainsFunc(rec.commands, asks) {
		res.idle = rec.shorten(fmt.Sprintf("no hook ran: %s: %s", h.ID(), rec.whyNot(string(h.Event), h.ID())))
	}
	c, o, run := res.Case, r.o, !proof{rec}.intervened()
	// A terminal would wait for what never comes, and an agent takes long.
	unknown := len(r.failures) > 0 || r.columns > 0 || o.Encloses
	known := map[string]bool{}
	for _, h := range rec.Config.Hooks {
		key := rec.keyOf(h)
		if known[key] {
			continue
		}
		known[key] = true
		is := func(run hooks.Run) bool { return run.Ran() && rec.keyOf(run.Hook) == key }
		has := func(f func(hooks.Run) bool) bool {
			return slices.ContainsFunc(rec.Reports, func(rep hooks.Report) bool {
				return slices.ContainsFunc(rep.Runs, func(run hooks.Run) bool { return is(run) && f(run) })
			})
		}
		held := slices.ContainsFunc(rec.commands, func(c Command) bool { return c.attacks(&h) })
		ran := has(hooks.Run.Ran)
		if !ran && !held && res.idle == "" {
			continue
		}
		x := hookRan{id: fmt.Sprintf("%x", sha256.Sum256([]byte(key+source(rec, h)))), name: rec.shorten(h.Label()),
			lets:    has(func(run hooks.Run) bool { return run.Decision == hooks.Proceed && run.Failed == "" }),
			refuses: r.refuses[key].why, meant: r.refuses[key].meant,
			proved: unknown || held || ran && rec.needs(is)}
		if ran && !x.proved {
			x.mute = func() bool { return mutedFails(r.ctx, c, o, key, run) }
		}
		res.hooks = append(res.hooks, x)
	}
}

// keyOf is h, the same in each run of its case.
func (r *Record) keyOf(h hooks.Hook) string {
	return r.shorten(fmt.Sprint(h.Event, "\x00", h.Matcher, "\x00", h.Target()))
}

// needs reports whether an assertion that holds would not, had the runs of one hook been
// silent.
func (r *Record) needs(is func(hooks.Run) bool) bool {
	silent := *r
	silent.Reports = slices.Clone(r.Reports)
	for i := range silent.Reports {
		rep, others := &silent.Reports[i], false
		rep.Runs = slices.Clone(rep.Runs)
		for j, run := range rep.Runs {
			if is(run) {
				rep.Runs[j] = hooks.Run{Hook: run.Hook, Matched: true, Stdin: run.Stdin}
			}
			others = others || run.Ran() && !is(run)
		}
		if !others {
			rep.Effect, rep.Verdict = hooks.Effect{Kind: hooks.EffectNone}, hooks.Verdict{}
		}
	}
	return slices.ContainsFunc(r.commands, func(c Command) bool {
		return slices.Contains([]string{"fired", "event", "watches"}, c.verb.name) && r.unasked(c) == "" &&
			r.holds(c) && !silent.holds(c)
	})
}

// holds reports whether c is fulfilled.
func (r *Record) holds(c Command) bool {
	v := c.verb.judge(r, c)
	return v.ok != c.Negated && !v.invalid
}

// attacks reports whether c asserts that h holds, or any hook if h is nil.
func (c Command) attacks(h *hooks.Hook) bool {
	least, _ := bound(c, "min", 100) // it was checked
	return c.verb.name == "holds" && !c.Negated && least > 0 && (h == nil || IsHook(*h, c.Args[0]))
}

// mutedFails runs c again with one hook muted, and reports whether it fails. Unless run is set,
// commands of the model are answered and not run: what the hook refused stays undone.
func mutedFails(ctx context.Context, c *Case, o Options, key string, run bool) bool {
	why := "a hook is muted"
	if run {
		why = ""
	}
	again, err := playAgain(ctx, c, o, why, func(r *runner) { r.muted = key })
	return err != nil || len(again.failures) > 0 || again.skipped != "" ||
		slices.ContainsFunc(again.checks, func(c Check) bool { return !c.Passed })
}

// playAgain plays c again as change has changed its runner. Commands of the model are answered
// with notRun, or run if it is empty.
func playAgain(ctx context.Context, c *Case, o Options, notRun string, change func(*runner)) (*runner, error) {
	o.Keep, o.Update, o.prepared = "", false, nil
	r := newRunner(c, o)
	change(r)
	defer r.cleanUp(&Result{})
	if err := r.prepare(); err != nil {
		return nil, err
	}
	r.enclose()
	defer r.release()
	r.setup.NotRun = cmp.Or(r.setup.NotRun, notRun)
	r.play(context.WithoutCancel(ctx))
	return r, nil
}

// source is h's command and the text of the files that it names.
func source(r *Record, h hooks.Hook) string {
	text := h.Line()
	for _, file := range config.FilesNamed(h, r.Workspace, map[string]string{"HOME": r.Home}) {
		data, _ := boundedfile.Read(file, boundedfile.Kept) // what cannot be read says nothing
		text += "\n" + string(data)
	}
	return text
}

// exits finds where a line of a program ends by exiting with 2.
var exits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?im)exit\w*[ (=]+2\b\W*$`) })

// phrase finds the words of a message.
var phrase = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\pL+(?: \pL+)+ ?`) })

// ownWords reports whether what h printed begins or ends with words of its program or has a
// phrase of it, or its program exits with 2 where it prints nothing.
func ownWords(r *Record, h hooks.Hook, printed string) bool {
	source := source(r, h)
	if printed == "" {
		return exits().MatchString(source)
	}
	const long = 12
	n := min(len(printed), long)
	return strings.Contains(source, printed[:n]) || strings.Contains(source, printed[len(printed)-n:]) ||
		slices.ContainsFunc(phrase().FindAllString(printed, -1), func(words string) bool {
			for i := 0; i+long <= len(words); i++ {
				if strings.Contains(source, words[i:i+long]) {
					return true
				}
			}
			return false
		})
}

// refusal says of a hook that seems to refuse everything how.
type refusal struct {
	why   string // empty: it does not, or that is not known
	meant bool   // it does so in words of its own
}

// refusesAll says of a hook that denied whether it denies a harmless call, too.
func refusesAll(r *runner, rep hooks.Report, run hooks.Run, asserted bool) refusal {
	rec, printed := r.rec.soFar(), strings.TrimSpace(string(run.Exit.Stdout)+string(run.Exit.Stderr))
	if r.firer == nil || rep.Event != protocol.BeforeTool && rep.Event != protocol.BeforeAgent {
		return refusal{}
	}
	only, _ := attack.Only(rec.Config, rep.Event, run.Hook.ID()) // it ran
	harmless, _ := inspect.Sample(rep.Event, rep.Subject)        // both events have one
	again, _ := inspect.Fire(context.WithoutCancel(r.ctx), r.firer.Engine(only), harmless)
	if len(again.Runs) != 1 || again.Runs[0].Decision != hooks.Deny {
		return refusal{}
	}
	why := fmt.Sprintf("%s refuses a harmless call, too", run.Hook.ID())
	if asserted || exitOf(run) != "exit 2" || strings.HasPrefix(printed, "{") || ownWords(rec, run.Hook, printed) {
		return refusal{why, true}
	}
	if !bytes.Equal(again.Runs[0].Exit.Stderr, run.Exit.Stderr) {
		return refusal{}
	}
	return refusal{why: fmt.Sprintf("%s, with exit 2 and %q, which its program does not say: is it broken? If that is meant, "+
		"assert its reason", why, oneLine(printed, 200))}
}
