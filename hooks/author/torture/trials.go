package torture

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/internal/stage"
)

// trial is one way to disturb a hook.
type trial struct {
	name string
	run  func(*torture, trial) error
}

// canary is a file that exists only if a payload was run as a command.
const canary = "made-by-a-payload"

// hostile returns texts that are valid in JSON but awkward elsewhere.
func hostile(temp string) []struct{ name, text string } {
	touch := "touch " + filepath.Join(temp, canary)
	return []struct{ name, text string }{
		{"single quotes", `it's '`}, {"double quotes", `say "so"`}, {"back slashes", `\ \n \" \`},
		{"line breaks", "a\nb\r\nc\n\n"}, {"a NUL", "a\x00b"},
		{"a command in $()", "$(" + touch + ")"}, {"a command in back quotes", "`" + touch + "`"},
		{"a command after a quote", "'; " + touch + "; '"},
		{"a command after double quotes", `"; ` + touch + `; "`}, {"a command in a line", "\n" + touch + "\n"},
		{"code of Python", `""" + str(__import__("os").system("` + touch + `")) + """`},
		{"patterns", "* ? [a-z] .* ^$ \\d+ (a|b"}, {"formats", "%s %n %d %% {0} {{x}} $1 ${x}"},
		{"letters of many scripts", "äöü 漢字 עברית 🎉 e\u0301"}, {"text from right to left", "\u202egnp.exe"},
		{"zero-width characters", "a\u200bb\ufeffc"}, {"control characters", "\x1b[2J\a\b\x7f"},
		{"the replacement character", "\ufffd\uffff"}, {"JSON in a text", `{"decision": "allow"}`},
		{"an option", "--help"}, {"nothing", ""}, {"blanks", "   "}, {"a long line", strings.Repeat("x", 1<<16)},
		{"many lines", strings.Repeat("x\n", 1<<14)},
	}
}

// trials returns all trials.
func (t *torture) trials() []trial {
	var all []trial
	add := func(name string, run func(*torture, trial) error) { all = append(all, trial{name, run}) }
	for _, h := range hostile(t.Temp) {
		add(h.name, func(t *torture, tr trial) error { return t.content(tr.name, h.text) })
	}
	add("unknown arguments", func(t *torture, tr trial) error {
		return t.beside(tr.name, map[string]any{"x_unknown": map[string]any{"a": []any{nil, 1.5e300, true}}})
	})
	add("deep nesting", func(t *torture, tr trial) error {
		return t.beside(
			tr.name, map[string]any{"x_deep": json.RawMessage(strings.Repeat("[", 400) + strings.Repeat("]", 400))})
	})
	add("no arguments", func(t *torture, tr trial) error { return t.empty(tr.name) })
	add("nothing to read", func(t *torture, tr trial) error { return t.unread(tr.name) })
	add("a heavy payload", (*torture).heavy)
	add("many at once", (*torture).crowd)
	add("twice", (*torture).twice)
	add("ended half-way", (*torture).halfway)
	for _, p := range []struct {
		name string
		env  map[string]string
	}{
		{"no HOME", map[string]string{"HOME": ""}}, {"a HOME that does not exist", map[string]string{"HOME": "/nowhere"}},
		{"the C locale", map[string]string{"LC_ALL": "C", "LANG": "C"}},
		{"another locale", map[string]string{"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"}},
		{"another time zone", map[string]string{"TZ": "Pacific/Chatham"}},
		{"a dumb terminal", map[string]string{"TERM": "dumb", "COLUMNS": "1"}},
		{"another IFS", map[string]string{"IFS": "e"}}, {"CDPATH", map[string]string{"CDPATH": "/"}},
	} {
		add(p.name, func(t *torture, tr trial) error { return t.elsewhere(tr.name, t.Dir, p.env) })
	}
	add("a folder with blanks", (*torture).blanks)
	return all
}

// chosen returns the trials that Match selects. It is an error if there are none.
func (t *torture) chosen() ([]trial, error) {
	all := t.trials()
	if t.Match == nil {
		return all, nil
	}
	var out []trial
	names := make([]string, len(all))
	for i, tr := range all {
		names[i] = tr.name
		if t.Match.MatchString(tr.name) {
			out = append(out, tr)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no trial has a name that matches %q; the trials: %s", t.Match, strings.Join(names, ", "))
	}
	return out, nil
}

// changed returns the payload after change edited its tool_input or, without one, its
// fields.
func (t *torture) changed(change func(about map[string]any)) []byte {
	var fields map[string]any
	if json.Unmarshal(t.Payload, &fields) != nil {
		return t.Payload
	}
	about, ok := fields["tool_input"].(map[string]any)
	if !ok {
		about = fields
	}
	change(about)
	data, err := protocol.Encode(fields)
	if err != nil {
		return t.Payload
	}
	return data
}

// content first replaces each text in the payload by text, and then adds text as a
// further field. Texts of other events than a tool's are replaced only where a user or
// a model wrote them. It also notes whether the hook ran the text as a command.
func (t *torture) content(name, text string) error {
	var fields map[string]any
	if json.Unmarshal(t.Payload, &fields) != nil {
		return nil
	}
	_, tool := fields["tool_input"].(map[string]any)
	instead := t.changed(func(about map[string]any) {
		for key, value := range about {
			if _, ok := value.(string); ok && (tool || key == "prompt" || key == "prompt_response" || key == "message") {
				about[key] = text
			}
		}
	})
	o, err := t.fire(t.home(), instead)
	if err != nil {
		return err
	}
	t.judge(name, o)
	if _, err := os.Lstat(filepath.Join(t.Temp, canary)); err == nil {
		t.find(Injection, name, "the text was run as a command")
		_ = os.Remove(filepath.Join(t.Temp, canary)) // so that the next one is noticed
	}
	if !tool {
		return nil
	}
	return t.beside(name+", beside it", map[string]any{"x_note": text})
}

// beside adds fields to the arguments that do not change what the call does. Payloads
// of other events stay as they are.
func (t *torture) beside(name string, fields map[string]any) error {
	o, err := t.fire(t.home(), t.changed(func(about map[string]any) {
		if about["hook_event_name"] != nil {
			return // other events have no arguments
		}
		for key, value := range fields {
			about[key] = value
		}
	}))
	if err != nil {
		return err
	}
	t.judge(name, o)
	t.same(Differs, name, o)
	return nil
}

// empty runs the hook on a payload without arguments.
func (t *torture) empty(name string) error {
	o, err := t.fire(t.home(), t.changed(func(about map[string]any) {
		if about["hook_event_name"] == nil {
			clear(about)
		}
	}))
	t.judge(name, o)
	return err
}

// unread starts the hook with a closed stdin.
func (t *torture) unread(name string) error {
	h := t.Config.Hooks[0]
	exit := t.Runner(t.home()).Run(t.ctx, h, nil, nil)
	if exit.Signal != "" || exit.Err != nil && t.ctx.Err() == nil {
		t.find(Crash, name, "it ended by %s %v", exit.Signal, exit.Err)
	}
	return nil
}

// heavy runs the hook on a large payload and on a quarter of it. A hook that takes more
// than ten times as long for the large one, and more than two seconds, is slow.
func (t *torture) heavy(tr trial) error {
	took := map[int]time.Duration{}
	for _, size := range []int{t.Heavy / 4, t.Heavy} {
		o, err := t.fire(t.home(), t.changed(func(about map[string]any) {
			key := "x_note"
			if about["hook_event_name"] != nil {
				key = "prompt"
				if about[key] == nil {
					return
				}
			}
			about[key] = strings.Repeat("heavy \"load\" \n", size/15)
		}))
		if err != nil {
			return err
		}
		t.judge(tr.name, o)
		t.same(Differs, tr.name, o)
		took[size] = o.took
	}
	if a, b := took[t.Heavy/4], took[t.Heavy]; b > 10*a && b > 2*time.Second {
		t.find(Growth, tr.name, "%d bytes take %s, and four times as many %s", t.Heavy/4, a.Round(time.Millisecond),
			b.Round(time.Millisecond))
	}
	return nil
}

// crowd runs the hook many times at once.
func (t *torture) crowd(tr trial) error {
	var wg sync.WaitGroup
	outcomes, errs := make([]outcome, t.Most), make([]error, t.Most)
	for i := range t.Most {
		wg.Go(func() { outcomes[i], errs[i] = t.fire(t.home(), t.Payload) })
	}
	wg.Wait()
	for i, o := range outcomes {
		if errs[i] != nil {
			return errs[i]
		}
		if o.failed != "" && !o.timedOut {
			t.find(Order, tr.name, "alongside others it failed: %s", o.failed)
		}
		t.judge(tr.name, o)
		t.same(Order, tr.name, o)
	}
	return nil
}

// twice runs the hook on the same payload again: it must not remember the first time.
func (t *torture) twice(tr trial) error {
	for range 2 {
		o, err := t.fire(t.home(), t.Payload)
		if err != nil {
			return err
		}
		t.judge(tr.name, o)
		t.same(Differs, tr.name, o)
	}
	return nil
}

// halfway stops the hook in mid-run and checks whether that did any harm.
func (t *torture) halfway(tr trial) error {
	short := t.Config
	short.Hooks = []hooks.Hook{t.Config.Hooks[0]}
	for _, limit := range []time.Duration{time.Millisecond, 5 * time.Millisecond, 20 * time.Millisecond} {
		short.Hooks[0].Timeout = limit
		if _, err := t.fireWith(short, t.home(), t.Payload); err != nil {
			return err
		}
	}
	o, err := t.fire(t.home(), t.Payload)
	t.judge("after an end half-way", o)
	t.same(Differs, "after an end half-way", o)
	return err
}

// elsewhere runs the hook in another directory or environment.
func (t *torture) elsewhere(name, dir string, env map[string]string) error {
	at := t.home()
	at.Dir = dir
	for key, value := range env {
		at.Env[key] = value
	}
	o, err := t.fire(at, t.Payload)
	if o.failed != "" && !t.report.Refuses && !t.Guard {
		t.find(Elsewhere, name, "%s", o.failed)
		return err
	}
	t.judge(name, o)
	t.same(Elsewhere, name, o)
	return err
}

// blanks runs the hook in a folder with blanks in its name that links to the same files.
func (t *torture) blanks(tr trial) error {
	top, remove, err := stage.Temp()
	if err != nil {
		return err
	}
	defer remove()
	dir := filepath.Join(top, "a folder with 'blanks'")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(t.Dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if os.Symlink(filepath.Join(t.Dir, e.Name()), filepath.Join(dir, e.Name())) != nil {
			return nil // symbolic links are not supported here
		}
	}
	return t.elsewhere(tr.name, dir, nil)
}
