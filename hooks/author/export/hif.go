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
	var draft *draft
	for _, name := range hifFiles {
		data, err := x.read(name)
		if err != nil {
			return err
		}
		if len(data) == 0 && name != hifFiles[len(hifFiles)-1] {
			continue
		}
		if draft, err = x.open(name); err != nil {
			return err
		}
		break
	}
	var doc hif.Document
	var err error
	if len(draft.before) > 0 {
		if doc, err = hif.Parse(draft.before); err != nil {
			return fmt.Errorf("%s: %w", draft.name, err)
		}
	}
	for _, h := range all {
		point := x.gemini.PointOf(string(h.event))
		if point == "" {
			x.say(h, "lost", "the format has no word for %s", h.event)
			continue
		}
		if h.sequence {
			x.say(h, "lost", "sequential: the format has no order of hooks")
		}
		out := hif.Hook{
			Event: string(point), Matcher: x.hifMatcher(h), Handler: hif.Handler{Type: "command", Command: x.command(h), Timeout: h.timeout.Seconds()},
			Blocking: slices.Contains([]dialect.Point{dialect.BeforeTool, dialect.BeforePrompt, dialect.AgentStop}, point),
		}
		if x.Bare && cmp.Or(h.dialect, "gemini") == "gemini" {
			x.say(h, "differs", "of an answer the format has decision, reason and continue: hookSpecificOutput is left out")
		}
		if !slices.ContainsFunc(doc.Hooks, func(other hif.Hook) bool { return reflect.DeepEqual(other, out) }) {
			doc.Hooks = append(doc.Hooks, out)
			x.added++
		}
	}
	if x.added == 0 {
		return nil
	}
	write := doc.Bytes
	if draft.doc == nil {
		write = doc.YAML
	}
	data, err := write()
	draft.text, draft.doc = string(data), nil
	return err
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
