package record

import (
	"fmt"
	"slices"
	"strings"

	"minigem/hooks"
	"minigem/hooks/config"
	"minigem/hooks/protocol"
)

// The structure of hooks in a settings file.
type (
	settingsFile struct {
		Hooks map[protocol.Event][]group `json:"hooks"`
	}
	group struct {
		Matcher    string  `json:"matcher,omitempty"`
		Sequential bool    `json:"sequential,omitempty"`
		Hooks      []entry `json:"hooks"`
	}
	entry struct {
		hooks.Handler
		Name    string            `json:"name,omitempty"`
		Command string            `json:"command,omitempty"`
		Timeout int64             `json:"timeout,omitempty"`
		Env     map[string]string `json:"env,omitempty"`
		OnError string            `json:"onError,omitempty"`
		Dialect string            `json:"dialect,omitempty"`
	}
)

// ran returns the hooks that ran, in the order of the configuration.
func (w writer) ran() []hooks.Hook {
	did := map[string]bool{}
	for _, rep := range w.reports {
		for _, run := range rep.Runs {
			if run.Ran() {
				did[key(run.Hook)] = true
			}
		}
	}
	var out []hooks.Hook
	for _, h := range w.o.Hooks {
		if did[key(h)] {
			did[key(h)] = false // list it once
			out = append(out, h)
		}
	}
	return out
}

// key identifies a hook.
func key(h hooks.Hook) string {
	return fmt.Sprintf("%s\x00%s\x00%s\x00%s\x00%s:%d", h.Event, h.Matcher, h.Name, h.Target(), h.Source.File,
		h.Source.Line)
}

// settings returns a settings file with the hooks that ran: the project's, or all
// others. It is empty if there are none.
func (w writer) settings(project bool) (string, error) {
	file := settingsFile{Hooks: map[protocol.Event][]group{}}
	for _, h := range w.ran() {
		if (h.Source.Layer == hooks.LayerProject) != project || w.brought(h) {
			continue
		}
		e := entry{Handler: h.Handler, Name: w.clean.text(h.Name), Command: w.clean.code(h.Command),
			Timeout: h.Timeout.Milliseconds(), OnError: h.OnError, Dialect: h.Dialect}
		e.Type = h.Kind()
		for name, value := range h.Env {
			if e.Env == nil {
				e.Env = map[string]string{}
			}
			e.Env[name] = w.clean.code(value)
		}
		groups := file.Hooks[h.Event]
		if n := len(groups); n > 0 && groups[n-1].Matcher == h.Matcher && groups[n-1].Sequential == h.Sequential {
			groups[n-1].Hooks = append(groups[n-1].Hooks, e)
		} else {
			groups = append(groups, group{Matcher: h.Matcher, Sequential: h.Sequential, Hooks: []entry{e}})
		}
		file.Hooks[h.Event] = groups
	}
	if len(file.Hooks) == 0 {
		if project {
			return "{}\n", nil
		}
		return "", nil
	}
	return layOut(file)
}

// layOut formats a settings file with one entry per line.
func layOut(file settingsFile) (string, error) {
	var b strings.Builder
	b.WriteString("{\"hooks\": {\n")
	var events []string
	for _, ev := range protocol.Events {
		groups, ok := file.Hooks[ev]
		if !ok {
			continue
		}
		var lines []string
		for _, g := range groups {
			data, err := protocol.Encode(g)
			if err != nil {
				return "", fmt.Errorf("recording the hooks: %w", err)
			}
			lines = append(lines, "    "+string(data))
		}
		events = append(events, fmt.Sprintf("  %q: [\n%s\n  ]", ev, strings.Join(lines, ",\n")))
	}
	b.WriteString(strings.Join(events, ",\n") + "\n}}\n")
	return b.String(), nil
}

// outside names the programs of hooks that are not in the case.
func (w writer) outside() []string {
	var out []string
	for _, h := range w.ran() {
		for _, c := range config.Calls(h, w.o.Project, nil) {
			for _, word := range c.Words[:min(2, len(c.Words))] {
				if !strings.HasPrefix(word, w.o.Home+"/") || len(w.o.Home) < 2 {
					continue
				}
				if _, in := w.scripts.name(word); in {
					continue
				}
				note := fmt.Sprintf("The hook %s runs %s, which is outside the project and not part of the case.",
					w.clean.text(h.ID()), w.clean.code(word))
				if !slices.Contains(out, note) {
					out = append(out, note)
				}
			}
		}
	}
	return out
}
