package agents

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"minigem/e2e/agents/shim"
	"minigem/e2e/testbed"
	"minigem/hooks/jsonc"
	"minigem/internal/boundedfile"
	"minigem/llm/script"
)

// hook is a hook of the agent in a case.
type hook struct {
	id       string
	event    string // of the agent
	name     string
	command  string // as in the case
	matcher  string
	file     string
	observer bool // our own hook, which shows which tools ran
	unseen   bool // its runs are not recorded
	tools    []string
	timeout  time.Duration // 0 for the agent's default
}

// wrapper wraps the commands of hooks in shims.
type wrapper struct {
	a       *Adapter
	self    string // minigem, which is the shim; may be empty
	records string // the folder for records
	ws      string
	home    string
	hooks   []hook
	own     bool     // the case brings a file with hooks of the agent
	notes   []string // which of the case's hooks are not recorded, and why
}

// add adds a hook and returns its id. Equal commands at the same event share an id,
// because some agents run them once, however often they are configured.
func (w *wrapper) add(h hook) string {
	for _, known := range w.hooks {
		if known.event == h.event && known.command == h.command && known.observer == h.observer {
			return known.id
		}
	}
	h.id = strconv.Itoa(len(w.hooks) + 1)
	w.hooks = append(w.hooks, h)
	return h.id
}

func (w *wrapper) find(id string) (hook, bool) {
	i := slices.IndexFunc(w.hooks, func(h hook) bool { return h.id == id })
	if i < 0 {
		return hook{}, false
	}
	return w.hooks[i], true
}

// line returns the command to configure for h: its own, wrapped in the shim if there is
// one.
func (w *wrapper) line(h hook) string {
	id := w.add(h)
	if w.self == "" {
		return h.command
	}
	return shim.Command(w.self, w.records, id, h.command)
}

// scriptLine is line for a script.
func (w *wrapper) scriptLine(h hook) string {
	return shim.ScriptLine(w.self, w.records, w.add(h), h.command)
}

func (w *wrapper) note(format string, args ...any) {
	w.notes = append(w.notes, fmt.Sprintf(format, args...))
}

// form is a format for configuring hooks.
type form struct {
	// wrap wraps the hooks in a file of the case.
	wrap func(w *wrapper, path string) error
	// write adds a hook to the file at path, which may not exist yet.
	write func(w *wrapper, path string, h hook) error
}

var forms = map[string]*form{
	"nested": {wrapJSON, writeNested},
	"flat":   {wrapJSON, writeFlat},
	"toml":   {wrapTOML, writeTOML},
	"files":  {wrapProgram, writeProgram},
	"plugin": {readPlugin, writePlugin},
}

// path returns the path of a file of an adapter or a case.
func (w *wrapper) path(name string) string { return testbed.FileOf(w.ws, w.home, name) }

// HookFiles returns the files of a case in which the agent looks for hooks.
func (a *Adapter) HookFiles(workspace, home string) ([]string, error) {
	var all []string
	for _, pattern := range a.Hooks.Native {
		found, err := filepath.Glob(testbed.FileOf(workspace, home, pattern))
		if err != nil {
			return nil, fmt.Errorf("%s: the pattern %s: %w", a.Name, pattern, err)
		}
		all = append(all, found...)
	}
	return all, nil
}

// prepare writes the files that the agent needs, and its hooks: those that the case has in
// the agent's own format, the portable ones, and the observer.
func (w *wrapper) prepare(values map[string]string, portable []testbed.Portable) error {
	own, err := w.a.HookFiles(w.ws, w.home)
	if err != nil {
		return err
	}
	w.own = len(own) > 0
	for _, f := range w.a.Files {
		if err := w.place(w.path(f.Path), fill(f.Text, values)); err != nil {
			return err
		}
	}
	form := forms[w.a.Hooks.Form]
	found, _ := w.a.HookFiles(w.ws, w.home) // the patterns are valid: see above
	for _, path := range found {
		if err := form.wrap(w, path); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(path), err)
		}
	}
	for _, p := range portable {
		h, err := w.a.portable(p)
		if err != nil {
			return err
		}
		if err := form.write(w, w.path(w.a.Hooks.File), h); err != nil {
			return err
		}
	}
	return w.observe(form)
}

// observe adds our hooks, which show which tools ran. It adds them to the user's file, so
// that the project's stay unchanged.
func (w *wrapper) observe(form *form) error {
	if w.a.Hooks.Observer == "" {
		return nil
	}
	for _, event := range w.a.Hooks.After {
		if err := form.write(w, w.path(w.a.Hooks.Observer), hook{event: event, command: ":", observer: true}); err != nil {
			return err
		}
	}
	return nil
}

// portable converts a portable hook to the agent's terms.
func (a *Adapter) portable(p testbed.Portable) (hook, error) {
	h := hook{event: a.Events[p.Event], name: p.Name, command: p.Command, timeout: p.Timeout,
		file: testbed.PortableSection}
	if h.event == "" {
		return h, cannot("%s has no event %s", a.Name, p.Event)
	}
	if len(p.Tools) == 0 {
		return h, nil
	}
	for _, kind := range p.Tools {
		t := a.Tools[script.ActionKind(kind)]
		if t.Cannot != "" {
			return h, cannot("%s: %s", a.Name, t.Cannot)
		}
		if t.Command {
			return h, cannot("%s has no tool to %s: it runs commands, and a hook on shell sees them", a.Name, kind)
		}
		if !slices.Contains(h.tools, t.hookName()) {
			h.tools = append(h.tools, t.hookName())
		}
	}
	h.matcher = fill(a.Hooks.Matcher, map[string]string{"NAMES": strings.Join(h.tools, "|")})
	return h, nil
}

// timeout converts a timeout to the agent's unit; 0 means none.
func (a *Adapter) timeout(d time.Duration) int {
	seconds := int((d + time.Second - 1) / time.Second)
	switch {
	case d == 0:
		return 0
	case a.Hooks.Unit == "ms", a.Hooks.SecondsBelow > 0 && seconds >= a.Hooks.SecondsBelow:
		return int(d.Milliseconds())
	}
	return seconds
}

// cannot returns an error that says what cannot be done on an agent. It is not a failure
// of the case.
func cannot(format string, args ...any) error {
	return &testbed.CannotError{Why: fmt.Sprintf(format, args...)}
}

// place writes a file of the adapter. If the case has the same file, its values win and
// only missing ones are added.
func (w *wrapper) place(path, text string) error {
	before, err := boundedfile.Read(path, boundedfile.Kept)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case filepath.Ext(path) == ".toml":
		text, err = merged(before, text, toml.Unmarshal, toml.Marshal)
	default:
		text, err = mergeJSON(path, before, text)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return cannot("the case's %s cannot be read: %v", filepath.Base(path), err)
	}
	return testbed.WriteInto(path, []byte(text), 0o644)
}

// readDoc parses the JSON file at path, or {} if there is none.
func readDoc(path string) (*jsonc.Doc, error) {
	data, err := boundedfile.Read(path, boundedfile.Kept)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return jsonc.Parse(path, data)
}

func writeDoc(path string, d *jsonc.Doc) error { return testbed.WriteInto(path, d.Bytes(), 0o644) }
