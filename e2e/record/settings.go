package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"minigem/hooks"
	"minigem/hooks/config"
	"minigem/hooks/protocol"
	"minigem/llm"
	"minigem/llm/script"
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
		If      string            `json:"if,omitempty"`
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
func (w writer) settings(project bool) string {
	file := settingsFile{Hooks: map[protocol.Event][]group{}}
	for _, h := range w.ran() {
		if (h.Source.Layer == hooks.LayerProject) != project || w.brought(h) {
			continue
		}
		file.Hooks[h.Event] = append(file.Hooks[h.Event], group{h.Matcher, h.Sequential, []entry{w.entry(h)}})
	}
	if len(file.Hooks) == 0 && !project {
		return ""
	}
	var b bytes.Buffer
	data, _ := protocol.Encode(file) // what came from JSON is valid
	_ = json.Indent(&b, data, "", "  ")
	return b.String() + "\n"
}

// entry returns the entry of a hook, without secrets.
func (w writer) entry(h hooks.Hook) entry {
	e := entry{Handler: h.Handler, Name: w.clean.text(h.Name), Command: w.clean.code(h.Command), If: h.If,
		Timeout: h.Timeout.Milliseconds(), Env: map[string]string{}, OnError: h.OnError, Dialect: h.Dialect}
	e.Type = h.Kind()
	for name, value := range h.Env {
		e.Env[name] = w.clean.code(value)
	}
	return e
}

// portable returns the hooks that ran in the short form, which other agents play too. It
// is empty if one of them does not fit.
func (w writer) portable() string {
	var b strings.Builder
	for _, h := range w.ran() {
		e, tools := w.entry(h), toolWords(h)
		short := entry{Name: e.Name, Command: e.Command, Timeout: e.Timeout, Env: map[string]string{}}
		short.Type = "command"
		if tools == "" || h.Source.Layer != hooks.LayerProject || h.Sequential || h.Within != (hooks.Part{}) ||
			!reflect.DeepEqual(e, short) {
			w.notes = append(w.notes, "The hook "+w.clean.text(h.ID())+" does not fit in a line of -- hooks --, such as "+
				"before-tool shell ./guard.sh: --as and --on play only hooks that do.")
			return ""
		}
		fmt.Fprintf(&b, "%s%s%s", h.Event, tools, wordOf(e.Command))
		if e.Timeout > 0 {
			fmt.Fprintf(&b, " timeout=%s", h.Timeout)
		}
		if e.Name != "" {
			b.WriteString(" name=" + wordOf(e.Name))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// toolWords returns the portable names of the tools that h is for, between blanks, and a
// blank for an event without tools. It is empty if h's matcher selects anything else.
func toolWords(h hooks.Hook) string {
	var words []string
	switch {
	case !slices.Contains([]string{"", "*", ".*"}, h.Matcher):
	case h.Event.IsTool():
		return " * "
	default:
		return " "
	}
	for _, tool := range config.BuiltinTools() {
		if hooks.Matcher(h.Matcher).Finds(tool) {
			action, _ := script.ActionOf(llm.ToolCall{Name: tool})
			words = append(words, string(action.Kind))
		}
	}
	if !h.Event.IsTool() || words == nil || slices.Contains(words, "") {
		return ""
	}
	return " " + strings.Join(words, "|") + " "
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
