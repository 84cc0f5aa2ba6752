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

	"minigem/e2e/testbed"
	"minigem/hooks"
	tables "minigem/hooks/agents"
	"minigem/internal/boundedfile"
)

// hook is one as the agent has it.
type hook struct {
	hooks.Hook
	agent  *tables.Agent // with whose rules: see Player.agentOf
	native string        // the agent's name for its event
	// that it is about, where there are no matchers; nil: all
	tools []string
}

// Hooks are all that the agent finds.
func (p *Player) Hooks() []hooks.Hook {
	var out []hooks.Hook
	for _, h := range p.hooks {
		out = append(out, h.Hook)
	}
	return out
}

// find reads the hooks that a case has in the agent's own files, and the
// portable ones.
func (p *Player) find() error {
	files := 0
	for _, pattern := range p.adapter.Hooks.Native {
		paths, err := filepath.Glob(p.place(pattern))
		if err != nil {
			return fmt.Errorf("%s: the pattern %s: %w", p.ID, pattern, err)
		}
		files += len(paths)
		for _, path := range paths {
			if err := p.file(path); err != nil {
				return err
			}
		}
	}
	for _, portable := range p.setup.Portable {
		if err := p.portable(portable); err != nil {
			return err
		}
	}
	if len(p.hooks) == 0 && len(p.cannot) == 0 && files == 0 {
		return &testbed.CannotError{
			Why: fmt.Sprintf("the case has no hook that %s reads: write them in a section -- %s --, or in its own files",
				p.Agent.Agent.Name, testbed.PortableSection)}
	}
	return nil
}

// place is where a file of an adapter's pattern stands.
func (p *Player) place(name string) string {
	if rest, ok := strings.CutPrefix(name, "home/"); ok {
		return filepath.Join(p.setup.Home, filepath.FromSlash(rest))
	}
	return filepath.Join(p.setup.Workspace, filepath.FromSlash(name))
}

func (p *Player) file(path string) error {
	data, err := boundedfile.Read(path, boundedfile.Kept)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	switch p.adapter.Hooks.Form {
	case "nested", "flat":
		p.json(path, data)
	case "toml":
		p.toml(path, data)
	case "files":
		p.program(path)
	default:
		p.unknown("%s is a program of %s, which is not played", filepath.Base(path), p.Agent.Agent.Name)
	}
	return nil
}

// portable adds a hook of the portable section.
func (p *Player) portable(x testbed.Portable) error {
	h := hooks.Hook{Name: x.Name, Command: x.Command, Timeout: x.Timeout,
		Source: hooks.Source{Layer: hooks.LayerProject, File: testbed.PortableSection}}
	n, err := p.adapter.Native(x)
	if err != nil {
		return err
	}
	h.Matcher, h.Timeout = n.Matcher, time.Duration(n.Seconds*float64(time.Second))
	p.add(h, n.Event, n.Tools)
	return nil
}

// add keeps a hook of an event of the agent.
func (p *Player) add(h hooks.Hook, native string, tools []string) {
	a := p.Agent.Agent
	if a.ID == "copilot" && native != "" && native[0] >= 'A' && native[0] <= 'Z' {
		if pascal, err := tables.Find("copilotc"); err == nil {
			a = pascal
		}
	}
	i := slices.IndexFunc(a.Events, func(e tables.Event) bool { return e.Native == native })
	if i < 0 {
		return // an event that it has not; what that does to the others says Odd
	}
	event := a.Events[i]
	for ev, point := range played {
		if point == event.Point && (ev != toolFailed || event.Point == failedPoint) {
			h.Event = ev
		}
	}
	if h.Event == "" {
		for _, ev := range ownModelEvents {
			if p.ID == "gemini" && string(ev) == native {
				h.Event = ev
			}
		}
	}
	if h.Event == "" {
		if event.Fires == "yes" {
			p.unknown("%s fires %s, which is not played, and the case has a hook there: %s", p.Agent.Agent.Name, native, h.ID())
		}
		return
	}
	if h.Timeout <= 0 {
		h.Timeout = time.Duration(a.Timeout.DefaultMS) * time.Millisecond
	}
	h.Dialect = a.ID
	p.hooks = append(p.hooks, hook{Hook: h, agent: a, native: native, tools: tools})
}

// odd is what something takes with it that is not as it should be, in the words
// of tables.Odd.
func (p *Player) odd(path, what, detail string) string {
	where := fmt.Sprintf("%s: %s", filepath.Base(path), detail)
	taken := p.play.Odd[what]
	switch taken {
	case "":
		p.unknown("%s: what %s does then was not measured", where, p.Agent.Agent.Title())
	case "run":
		p.unknown("%s: %s does not start with it", where, p.Agent.Agent.Title())
	case "file", "event":
		p.setup.Notice(fmt.Sprintf("%s: because of it %s runs no hook of this %s", where, p.Agent.Agent.Title(), taken))
	}
	return taken
}

// program is a hook that is a file named after its event.
func (p *Player) program(path string) {
	info, err := os.Stat(path)
	if err != nil || info.IsDir() || strings.HasPrefix(filepath.Base(path), ".") {
		return
	}
	p.add(hooks.Hook{Command: "'" + strings.ReplaceAll(path, "'", `'\''`) + "'",
		Source: hooks.Source{Layer: hooks.LayerProject, File: path}}, filepath.Base(path), nil)
}

// toml reads [[hooks]].
func (p *Player) toml(path string, data []byte) {
	var all struct {
		Hooks []map[string]any `toml:"hooks"`
	}
	if err := toml.Unmarshal(data, &all); err != nil {
		p.odd(path, "syntax", err.Error())
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
				taken = p.odd(path, what, detail)
			}
		}
		check(entry["command"] == nil, "no command", "an entry has no command")
		_, hasCommand := entry["command"].(string)
		check(entry["command"] != nil && !hasCommand, "command", "a command is not a text")
		check(hasCommand && h.Command == "", "empty command", "a command is empty")
		_, hasMatcher := entry["matcher"].(string)
		check(entry["matcher"] != nil && !hasMatcher, "matcher", "a matcher is not a string")
		_, isText := entry["timeout"].(string)
		check(isText, "timeout string", "a time-out is a string")
		seconds, isNumber := entry["timeout"].(int64)
		check(isNumber && seconds < 0, "timeout negative", "a time-out is negative")
		check(isNumber && seconds == 0, "timeout zero", "a time-out is 0")
		_, known := p.event(text("event"))
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
		adds = append(adds, func() { p.add(h, text("event"), nil) })
	}
	for _, add := range adds {
		add()
	}
}

func (p *Player) event(native string) (tables.Event, bool) {
	all := slices.Clone(p.Events)
	if pascal, err := tables.Find("copilotc"); p.ID == "copilot" && err == nil {
		all = append(all, pascal.Events...)
	}
	i := slices.IndexFunc(all, func(e tables.Event) bool { return e.Native == native })
	if i < 0 {
		return tables.Event{}, false
	}
	return all[i], true
}

// timeout is a number of a configuration as a duration.
func (p *Player) timeout(n float64) time.Duration {
	if n <= 0 {
		return 0 // the agent's own
	}
	if p.Timeout.Unit == "ms" || p.Timeout.MSFrom > 0 && n >= float64(p.Timeout.MSFrom) {
		return time.Duration(n * float64(time.Millisecond))
	}
	return time.Duration(n * float64(time.Second))
}
