package record

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"minigem/agent"
	"minigem/hooks"
	"minigem/hooks/config"
	"minigem/hooks/protocol"
)

// longRun is the duration from which on a recorded case gets a longer timeout.
const longRun = 10 * time.Second

// Case returns the case. exit is the exit code of the command. r must not be used
// afterwards.
func (r *Recorder) Case(exit int) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return writer{&r.recorded}.write(exit)
}

// write builds the case.
func (w writer) write(exit int) ([]byte, error) {
	var a txtar.Archive
	w.addSettings(&a)
	var outcome strings.Builder
	w.hookLines(&outcome)
	w.toolLines(&outcome)
	w.addFiles(&a, &outcome)
	w.endLines(&outcome, exit)
	w.addAgents(&a)
	if err := w.addModels(&a); err != nil {
		return nil, err
	}
	body := w.actLines()
	a.Comment = []byte(body + "\n" + outcome.String() + "\n")
	// Clean everything once more, including the names of files, in case something was
	// missed.
	body = w.clean.code(string(txtar.Format(&a)))
	return []byte(w.clean.code(w.head()) + body), nil
}

// Taken names the secrets that [Recorder.Case] removed. It is empty if there were none.
func (r *Recorder) Taken() string { return r.clean.summary() }

// sawChunks reports whether hooks saw each chunk, so that the chunks must be kept as they
// were.
func (w writer) sawChunks() bool {
	return slices.ContainsFunc(w.ran(), func(h hooks.Hook) bool { return h.Event == protocol.AfterModel })
}

// head returns the comments and the setup commands.
func (w writer) head() string {
	var b strings.Builder
	b.WriteString("# Recorded from a run.\n")
	notes := append(slices.Clone(w.notes), w.outside()...)
	if w.interrupted {
		notes = append(notes, "The run was interrupted: what came after that is not part of the case, and hooks may run "+
			"more often here.")
	}
	if taken := w.clean.summary(); taken != "" {
		notes = append(notes, "Secrets were taken out: "+taken+". Hooks that look for them may decide differently.")
	}
	for _, n := range notes {
		fmt.Fprintf(&b, "# %s\n", oneLine(w.clean.text(n)))
	}
	if w.o.Interactive {
		b.WriteString("interactive\n")
	}
	if usual := map[bool]string{true: "default", false: "yolo"}[w.o.Interactive]; w.o.Mode != usual && w.o.Mode != "" {
		fmt.Fprintf(&b, "mode %s\n", w.o.Mode)
	}
	if w.o.Untrusted {
		b.WriteString("trust off\n")
	}
	if took := time.Since(w.began); took > longRun && !w.o.Interactive {
		fmt.Fprintf(&b, "timeout %s\n", (3 * took).Round(time.Second))
	}
	return b.String()
}

func (w writer) actLines() string {
	var b strings.Builder
	for _, a := range w.acts {
		for _, line := range a.approval {
			b.WriteString(w.clean.text(line) + "\n")
		}
		b.WriteString(a.verb)
		if a.verb == "prompt" {
			b.WriteString(" " + quoted(w.clean.text(a.text)))
		}
		b.WriteString("\n")
	}
	if len(w.acts) == 0 {
		b.WriteString("start\n")
	}
	return b.String()
}

func (w writer) addSettings(a *txtar.Archive) {
	add := func(name, text string) { a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(text)}) }
	if lines := w.portable(); lines != "" {
		add("hooks", lines)
		return
	}
	add("settings.json", w.settings(true))
	if others := w.settings(false); others != "" {
		add("home/.gemini/settings.json", others)
	}
}

// addFiles adds scripts and files as they were before the run, and assertions on what
// happened to them.
func (w writer) addFiles(a *txtar.Archive, outcome *strings.Builder) {
	for _, h := range w.ran() {
		for _, path := range config.Scripts(h, w.o.Project) {
			if name, ok := w.scripts.name(path); ok {
				if s := w.scripts.before[name]; s.there {
					w.files.before[name] = s
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.files.before)) {
		w.addFile(a, name, w.files.before[name])
	}
	changed := w.files.changed()
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		w.addChange(a, outcome, name, changed[name])
	}
}

func (w writer) addFile(a *txtar.Archive, name string, s state) {
	switch {
	case !s.there:
	case s.left != "":
		w.notes = append(w.notes, fmt.Sprintf("%s %s, and is not in the case.", name, s.left))
	default:
		data := w.clean.code(string(s.data))
		if data != "" && !strings.HasSuffix(data, "\n") {
			w.notes = append(w.notes, fmt.Sprintf("%s did not end with a line break.", name))
		}
		a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(data)})
	}
}

func (w writer) addChange(a *txtar.Archive, outcome *strings.Builder, name string, now state) {
	if w.interrupted {
		return
	}
	word := wordOf(name)
	switch {
	case !now.there:
		fmt.Fprintf(outcome, "! exists %s\n", word)
	case now.left != "" || len(now.data) == 0 || w.clean.code(string(now.data)) != string(now.data):
		fmt.Fprintf(outcome, "exists %s\n", word)
	default:
		fmt.Fprintf(outcome, "cmp %s %s\n", word, wordOf("want/"+name))
		a.Files = append(a.Files, txtar.File{Name: "want/" + name, Data: now.data})
	}
}

// endLines adds assertions on the run as a whole.
func (w writer) endLines(b *strings.Builder, exit int) {
	if w.interrupted {
		return
	}
	fmt.Fprintf(b, "model-requests %d\n", len(w.answers))
	if w.last != "" && w.last != agent.MaxTurns {
		fmt.Fprintf(b, "ending %s\n", w.last)
	}
	if !w.o.Interactive && len(w.acts) > 0 && w.last != agent.MaxTurns { // the case lacks the limits of the settings
		fmt.Fprintf(b, "exit %d\n", exit)
	}
}

// wordOf quotes s as a word of a script.
func wordOf(s string) string {
	switch {
	case s == "" || strings.ContainsAny(s, " \t\"#~=") && !strings.ContainsAny(s, "'\n"):
		return "'" + s + "'"
	case strings.ContainsAny(s, "'\n"):
		return inQuotes(s)
	}
	return s
}

// inQuotes quotes s as a word of a script, whatever is in it.
func inQuotes(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(s) + `"`
}

// tally counts things in the order of their first occurrence.
type tally struct {
	order []string
	n     map[string]int
}

func (t *tally) add(what string) {
	if t.n == nil {
		t.n = map[string]int{}
	}
	if t.n[what] == 0 {
		t.order = append(t.order, what)
	}
	t.n[what]++
}

// times returns the condition on the count. It is only a minimum if the run was
// interrupted or exact is false.
func (w writer) times(n int, exact bool) string {
	if w.interrupted || !exact {
		return fmt.Sprintf("times=%d..", n)
	}
	return fmt.Sprintf("times=%d", n)
}

func (w writer) toolLines(b *strings.Builder) {
	var ran, results tally
	foreign := map[string]bool{}
	for _, f := range w.finished {
		foreign[f.Call.Name] = f.MCPServer != ""
	}
	for _, name := range w.started {
		ran.add(name)
	}
	for _, f := range w.finished {
		if !slices.Contains(w.started, f.Call.Name) && !w.interrupted {
			ran.add("! " + f.Call.Name)
		}
		results.add(f.Call.Name + " status=" + string(f.Status))
	}
	for _, what := range ran.order {
		name := strings.TrimPrefix(what, "! ")
		switch {
		case foreign[name]:
		case name != what:
			fmt.Fprintf(b, "! tool-ran %s\n", wordOf(name))
		default:
			fmt.Fprintf(b, "tool-ran %s %s\n", wordOf(name), w.times(ran.n[what], true))
		}
	}
	for _, what := range results.order {
		if name, status, _ := strings.Cut(what, " "); !foreign[name] {
			fmt.Fprintf(b, "tool-result %s %s %s\n", wordOf(name), status, w.times(results.n[what], true))
		}
	}
}
