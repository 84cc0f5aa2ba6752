package agents

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pelletier/go-toml/v2"

	"minigem/e2e/fakemodel"
	"minigem/e2e/testbed"
	tables "minigem/hooks/agents"
	"minigem/llm/script"
)

// Adapter says how to run an agent. It is the table drive of the agent's file in
// hooks/agents. Strings in it may contain {URL} (the fake model), {WS} (the workspace),
// {HOME}, {CACHE} (a folder that is kept), {PROMPT} and {MODE}.
type Adapter struct {
	Name     string             `toml:"-"`     // the agent's file name
	Title    string             `toml:"title"` // its vendor's name
	Package  string             `toml:"package"`
	Measured []string           `toml:"measured"` // measured versions
	Programs []string           `toml:"programs"`
	Version  []string           `toml:"version"`  // arguments that print the version
	Node     int                `toml:"node"`     // the minimum version of node; 0 if it needs none
	Protocol fakemodel.Protocol `toml:"protocol"` // of its requests to the model
	Same     bool               `toml:"same"`     // its tools are minigem's, so their calls are played unchanged
	Seconds  int                `toml:"seconds"`  // limit for a case; 0 means 90
	Prints   bool               `toml:"prints"`   // the answer is on stdout, messages for the user are on stderr
	Cannot   []string           `toml:"cannot"`   // what no case can test
	Hosts    []string           `toml:"hosts"`    // hosts that it is known to contact, in vain
	Leaves   []string           `toml:"leaves"`   // parts of command lines of processes that it is known to leave running
	// Rulesync holds the arguments after -t with which rulesync writes hooks for the
	// agent; nil if it cannot.
	Rulesync []string `toml:"rulesync"`
	// Transcript is a glob pattern for the session's file. It is empty if the agent has no
	// such file or its location is not known.
	Transcript string   `toml:"transcript"`
	Start      Start    `toml:"start"`
	Flags      []Flag   `toml:"flags"`
	Files      []File   `toml:"files"`
	Hooks      HookForm `toml:"hooks"`

	// Events maps minigem's names of events to the agent's. Events that minigem lacks have
	// the agent's own name as their key.
	Events map[string]string           `toml:"events"`
	Tools  map[script.ActionKind]*Tool `toml:"tools"`
}

// Start says how to start an agent.
type Start struct {
	Args  []string            `toml:"args"`
	Modes map[string][]string `toml:"modes"` // approval modes: the value of {MODE}, or else arguments to append
	Env   map[string]string   `toml:"env"`
}

// Flag is a command-line flag that disables a protection, and why it is needed.
type Flag struct {
	Flag string `toml:"flag"`
	Why  string `toml:"why"`
}

// File is a file that the agent needs, in the workspace or under home/.
type File struct {
	Path string `toml:"path"`
	Text string `toml:"text"`
}

// HookForm describes how the agent's hooks are configured.
type HookForm struct {
	Form     string   `toml:"form"`     // see forms
	File     string   `toml:"file"`     // where portable hooks are written
	Native   []string `toml:"native"`   // patterns of files in which cases may have hooks
	Observer string   `toml:"observer"` // the user's file for hooks that show which tools ran
	After    []string `toml:"after"`    // events that show that a tool ran
	Refused  []string `toml:"refused"`  // those of After that also follow a tool that did not run
	Unit     string   `toml:"unit"`     // of timeouts: s, ms
	// SecondsBelow is the timeout in seconds from which on it is written in milliseconds
	// instead; 0 means never.
	SecondsBelow int    `toml:"seconds_below"`
	Matcher      string `toml:"matcher"` // {NAMES} is replaced by tools, separated by |
}

// Tool is an agent's tool for an action. Strings in Args may contain {COMMAND}, {PATH},
// {TEXT}, {OLD}, {NEW}, {PATTERN}, the same with SH_ before the name for one shell word,
// and {PATCH}, a patch in apply_patch format.
type Tool struct {
	Name   string         `toml:"name"`
	Hook   string         `toml:"hook"` // its name in hooks; empty means Name
	Args   map[string]any `toml:"args"`
	Seen   map[string]any `toml:"seen"`   // arguments as hooks see them; nil means Args
	Cannot string         `toml:"cannot"` // why the agent has no such tool

	// Command means that the action is a shell command, so that hooks cannot match it
	// separately.
	Command bool `toml:"command"`
}

// hookName returns the tool's name as matchers see it.
func (t *Tool) hookName() string {
	if t.Hook != "" {
		return t.Hook
	}
	return t.Name
}

// seen returns the arguments as a hook's payload has them.
func (t *Tool) seen() map[string]any {
	if t.Seen != nil {
		return t.Seen
	}
	return t.Args
}

// Limit returns how long one case may take.
func (a *Adapter) Limit() time.Duration {
	if a.Seconds > 0 {
		return time.Duration(a.Seconds) * time.Second
	}
	return 90 * time.Second
}

// event returns minigem's name for an event of the agent: the key of Events with that
// value, else the name of the same event in another agent's spelling, else the name
// itself.
func (a *Adapter) event(native string) string {
	for ours, theirs := range a.Events {
		if theirs == native {
			return ours
		}
	}
	return cmp.Or(testbed.CanonicalEvent(native), native)
}

// ReadAdapter parses the file of an agent.
func ReadAdapter(name string, data []byte) (*Adapter, error) {
	a := &Adapter{Name: strings.TrimSuffix(path.Base(name), ".toml")}
	d := toml.NewDecoder(strings.NewReader(string(data)))
	d.DisallowUnknownFields()
	if err := d.Decode(a); err != nil {
		var strict *toml.StrictMissingError
		if errors.As(err, &strict) {
			return nil, fmt.Errorf("%s: %s", name, strict.String())
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return a, a.check(name)
}

// check reports missing and invalid fields.
func (a *Adapter) check(name string) error {
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(name+": "+format, args...)) }
	if len(a.Programs) == 0 || len(a.Start.Args) == 0 || a.Start.Modes["yolo"] == nil {
		fail("programs, start.args and start.modes.yolo are needed")
	}
	if !slices.Contains(fakemodel.Protocols, a.Protocol) {
		fail("protocol is %q: expected one of %q", a.Protocol, fakemodel.Protocols)
	}
	if _, err := path.Match(a.Transcript, ""); err != nil {
		fail("transcript is %q: %v", a.Transcript, err)
	}
	if forms[a.Hooks.Form] == nil {
		fail("hooks.form is %q, which does not exist", a.Hooks.Form)
	}
	if a.Hooks.Unit != "s" && a.Hooks.Unit != "ms" && a.Hooks.Unit != "" {
		fail("hooks.unit is %q: expected s or ms", a.Hooks.Unit)
	}
	for kind, t := range a.Tools {
		if !slices.Contains(script.ActionKinds, kind) {
			fail("tools.%s is not an action: expected one of %q", kind, script.ActionKinds)
		}
		if t.Name == "" && t.Cannot == "" {
			fail("tools.%s has neither a name nor a reason why it cannot be", kind)
		}
	}
	for _, kind := range script.ActionKinds {
		if a.Tools[kind] == nil {
			fail("tools.%s is missing: name a tool, or say in cannot why there is none", kind)
		}
	}
	return errors.Join(errs...)
}

// order is the order of agents in lists and tables.
var order = []string{"claude", "codex", "copilot", "gemini", "qwen", "kimi", "cline", "opencode"}

// Adapters returns all agents that can be run.
var Adapters = sync.OnceValue(func() []*Adapter {
	var all []*Adapter
	for _, agent := range tables.All() {
		if agent.Drive == nil {
			continue
		}
		data, err := toml.Marshal(agent.Drive)
		if err != nil {
			panic(err) // unreachable: it was decoded from TOML
		}
		a, err := ReadAdapter(agent.ID, data)
		if err != nil {
			panic(err) // a test reads them all
		}
		a.Title, a.Measured = agent.Name, []string{agent.Version}
		all = append(all, a)
	}
	place := func(a *Adapter) int {
		if i := slices.Index(order, a.Name); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortStableFunc(all, func(a, b *Adapter) int { return place(a) - place(b) })
	return all
})

// fill replaces names in braces by their values.
func fill(text string, values map[string]string) string {
	var pairs []string
	for name, value := range values {
		pairs = append(pairs, "{"+name+"}", value)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// fillAll applies fill to all strings in v. It omits fields of objects whose whole value
// is a name with an empty value.
func fillAll(v any, values map[string]string) any {
	switch v := v.(type) {
	case string:
		return fill(v, values)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = fillAll(v[i], values)
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for key, value := range v {
			if name, ok := value.(string); ok && strings.HasPrefix(name, "{") && fill(name, values) == "" {
				continue
			}
			out[key] = fillAll(value, values)
		}
		return out
	}
	return v
}
