package lint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"minigem/hooks"
	"minigem/hooks/agents"
	"minigem/hooks/author/program"
	"minigem/hooks/config"
)

// elsewhere checks how another agent treats h, by the tables of hooks/agents. Nothing
// is said about a hook that is written for that agent, or that translates itself.
func (l *linter) elsewhere(h hooks.Hook, a *agents.Agent) {
	if strings.Contains(h.Command, "hooks run --portable") {
		return // it translates
	}
	own := speaker(h)
	if own == nil || own.ID == a.ID {
		return
	}
	gemini, err := agents.Find("gemini")
	if err != nil {
		return // unreachable: it is in the table
	}
	point := gemini.PointOf(string(h.Event))
	src := h.Source
	event, has := a.Event(point)
	if !has {
		if len(a.Events) > 0 {
			l.add("HK072", src.File, src.Line, nil, "%s has no event at %s", a.Title(), h.Event)
		}
		return
	}
	if a.Config.Silent {
		l.add("HK073", src.File, 0, nil, "%s: %s", a.Title(), a.Config.Trust)
	}
	l.matcherElsewhere(h, own, a)
	for _, u := range config.VariableUses(h.Command) {
		if a.Of("") == agents.Measured && a.Config.Shape != "plugin" &&
			!slices.ContainsFunc(a.Env, func(r agents.Row) bool { return r.Name == u.Name }) {
			l.add("HK074", src.File, src.Line, nil, "%s does not set $%s", a.Title(), u.Name)
		}
	}
	for _, f := range l.of(h) {
		for _, field := range f.Fields {
			if name := lacks(field, point, own, a); name != "" {
				place{l, h, f}.add("HK075", &program.Fact{Line: field.Line, Text: name}, nil, "hooks read no %s at %s of %s", name,
					event.Native, a.Title())
			}
		}
		for _, x := range refusals(point, own, f) {
			if there := a.Read(x.answer); there.Kind != agents.Unknown && !there.Prevents() {
				place{l, h, f}.add("HK070", x.fact, nil, "%s refuses in %s; at %s of %s it allows: %s", x.says, own.Name,
					event.Native, a.Title(), there.Because())
			}
		}
	}
}

// lacks returns the field that the program reads in its own agent's payload if a's
// payload has neither it nor any of its alternatives. It returns "" if a has one of
// them, or if that is not known.
func lacks(f program.Field, point agents.Point, own, a *agents.Agent) string {
	name := ""
	for _, path := range f.Paths {
		if has, known := a.HasField(point, path); has || !known {
			return ""
		}
		if has, _ := own.HasField(point, path); has && name == "" {
			name = "." + strings.Join(path, ".")
		}
	}
	return name
}

// speaker returns the agent in whose dialect h is written. It returns nil for a dialect
// that is not known.
func speaker(h hooks.Hook) *agents.Agent {
	name := h.Dialect
	if name == "" {
		name = "gemini"
	}
	a, err := agents.Find(name)
	if err != nil {
		return nil
	}
	return a
}

// matcherElsewhere finds a matcher that matches a tool here but never matches the same
// tool there.
func (l *linter) matcherElsewhere(h hooks.Hook, own, a *agents.Agent) {
	if !h.Event.IsTool() || h.Matcher == "" {
		return
	}
	var names []string
	for _, action := range agents.Actions {
		ours, ok := own.Tool(action)
		theirs, has := a.Tool(action)
		if !ok || !has {
			continue
		}
		if fires, _ := own.Fires(h.Matcher, ours.Hook); !fires {
			continue
		}
		if fires, known := a.Fires(h.Matcher, theirs.Hook); fires || !known {
			return
		}
		if !slices.Contains(names, theirs.Hook) {
			names = append(names, theirs.Hook)
		}
	}
	if len(names) > 0 {
		l.add("HK071", h.Source.File, h.Source.Line, nil, "matcher %q never fires in %s: what it means is called %s there",
			h.Matcher, a.Title(), strings.Join(names, ", "))
	}
}

// refusalOf is an answer of a program that refuses in its own agent, with the place
// where it says so.
type refusalOf struct {
	says   string
	fact   *program.Fact
	answer agents.Answer
}

// refusals returns the answers in a program's text, by JSON and by exit code, that
// refuse in the program's own agent.
func refusals(point agents.Point, own *agents.Agent, f program.Facts) []refusalOf {
	var all []refusalOf
	keep := func(x refusalOf) {
		if x.answer.Point = point; x.answer.Exit == 2 || own.Read(x.answer).Prevents() { // exit 2 always refuses here
			all = append(all, x)
		}
	}
	exit2 := f.Exit(is(2))
	code := 0 // the exit code of printed answers, if the program has only one exit
	if len(f.Exits) == 1 {
		code, _ = strconv.Atoi(f.Exits[0].Text) // anything but a number is unknown
	}
	for i := range f.Stdout {
		if text := f.Stdout[i].Text; exit2 == nil {
			keep(refusalOf{oneLine(text), &f.Stdout[i], agents.Answer{Exit: code, Stdout: text}})
		}
	}
	for i := range f.Stderr {
		text := f.Stderr[i].Text
		switch {
		case exit2 != nil || len(f.Stdout) > 0:
		case code > 2:
			keep(refusalOf{fmt.Sprintf("exit %d with a reason on stderr", code), &f.Exits[0],
				agents.Answer{Exit: code, Stderr: "a reason"}})
		case isObject(text):
			keep(refusalOf{oneLine(text) + " on stderr", &f.Stderr[i], agents.Answer{Exit: code, Stderr: text}})
		}
	}
	if exit2 != nil {
		x := refusalOf{"exit 2 with a reason on stderr", exit2, agents.Answer{Exit: 2, Stderr: "a reason"}}
		if i := slices.IndexFunc(f.Stdout, func(s program.Fact) bool { return isObject(s.Text) }); i >= 0 {
			x.says, x.answer.Stdout = "exit 2 with "+oneLine(f.Stdout[i].Text), f.Stdout[i].Text
			if len(f.Stderr) == 0 {
				x.answer.Stderr = ""
			}
		} else if f.Silent {
			x.says, x.answer.Stderr = "exit 2 without a reason", ""
		} else if len(f.Stderr) == 0 && len(f.Stdout) > 0 {
			x.says, x.answer.Stdout, x.answer.Stderr = "exit 2 with a reason on stdout", f.Stdout[0].Text, ""
		}
		keep(x)
	}
	return all
}

// isObject reports whether a text looks like a JSON object.
func isObject(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}")
}

// oneLine puts the beginning of a text, 80 bytes, on one line.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	return text[:min(len(text), 80)]
}
