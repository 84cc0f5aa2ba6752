package testbed

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"minigem/hooks"
	"minigem/hooks/author/inspect"
	"minigem/hooks/config"
	"minigem/hooks/protocol"
	"minigem/internal/boundedfile"
)

// Some case must notice if the program of a hook does nothing: either an assertion that
// holds requires output from it, or a case fails when this one hook is muted.

// hookRan is a hook of a case.
type hookRan struct {
	id, name string // id: equal in each case that has the hook
	idle     string // why it never ran; empty if it did
	proved   bool   // a case notices it, or that cannot be determined
	lets     []string
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
				k.proved, k.lets, k.mutes = k.proved || h.proved, append(k.lets, h.lets...), append(k.mutes, h.mutes...)
				if h.idle == "" {
					k.idle = ""
				}
				r.hooks[i] = k
			} else {
				known[h.id] = h
			}
		}
	}
	for _, h := range known {
		h.proved = h.proved || slices.ContainsFunc(h.mutes, func(fails func() bool) bool { return fails() })
	}
	told := map[string]bool{}
	for _, r := range all {
		r.settle(strict, told)
	}
}

// settle reports the hooks of r that are not proved, and those that let nothing pass,
// unless they are told already.
func (r *Result) settle(strict bool, told map[string]bool) {
	var vacuous []string
	for _, h := range r.hooks {
		if !h.proved && h.idle != "" {
			vacuous = append(vacuous, "no case reaches "+h.name+": "+h.idle)
		} else if !h.proved {
			vacuous = append(vacuous, fmt.Sprintf("no case fails if %s does nothing: assert what it decides or changes (fired "+
				"EVENT HOOK decision=deny, file PATH ~TEXT), or add a case that does", h.name))
		}
		for _, x := range r.refuses {
			if at := h.id + x.subject; !strings.HasPrefix(h.id, x.hook) || told[at] || slices.Contains(h.lets, x.subject) {
				continue
			} else if told[at] = true; !x.meant {
				vacuous = append(vacuous, x.why)
			} else if r.Passed() {
				r.Notes = append(r.Notes, x.why+": no case shows what it lets through")
			}
		}
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
	return len(r.refuses) > 0 || slices.ContainsFunc(r.hooks, func(h *hookRan) bool { return !h.proved })
}

// findHooks sets in res the hooks that its case is about: those that ran or are attacked,
// and those of which no assertion says that they do not run.
func (r *runner) findHooks(res *Result) {
	rec := res.Record
	about := func(is func(Command) bool) bool { return slices.ContainsFunc(rec.commands, is) }
	ran := rec.anyRan("", "*")
	none := rec.opening != nil || !ran && about(func(c Command) bool {
		return c.verb.Name == "not-fired" && !c.negative()
	})
	res.refuses = r.refuses
	known := map[string]bool{}
	for _, h := range rec.Config.Hooks {
		key, event := keyOf(rec, h), string(h.Event)
		held := about(func(c Command) bool { return c.attacks(h.ID()) })
		x := &hookRan{id: key + source(rec, h), name: rec.shorten(h.Label()), idle: rec.shorten(rec.whyNot(event, h.ID()))}
		for rep, run := range started(rec) {
			if keyOf(rec, run.Hook) == key {
				x.idle = ""
				if run.Decision == hooks.Proceed && run.Failed == "" && everything[rep.Effect.Kind] == "" && !retried(rep) {
					x.lets = append(x.lets, rep.Subject)
				}
			}
		}
		unseen := rec.other != nil && rec.other.Cannot("fired", []string{event, "*"}, nil) != ""
		if known[key] || x.idle != "" && !held && (none || unseen || ran && about(func(c Command) bool {
			no := c.verb.Name == "not-fired" && !c.Negated || c.verb.Name == "fired" && c.negative()
			return no && c.Args[0] == event && IsHook(h, c.Args[1])
		})) {
			continue
		}
		known[key] = true
		res.hooks = append(res.hooks, x)
		// Another agent takes long.
		x.proved = held || len(r.failures) > 0 || r.o.Encloses || needs(rec, key)
		if x.idle == "" && !x.proved {
			x.mutes = append(x.mutes, func() bool { return fails(r, res.Case, key) })
		}
	}
}

// retried reports whether an answer was sent back before, after which hooks let any pass.
func retried(rep hooks.Report) bool {
	return strings.Contains(rep.Input.String(), `"stop_hook_active":true`)
}

// keyOf identifies h across the runs of its case.
func keyOf(r *Record, h hooks.Hook) string {
	return r.shorten(fmt.Sprint(h.Event, "\x00", h.Matcher, "\x00", h.If, "\x00", h.Env, "\x00", h.Target(), "\x00"))
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
		return slices.Contains([]string{"fired", "event", "watches"}, c.verb.Name) && r.unasked(c) == "" &&
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
	return c.verb.Name == "holds" && !c.Negated && least > 0 && IsHook(hooks.Hook{Name: id, Command: id}, c.Args[0])
}

// muted is why a command of the model does not run in a muted rerun.
const muted = "a hook is muted"

// fails reruns c with one hook muted and reports whether it fails for that reason. What a
// hook prevented must not happen then: as soon as a call begins that did not begin in the
// case, no command runs. What fails because these commands do not run does not count.
func fails(r *runner, c *Case, key string) bool {
	had := r.rec.soFar().begun()
	again, err := r.again(c, key, func(again *Record, _ string) bool {
		return slices.ContainsFunc(again.begun(), func(call string) bool { return !slices.Contains(had, call) })
	})
	if err != nil {
		return true
	}
	these, withheld := failed(again), again.rec.soFar().withheld
	if len(these) == 0 || len(withheld) == 0 {
		return len(these) > 0
	}
	base, err := r.again(c, "none", func(_ *Record, command string) bool { return slices.Contains(withheld, command) })
	return err != nil || slices.ContainsFunc(these, func(f string) bool { return !slices.Contains(failed(base), f) })
}

// begun lists the calls that began.
func (r *Record) begun() []string {
	var out []string
	for _, s := range r.Started {
		out = append(out, r.shorten(s.Call.Name+compact(s.Call.Args)))
	}
	return out
}

// failed lists what failed or could not be judged.
func failed(r *runner) []string {
	var out []string
	if why := r.skipped + r.unjudged; why != "" {
		out = append(out, why)
	}
	for _, f := range r.failures {
		out = append(out, f.Where+f.Command+f.Expected)
	}
	return out
}

// again reruns c with one hook muted, or without hooks if mute is "*". The commands of the
// model for which withhold returns true get a refusal as their answer and are not run; nil
// runs them all.
func (r *runner) again(c *Case, mute string, withhold func(again *Record, command string) bool) (*runner, error) {
	o := r.o
	o.Keep, o.Update, o.prepared = "", false, nil
	again := newRunner(c, o)
	again.muted, again.attacks = mute, r.attacks
	defer again.cleanUp(&Result{})
	if err := again.prepare(); err != nil {
		return nil, err
	}
	if withhold != nil {
		again.setup.NotRun = func(command string) string {
			if withhold(again.rec.soFar(), command) {
				return again.rec.withhold(command, muted)
			}
			return ""
		}
	}
	again.enclose()
	defer again.release()
	again.play(context.WithoutCancel(r.ctx))
	return again, nil
}

// source returns h's command, which is equal in all cases that have the hook, and the text
// of the files that it names, and of more files.
func source(r *Record, h hooks.Hook, more ...string) string {
	text := r.shorten(h.Line())
	for _, file := range append(more, config.FilesNamed(h, r.Workspace, map[string]string{"HOME": r.Home})...) {
		data, _ := boundedfile.Read(file, boundedfile.Kept) // unreadable files are skipped
		text += "\n" + string(data)
	}
	return text
}

// exits matches a line of a program that ends by exiting with 2.
var exits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?im)exit\w*[ (=]+2\b\W*$`) })

// ownWords reports whether a hook's output begins or ends with text from its program, or
// contains some of it. If it printed nothing, it reports whether the program exits with 2.
func ownWords(source, printed string) bool {
	n := min(len(printed), 12)
	for i := 0; i+n <= len(printed) && n > 0; i++ {
		words := printed[i : i+n]
		if strings.Contains(source, words) && (i == 0 || i+n == len(printed) || !strings.ContainsAny(words, `/-:."'`)) {
			return true
		}
	}
	return n == 0 && exits().MatchString(source)
}

// refusal describes how a hook seems to act on everything.
type refusal struct {
	hook, subject string // the hook's key
	why           string
	meant         bool // it is no sign of a hook that is broken
}

// everything says of a hook that did the same to a harmless payload what it does.
var everything = map[string]string{
	hooks.EffectDeny: "refuses", hooks.EffectStop: "stops", hooks.EffectRetry: "sends back",
	hooks.EffectSynthetic: "answers", hooks.EffectReplace: "replaces", hooks.EffectRewrite: "gives the same arguments to",
}

// reads matches a program that reads its payload. One that does not acts on everything on
// purpose.
var reads = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(cat\b\s*[^> ]|stdin|read|jq|grep|sed|awk)`)
})

// refusesAll checks whether a hook that acted does the same to a harmless payload of its
// event: with the same tool, or the answer that it let pass when it was sent back.
func refusesAll(r *runner, rep hooks.Report, run hooks.Run, asserted bool) (out refusal) {
	rec, printed := r.rec.soFar(), strings.TrimSpace(string(run.Exit.Stdout)+string(run.Exit.Stderr))
	key, source := keyOf(rec, run.Hook), source(rec, run.Hook, r.setup.Servers[run.Hook.URL])
	harmless, err := inspect.Sample(rep.Event, rep.Subject)
	if r.firer == nil || err != nil || strings.Contains(source, "transcript") { // its transcript is gone
		return out
	}
	for later, passed := range started(rec) {
		if retried(later) && keyOf(rec, passed.Hook) == key && !acts(passed) {
			harmless, _ = inspect.Set(later.Input.Bytes(), "stop_hook_active=false")
		}
	}
	only := rec.Config.Config
	only.Hooks = []hooks.Hook{run.Hook}
	again, _ := inspect.Fire(context.WithoutCancel(r.ctx), r.firer.Engine(only), harmless)
	kind, same := again.Effect.Kind, func(e hooks.Effect) bool { return bytes.Equal(e.Before, e.After) }
	if everything[kind] == "" || kind != rep.Effect.Kind || again.Runs[0].Exit.Err != nil ||
		same(again.Effect) && !same(rep.Effect) { // a text without a secret stays what it was
		return out
	}
	said := again.Runs[0].Reading.Output.ToolInput
	if kind == hooks.EffectRewrite && (said == nil || compact(said) != compact(run.Reading.Output.ToolInput)) {
		return out
	}
	why := fmt.Sprintf("%s %s something harmless, too", rec.shorten(run.Hook.ID()), everything[kind])
	if asserted || exitOf(run) != "exit 2" || strings.HasPrefix(printed, "{") || ownWords(source, printed) ||
		rep.Event != protocol.BeforeTool && rep.Event != protocol.BeforeAgent {
		byTool := strings.Contains(source, "tool_name") && !strings.Contains(source, "tool_input")
		if byTool || !reads().MatchString(source) {
			return out
		}
		return refusal{key, rep.Subject, why, true}
	}
	if !bytes.Equal(again.Runs[0].Exit.Stderr, run.Exit.Stderr) {
		return out
	}
	return refusal{key, rep.Subject, fmt.Sprintf("%s, with exit 2 and %q, which its program does not say: is it broken? "+
		"If that is meant, assert its reason", why, oneLine(printed, 200)), false}
}
