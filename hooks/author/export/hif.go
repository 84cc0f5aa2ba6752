package export

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"minigem/hooks/dialect"
	"minigem/hooks/hif"
)

// hifFiles are where hooks in the Hook Interchange Format are written: the first
// that is there, else the last.
var hifFiles = []string{"hif.yaml", "hif.json"}

// addHIF adds hooks to the document of the project, in the words of no agent.
func (x *exporter) addHIF(all []hook) error {
	name := hifFiles[len(hifFiles)-1]
	for _, other := range hifFiles {
		data, err := x.read(other)
		if err != nil {
			return err
		}
		if len(data) > 0 {
			name = other
			break
		}
	}
	file, err := x.open(name)
	if err != nil {
		return err
	}
	var doc hif.Document
	if len(file.before) > 0 {
		if doc, err = hif.Parse(file.before); err != nil {
			return fmt.Errorf("%s: %w", file.name, err)
		}
	}
	for _, h := range all {
		if out, ok := x.hifHook(h); ok && !slices.ContainsFunc(doc.Hooks, func(other hif.Hook) bool { return reflect.DeepEqual(other, out) }) {
			doc.Hooks = append(doc.Hooks, out)
			x.added++
		}
	}
	if x.added == 0 {
		return nil
	}
	write := doc.Bytes
	if file.doc == nil {
		write = doc.YAML
	}
	data, err := write()
	file.text, file.doc = string(data), nil
	return err
}

// hifHook writes h in the words of the format, and notes what they leave out;
// not ok: the format has no word for its event.
func (x *exporter) hifHook(h hook) (hif.Hook, bool) {
	point := x.pointOf(h.event)
	if point == "" {
		x.say(h, "lost", "the format has no word for %s", h.event)
		return hif.Hook{}, false
	}
	if h.sequence {
		x.say(h, "lost", "sequential: the format has no order of hooks")
	}
	if x.Bare && cmp.Or(h.dialect, "gemini") == "gemini" {
		x.say(h, "differs", "of an answer the format has decision, reason and continue: hookSpecificOutput is left out")
	}
	return hif.Hook{
		Event: string(point), Matcher: x.hifMatcher(h),
		Handler:  hif.Handler{Type: "command", Command: x.command(h), Timeout: h.timeout.Seconds()},
		Blocking: slices.Contains([]dialect.Point{dialect.BeforeTool, dialect.BeforePrompt, dialect.AgentStop}, point),
	}, true
}

// hifMatcher translates the matcher of h to words of the format. What it has no
// word for is a pattern of the names in Gemini CLI.
func (x *exporter) hifMatcher(h hook) *hif.Matcher {
	if !h.event.IsTool() || h.matcher == "" || h.matcher == "*" {
		return nil
	}
	speaker, err := dialect.Find(cmp.Or(h.dialect, "gemini"))
	if err != nil {
		speaker = x.gemini
	}
	m := &hif.Matcher{}
	known := 0
	for _, action := range dialect.Actions {
		tool, ok := speaker.Tool(action)
		if !ok {
			continue
		}
		known++
		if fires, _ := speaker.Fires(h.matcher, tool.Hook); !fires {
			continue
		}
		if word := hif.Word(action); word != "" {
			m.Words = append(m.Words, word)
		} else {
			m.Patterns = append(m.Patterns, "^"+tool.Hook+"$")
			x.say(h, "differs", "the format has no word for %s: other agents have no tool of that name", tool.Hook)
		}
	}
	switch len(m.Words) + len(m.Patterns) {
	case known:
		return nil
	case 0:
		x.say(h, "differs", "the matcher %q is about names of Gemini CLI: other agents may have no such tool", strings.TrimSpace(h.matcher))
		m.Patterns = []string{h.matcher}
	}
	return m
}
