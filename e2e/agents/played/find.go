package played

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"minigem/e2e/agents"
	"minigem/e2e/testbed"
	"minigem/hooks"
	tables "minigem/hooks/agents"
	"minigem/internal/boundedfile"
)

// hook is a hook as the agent configures it.
type hook struct {
	hooks.Hook
	agent  *tables.Agent // whose rules apply: see scene.agentOf
	native string        // the agent's name for its event
	// the tools it is for, if there are no matchers; nil for all
	tools []string
}

// finder finds an agent's hooks in a session.
type finder struct {
	*scene
	hooks []hook
}

// Hooks returns all hooks that the agent finds.
func (p *Player) Hooks() []hooks.Hook {
	var out []hooks.Hook
	for _, h := range p.hooks {
		out = append(out, h.Hook)
	}
	return out
}

// find reads the portable hooks of a case and those in the agent's own files.
func (f *finder) find() error {
	files := 0
	for _, pattern := range f.adapter.Hooks.Native {
		paths, err := filepath.Glob(f.place(pattern))
		if err != nil {
			return fmt.Errorf("%s: the pattern %s: %w", f.agent.ID, pattern, err)
		}
		files += len(paths)
		for _, path := range paths {
			if err := f.file(path); err != nil {
				return err
			}
		}
	}
	for _, portable := range f.setup.Portable {
		if err := f.portable(portable); err != nil {
			return err
		}
	}
	if len(f.hooks) == 0 && len(f.cannot) == 0 && files == 0 {
		return &testbed.CannotError{
			Why: "the case has no hook for it: write hooks in a section -- hooks --, one a line, such as " +
				"before-tool shell ./guard.sh, or in the agent's own files"}
	}
	return nil
}

func (f *finder) file(path string) error {
	data, err := boundedfile.Read(path, boundedfile.Kept)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	switch f.adapter.Hooks.Form {
	case "nested", "flat":
		f.json(path, data)
	case "toml":
		f.toml(path, data)
	case "files":
		f.program(path)
	default:
		f.unknown("%s is a program of %s, which is not played", filepath.Base(path), f.agent.Name)
	}
	return nil
}

// portable adds a portable hook.
func (f *finder) portable(x testbed.Portable) error {
	h := hooks.Hook{Name: x.Name, Command: x.Command, Timeout: x.Timeout,
		Source: hooks.Source{Layer: hooks.LayerProject, File: testbed.PortableSection}}
	n, err := f.adapter.Native(x)
	if err != nil {
		return err
	}
	h.Matcher, h.Timeout = n.Matcher, time.Duration(n.Seconds*float64(time.Second))
	f.add(h, n.Event, n.Tools)
	return nil
}

// add adds a hook for an event of the agent.
func (f *finder) add(h hooks.Hook, native string, tools []string) {
	a := f.agentOf(hooks.Hook{Dialect: agents.RulesOf(f.agent.ID, native)})
	i := slices.IndexFunc(a.Events, func(e tables.Event) bool { return e.Native == native })
	if i < 0 {
		return // the agent lacks this event; Odd says how that affects the others
	}
	event := a.Events[i]
	for ev, point := range played {
		if point == event.Point && (ev != toolFailed || event.Point == failedPoint) {
			h.Event = ev
		}
	}
	if h.Event == "" {
		for _, ev := range ownModelEvents {
			if f.agent.ID == "gemini" && string(ev) == native {
				h.Event = ev
			}
		}
	}
	if h.Event == "" {
		if event.Fires == "yes" {
			f.unknown("%s fires %s, which is not played, and the case has a hook there: %s", f.agent.Name, native, h.ID())
		}
		return
	}
	if h.Timeout <= 0 {
		h.Timeout = time.Duration(a.Timeout.DefaultMS) * time.Millisecond
	}
	h.Dialect = a.ID
	f.hooks = append(f.hooks, hook{Hook: h, agent: a, native: native, tools: tools})
}

// odd returns what the agent discards because of an invalid setting, in the terms of
// tables.Odd.
func (f *finder) odd(path, what, detail string) string {
	where := fmt.Sprintf("%s: %s", filepath.Base(path), detail)
	taken := f.agent.Play.Odd[what]
	switch taken {
	case "":
		f.unknown("%s: what %s does then was not measured", where, f.agent.Title())
	case "run":
		f.unknown("%s: %s does not start with it", where, f.agent.Title())
	case "file", "event":
		f.setup.Notice(fmt.Sprintf("%s: because of it %s runs no hook of this %s", where, f.agent.Title(), taken))
	}
	return taken
}

// program adds a hook that is a file named after its event.
func (f *finder) program(path string) {
	info, err := os.Stat(path)
	if err != nil || info.IsDir() || strings.HasPrefix(filepath.Base(path), ".") {
		return
	}
	f.add(hooks.Hook{Command: "'" + strings.ReplaceAll(path, "'", `'\''`) + "'",
		Source: hooks.Source{Layer: hooks.LayerProject, File: path}}, filepath.Base(path), nil)
}

// toml parses [[hooks]].
func (f *finder) toml(path string, data []byte) {
	var all struct {
		Hooks []map[string]any `toml:"hooks"`
	}
	if err := toml.Unmarshal(data, &all); err != nil {
		f.odd(path, "syntax", err.Error())
		return
	}
	var adds []func()
	for _, entry := range all.Hooks {
		text := func(key string) string { s, _ := entry[key].(string); return s }
		h := hooks.Hook{Command: text("command"), Matcher: text("matcher"),
			Source: hooks.Source{Layer: hooks.LayerUser, File: path}}
		taken := ""
		check := func(wrong bool, what, detail string) {
			if wrong && taken == "" {
				taken = f.odd(path, what, detail)
			}
		}
		check(entry["command"] == nil, "no command", "an entry has no command")
		_, hasCommand := entry["command"].(string)
		check(entry["command"] != nil && !hasCommand, "command", "a command is not a text")
		check(hasCommand && h.Command == "", "empty command", "a command is empty")
		_, hasMatcher := entry["matcher"].(string)
		check(entry["matcher"] != nil && !hasMatcher, "matcher", "a matcher is not a string")
		_, isText := entry["timeout"].(string)
		check(isText, "timeout string", "a timeout is a string")
		seconds, isNumber := entry["timeout"].(int64)
		check(isNumber && seconds < 0, "timeout negative", "a timeout is negative")
		check(isNumber && seconds == 0, "timeout zero", "a timeout is 0")
		_, known := f.event(text("event"))
		check(!known, "event", fmt.Sprintf("there is no event %q", text("event")))
		for key := range entry {
			check(!slices.Contains([]string{"event", "command", "matcher", "timeout", "cwd", "env", "name"}, key), "key",
				fmt.Sprintf("%q is not a key of a hook", key))
		}
		switch taken {
		case "file", "event":
			return
		case "entry":
			continue
		}
		h.Timeout = time.Duration(seconds) * time.Second
		adds = append(adds, func() { f.add(h, text("event"), nil) })
	}
	for _, add := range adds {
		add()
	}
}

func (f *finder) event(native string) (tables.Event, bool) {
	all := f.agentOf(hooks.Hook{Dialect: agents.RulesOf(f.agent.ID, native)}).Events
	i := slices.IndexFunc(all, func(e tables.Event) bool { return e.Native == native })
	if i < 0 {
		return tables.Event{}, false
	}
	return all[i], true
}

// timeout converts a configured number to a duration.
func (f *finder) timeout(n float64) time.Duration {
	if n <= 0 {
		return 0 // the agent's default
	}
	if f.agent.Timeout.Unit == "ms" || f.agent.Timeout.MSFrom > 0 && n >= float64(f.agent.Timeout.MSFrom) {
		return time.Duration(n * float64(time.Millisecond))
	}
	return time.Duration(n * float64(time.Second))
}
