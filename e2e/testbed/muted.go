package testbed

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"regexp"
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

// Some case must notice if the program of a hook does nothing: either an assertion that
// holds requires output from it, or a case fails when this one hook is muted.

// hookRan is a hook that ran in a case.
type hookRan struct {
	id, name string // id: equal in each case that has the hook
	proved   bool   // a case notices it, or that cannot be determined
	lets     bool   // it let something pass
	refuses  refusal
	mutes    []func() bool // run a case with the hook muted, and report whether it fails
}

// Settle judges the hooks of all results of one run by what their cases prove together. A
// hook that no case notices is reported with each case that has it. If strict is set, that
// is a failure.
func Settle(all []*Result, strict bool) {
	known := map[string]*hookRan{}
	for _, r := range all {
		for i, h := range r.hooks {
			if k := known[h.id]; k != nil {
				k.proved, k.lets, k.mutes = k.proved || h.proved, k.lets || h.lets, append(k.mutes, h.mutes...)
				r.hooks[i] = k
			} else {
				known[h.id] = h
			}
		}
	}
	for _, h := range known {
		h.proved = h.proved || slices.ContainsFunc(h.mutes, func(fails func() bool) bool { return fails() })
	}
	for _, r := range all {
		r.settle(strict)
	}
}

// settle reports the hooks of r that are not proved, and those that let nothing pass.
func (r *Result) settle(strict bool) {
	var vacuous []string
	if r.idle != "" && !slices.ContainsFunc(r.hooks, func(h *hookRan) bool { return h.proved }) {
		vacuous = []string{r.idle}
	}
	for _, h := range r.hooks {
		switch {
		case !h.proved && r.idle == "":
			vacuous = append(vacuous, fmt.Sprintf("no case fails if %s does nothing: assert what it decides or changes (fired "+
				"EVENT HOOK decision=deny, file PATH ~TEXT), or add a case that does", h.name))
		case h.refuses.why == "" || h.lets:
		case h.refuses.meant && r.Passed():
			r.Notes = append(r.Notes, h.refuses.why+": no case shows what it lets through")
		case !h.refuses.meant:
			vacuous = append(vacuous, h.refuses.why)
		}
		h.refuses.why = "" // report it once
	}
	if slices.ContainsFunc(r.Checks, func(c Check) bool { return c.Vacuous != "" }) {
		return // reported already
	}
	for _, why := range vacuous {
		r.add(Check{Where: r.Case.Path, Passed: true, Vacuous: why}, strict)
	}
}

// open reports whether r has hooks that other cases may still prove.
func (r Result) open() bool {
	return slices.ContainsFunc(r.hooks, func(h *hookRan) bool { return !h.proved || h.refuses.why != "" })
}

// findHooks sets in res the hooks that its case is about: those that ran or are attacked,
// or all hooks if none ran and no assertion is about that.
func (r *runner) findHooks(res *Result) {
	rec := res.Record
	about := func(is func(Command) bool) bool { return slices.ContainsFunc(rec.commands, is) }
	if h := rec.idle(); h != nil && len(r.failures) == 0 && !about(func(c Command) bool {
		return c.verb.name == "not-fired" && !c.negative()
	}) {
		res.idle = rec.shorten(fmt.Sprintf("no hook ran: %s: %s", h.ID(), rec.whyNot(string(h.Event), h.ID())))
	}
	why := ""
	if (proof{rec}).intervened() { // what a hook blocked must not happen when it is muted
		why = "a hook is muted"
	}
	known := map[string]*hookRan{}
	for _, h := range rec.Config.Hooks {
		key := keyOf(rec, h)
		held := about(func(c Command) bool { return c.attacks(h.ID()) })
		ran := false
		x := &hookRan{id: key + source(rec, h), name: rec.shorten(h.Label()), refuses: r.refuses[key]}
		for _, run := range started(rec) {
			if keyOf(rec, run.Hook) == key {
				ran, x.lets = true, x.lets || run.Decision == hooks.Proceed && run.Failed == ""
			}
		}
		if known[key] != nil || !ran && !held && res.idle == "" {
			continue
		}
		known[key] = x
		res.hooks = append(res.hooks, x)
		// In a terminal the rerun would wait in vain, and another agent takes long.
		x.proved = held || len(r.failures) > 0 || r.columns > 0 || r.o.Encloses || needs(rec, key)
		if ran && !x.proved {
			x.mutes = append(x.mutes, func() bool { return fails(r, res.Case, key, why) })
		}
	}
}

// keyOf identifies h across the runs of its case.
func keyOf(r *Record, h hooks.Hook) string {
	return r.shorten(fmt.Sprint(h.Event, "\x00", h.Matcher, "\x00", h.Target()))
}

// needs reports whether some assertion that holds would fail if the runs of one hook had
// been silent.
func needs(r *Record, key string) bool {
	silent := *r
	silent.Reports = slices.Clone(r.Reports)
	for i := range silent.Reports {
		rep, alone := &silent.Reports[i], true
		rep.Runs = slices.Clone(rep.Runs)
		for j, run := range rep.Runs {
			if is := keyOf(r, run.Hook) == key; is && run.Ran() {
				rep.Runs[j] = hooks.Run{Hook: run.Hook, Matched: true, Stdin: run.Stdin}
			} else if run.Ran() {
				alone = false
			}
		}
		if alone {
			rep.Effect, rep.Verdict = hooks.Effect{Kind: hooks.EffectNone}, hooks.Verdict{}
		}
	}
	return slices.ContainsFunc(r.commands, func(c Command) bool {
		return slices.Contains([]string{"fired", "event", "watches"}, c.verb.name) && r.unasked(c) == "" &&
			fulfilled(r, c) && !fulfilled(&silent, c)
	})
}

// fulfilled reports whether c holds.
func fulfilled(r *Record, c Command) bool {
	v := c.verb.judge(r, c)
	return v.ok != c.Negated && !v.invalid
}

// attacks reports whether c asserts that the hook with this ID holds.
func (c Command) attacks(id string) bool {
	least, _ := bound(c, "min", 100) // checked when the case was read
	return c.verb.name == "holds" && !c.Negated && least > 0 && IsHook(hooks.Hook{Name: id, Command: id}, c.Args[0])
}

// fails reruns c like [runner.again] and reports whether it fails.
func fails(r *runner, c *Case, muted, notRun string) bool {
	again, err := r.again(c, muted, notRun)
	return err != nil || len(again.failures) > 0 || again.skipped != "" ||
		slices.ContainsFunc(again.checks, func(c Check) bool { return !c.Passed })
}

// again reruns c with one hook muted, or without hooks if muted is "*". If notRun is not
// empty, the model's commands get it as their answer and are not run.
func (r *runner) again(c *Case, muted, notRun string) (*runner, error) {
	o := r.o
	o.Keep, o.Update, o.prepared = "", false, nil
	again := newRunner(c, o)
	again.muted, again.attacks = muted, r.attacks
	defer again.cleanUp(&Result{})
	if err := again.prepare(); err != nil {
		return nil, err
	}
	again.enclose()
	defer again.release()
	again.setup.NotRun = cmp.Or(again.setup.NotRun, notRun)
	again.play(context.WithoutCancel(r.ctx))
	return again, nil
}

// source returns h's command and the text of the files that it names.
func source(r *Record, h hooks.Hook) string {
	text := h.Line()
	for _, file := range config.FilesNamed(h, r.Workspace, map[string]string{"HOME": r.Home}) {
		data, _ := boundedfile.Read(file, boundedfile.Kept) // unreadable files are skipped
		text += "\n" + string(data)
	}
	return text
}

// exits matches a line of a program that ends by exiting with 2.
var exits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?im)exit\w*[ (=]+2\b\W*$`) })

// ownWords reports whether h's output begins or ends with text from its program, or
// contains some of it. If h printed nothing, it reports whether the program exits with 2.
func ownWords(r *Record, h hooks.Hook, printed string) bool {
	source, n := source(r, h), min(len(printed), 12)
	for i := 0; i+n <= len(printed) && n > 0; i++ {
		words := printed[i : i+n]
		if strings.Contains(source, words) && (i == 0 || i+n == len(printed) || !strings.ContainsAny(words, `/-:."'`)) {
			return true
		}
	}
	return n == 0 && exits().MatchString(source)
}

// refusal describes how a hook seems to refuse everything.
type refusal struct {
	why   string // empty if it does not, or if that is not known
	meant bool   // it refuses with words from its own program
}

// refusesAll checks whether a hook that denied also denies a harmless call.
func refusesAll(r *runner, rep hooks.Report, run hooks.Run, asserted bool) refusal {
	rec, printed := r.rec.soFar(), strings.TrimSpace(string(run.Exit.Stdout)+string(run.Exit.Stderr))
	if r.firer == nil || rep.Event != protocol.BeforeTool && rep.Event != protocol.BeforeAgent {
		return refusal{}
	}
	only, _ := attack.Only(rec.Config, rep.Event, run.Hook.ID()) // the hook ran, so it is configured
	harmless, _ := inspect.Sample(rep.Event, rep.Subject)        // both events have a sample
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
	return refusal{why: fmt.Sprintf("%s, with exit 2 and %q, which its program does not say: is it broken? If that is "+
		"meant, assert its reason", why, oneLine(printed, 200))}
}
