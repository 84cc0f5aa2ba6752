package played

import (
	"encoding/json"
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
	"minigem/hooks/jsonc"
	"minigem/internal/boundedfile"
	"minigem/internal/text"
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
	files, err := f.adapter.HookFiles(f.setup.Workspace, f.setup.Home)
	if err != nil {
		return err
	}
	for _, path := range files {
		if err := f.file(path); err != nil {
			return err
		}
	}
	for _, portable := range f.setup.Portable {
		if err := f.portable(portable); err != nil {
			return err
		}
	}
	if len(f.hooks) == 0 && len(f.cannot) == 0 && len(files) == 0 {
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
	h, event, tools, err := f.adapter.Native(x)
	if err == nil {
		f.add(h, event, tools)
	}
	return err
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
	f.add(hooks.Hook{Command: text.Word(path),
		Source: hooks.Source{Layer: hooks.LayerProject, File: path}}, filepath.Base(path), nil)
}

// toml parses [[hooks]], whose entries are read as if they were JSON.
func (f *finder) toml(path string, data []byte) {
	var all struct {
		Hooks []map[string]any `toml:"hooks"`
	}
	var doc *jsonc.Doc
	err := toml.Unmarshal(data, &all)
	if err == nil {
		data, err = json.Marshal(all.Hooks)
	}
	if err == nil {
		doc, err = jsonc.Parse(path, data)
	}
	if err != nil {
		f.odd(path, "syntax", err.Error())
		return
	}
	file := &hookFile{finder: f, source: hooks.Source{Layer: hooks.LayerUser, File: path}}
	for _, entry := range doc.Root().Elements() {
		file.odd = false
		file.at(entry.Get("event").Text())
		for _, m := range entry.Members() {
			file.check(!slices.Contains([]string{"event", "command", "matcher", "timeout", "cwd", "env", "name"}, m.Name), "key",
				fmt.Sprintf("%q is not a key of a hook", m.Name))
		}
		file.entry(file.matcher(entry), entry)
	}
	for i := range file.found {
		file.found[i].hook.Source.Line = 0 // in TOML it is another one
	}
	file.keep()
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
