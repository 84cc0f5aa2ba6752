package testbed

import (
	"bytes"
	"context"
	"crypto/sha256"
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

// A case that passes without its hooks proves nothing about them, whatever it asserts.
// What a guard lets through passes without it, too, so that another case of the run may
// be the proof: one that has a hook in common and fails without it.

// Settle adds to r that its case passes without hooks, unless a result of all is the
// proof of one of them. With strict that is a failure.
func (r *Result) Settle(all []Result, strict bool) {
	proof := func(o Result) bool {
		return o.idle == "" && slices.ContainsFunc(o.hooks, func(id string) bool { return slices.Contains(r.hooks, id) })
	}
	if r.idle != "" && !slices.ContainsFunc(all, proof) {
		r.add(Check{Where: r.Case.Path, Passed: true, Vacuous: r.idle}, strict)
	}
}

// compareUnhooked says in res whether its case passes without hooks, and which hooks it
// is about: all that are configured if it does, else those that ran.
func compareUnhooked(r *runner, res *Result) {
	if slices.ContainsFunc(res.Checks, func(c Check) bool { return c.Vacuous != "" }) {
		return // it is reported, and no proof
	}
	rec := res.Record
	if res.Passed() && passesUnhooked(r, res.Case, rec) {
		res.idle = "the case passes without its hooks, too: say that one ran (fired EVENT HOOK), " +
			"or add a case that fails without it"
		if h := rec.idle(); h != nil {
			res.idle = rec.shorten(fmt.Sprintf("no hook ran: %s: %s", h.ID(), rec.whyNot(string(h.Event), h.ID())))
		}
	}
	for _, h := range rec.Config.Hooks {
		if res.idle != "" || rec.anyRan(string(h.Event), h.ID()) {
			id := []byte(rec.shorten(fmt.Sprint(h.Event, h.Matcher, source(rec, h))))
			res.hooks = append(res.hooks, fmt.Sprintf("%x", sha256.Sum256(id)))
		}
	}
}

// passesUnhooked reports whether the case passes without hooks. If a hook prevented or changed
// anything, commands of the model are answered and not run: what it refused stays undone.
func passesUnhooked(r *runner, c *Case, rec *Record) bool {
	switch {
	case len(rec.Config.Hooks) == 0 || slices.ContainsFunc(c.Commands, Command.needsRun):
		return false
	case rec.idle() != nil:
		return true
	case r.columns > 0 || r.o.Encloses:
		return false // it would wait for what never comes, or take as long as an agent
	}
	plain, err := r.unhooked(c, !proof{rec}.intervened())
	return err == nil && len(plain.failures) == 0 && plain.skipped == "" &&
		!slices.ContainsFunc(plain.checks, func(c Check) bool { return !c.Passed })
}

// unhooked plays c without hooks. Unless run is set, commands of the model are answered and
// not run.
func (r *runner) unhooked(c *Case, run bool) (*runner, error) {
	o := r.o
	o.Keep, o.Update, o.prepared = "", false, nil
	plain := newRunner(c, o)
	plain.hooksOff = true
	defer plain.cleanUp(&Result{})
	if err := plain.prepare(); err != nil {
		return nil, err
	}
	plain.enclose()
	defer plain.release()
	if !run {
		plain.setup.NotRun = "the case is run without hooks"
	}
	plain.play(context.WithoutCancel(r.ctx))
	return plain, nil
}

// needsRun reports whether c asks that a hook ran, or why it did not.
func (c Command) needsRun() bool { return !c.negative() && strings.HasSuffix(c.verb.name, "fired") }

// source is h's command and the text of the files that it names.
func source(r *Record, h hooks.Hook) string {
	text := h.Line()
	for _, file := range config.FilesNamed(h, r.Workspace, map[string]string{"HOME": r.Home}) {
		data, _ := boundedfile.Read(file, boundedfile.Kept) // what cannot be read says nothing
		text += "\n" + string(data)
	}
	return text
}

// exits finds where a program says itself that it ends with 2.
var exits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)exit\w*[ (=]+2\b`) })

// ownWords reports whether what h printed begins or ends with words of its program, or
// its program exits with 2 where it prints nothing.
func ownWords(r *Record, h hooks.Hook, printed string) bool {
	source, n := source(r, h), min(len(printed), 12)
	if printed == "" {
		return exits().MatchString(source)
	}
	return strings.Contains(source, printed[:n]) || strings.Contains(source, printed[len(printed)-n:])
}

// refusesAll says of a hook that denied by exit 2, in words that are not its own, that it
// exits so for a harmless call, too. It is empty if that is not so, or not known.
func refusesAll(r *runner, rep hooks.Report, run hooks.Run) string {
	rec, printed := r.rec.soFar(), strings.TrimSpace(string(run.Exit.Stdout)+string(run.Exit.Stderr))
	if r.firer == nil || exitOf(run) != "exit 2" || strings.HasPrefix(printed, "{") ||
		rep.Event != protocol.BeforeTool && rep.Event != protocol.BeforeAgent || ownWords(rec, run.Hook, printed) {
		return ""
	}
	only, _ := attack.Only(rec.Config, rep.Event, run.Hook.ID()) // it ran
	harmless, _ := inspect.Sample(rep.Event, rep.Subject)        // both events have one
	again, _ := inspect.Fire(context.WithoutCancel(r.ctx), r.firer.Engine(only), harmless)
	if len(again.Runs) != 1 || exitOf(again.Runs[0]) != "exit 2" ||
		!bytes.Equal(again.Runs[0].Exit.Stderr, run.Exit.Stderr) {
		return ""
	}
	return fmt.Sprintf("%s refuses a harmless call, too, with exit 2 and %q, which its program does not say: "+
		"is it broken? If that is meant, assert its reason", run.Hook.ID(), oneLine(printed, 200))
}
