package schema

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"minigem/hooks/elsewhere"
	"minigem/hooks/protocol"
)

// Tables returns the generated parts of the pages in docs, by the names in their
// markers.
func Tables() (map[string]string, error) {
	tables := map[string]string{"events": eventTable(), "output": outputTable()}
	base, err := of(reflect.TypeFor[protocol.Base]())
	if err != nil {
		return nil, err
	}
	tables["base"] = fieldTable(base, nil)
	for _, ev := range protocol.Events {
		s, err := Input(ev)
		if err != nil {
			return nil, err
		}
		tables["input "+string(ev)] = fieldTable(s, base)
	}
	tables["names"] = nameTable()
	tables["differences"] = differenceTable("Gemini CLI 0.61")
	return tables, nil
}

// Render puts the tables between the markers of a page, and returns the names of the
// tables that it used:
//
//	<!-- generated: name -->
//	...
//	<!-- end -->
//
// It fails on a marker without a table or without an end.
func Render(page string, tables map[string]string) (fresh string, used []string, err error) {
	const open, shut = "<!-- generated: ", "<!-- end -->"
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(page, open)
		out.WriteString(before)
		if !found {
			break
		}
		name, rest, _ := strings.Cut(rest, " -->")
		table, known := tables[name]
		_, after, closed := strings.Cut(rest, shut)
		if !known || !closed {
			return "", nil, fmt.Errorf("rendering the page: no table %q, or no end of it", name)
		}
		used = append(used, name)
		fmt.Fprintf(&out, "%s%s -->\n%s%s", open, name, table, shut)
		page = after
	}
	return out.String(), used, nil
}

func eventTable() string {
	var b strings.Builder
	b.WriteString("| event | can deny and stop | can ask | matcher sees |\n|---|---|---|---|\n")
	for _, ev := range protocol.Events {
		sees := "nothing: leave it out"
		switch {
		case ev.IsAgent():
			sees = "the agent's name (regular expression)"
		case ev.IsTool():
			sees = "the tool's name (regular expression)"
		case ev.HasSubject():
			sees = code(ev.Triggers()...)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", ev, yes(ev.CanBlock()), yes(ev.CanAsk()), sees)
	}
	return b.String()
}

func outputTable() string {
	about := map[string]string{}
	if s, err := of(protocol.OutputType()); err == nil {
		for _, part := range []*jsonschema.Schema{s, s.Properties["hookSpecificOutput"]} {
			for name, p := range part.Properties {
				about[name] = p.Description
			}
		}
	}
	about["hookEventName"] = "the event's name; never needed"
	older := map[string]string{
		"modifiedRequest": "`llm_request`", "syntheticResponse": "`llm_response`", "modifiedResponse": "`llm_response`",
		"content": "`llm_response`, as a text", "toolConfig": "`toolConfig`", "clearContext": "`clearContext`",
	}
	var b strings.Builder
	b.WriteString("| field | meaning | has an effect in |\n|---|---|---|\n")
	for _, f := range protocol.Gemini().Fields() {
		name, meaning := code(f.Name), about[f.Name]
		if f.Nested {
			name = code("hookSpecificOutput." + f.Name)
		}
		if f.Older {
			meaning = "older spelling of " + older[f.Name]
		}
		where := "all"
		if len(f.Events) < len(protocol.Events) {
			where = list(f.Events)
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", name, meaning, where)
	}
	return b.String()
}

// fieldTable lists the fields of s, except those in without.
func fieldTable(s, without *jsonschema.Schema) string {
	var b strings.Builder
	b.WriteString("| field | type | meaning |\n|---|---|---|\n")
	for _, name := range s.PropertyOrder {
		if without != nil && without.Properties[name] != nil {
			continue
		}
		p := s.Properties[name]
		optional := ""
		if !slices.Contains(s.Required, name) {
			optional = ", if any"
		}
		fmt.Fprintf(&b, "| %s | %s%s | %s |\n", code(name), typeName(p), optional, p.Description)
	}
	return b.String()
}

func typeName(s *jsonschema.Schema) string {
	if s.Type == "" {
		return "any"
	}
	return s.Type
}

// nameTable lists the names of tools in matchers.
func nameTable() string {
	var b strings.Builder
	b.WriteString("| tool | also matched by | in the Claude Code dialect |\n|---|---|---|\n")
	names := map[string]bool{}
	for _, m := range []map[string]string{protocol.ClassNames, protocol.LegacyNames, protocol.Claude().Tools} {
		for n := range m {
			names[n] = true
		}
	}
	for _, n := range slices.Sorted(maps.Keys(names)) {
		var also []string
		for _, m := range []map[string]string{protocol.LegacyNames, protocol.ClassNames} {
			if other, ok := m[n]; ok {
				also = append(also, other)
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", code(n), code(also...), code(protocol.Claude().Tools[n]))
	}
	return b.String()
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

func code(names ...string) string {
	var out []string
	for _, n := range names {
		if n != "" {
			out = append(out, "`"+n+"`")
		}
	}
	return strings.Join(out, ", ")
}

func list(events []protocol.Event) string {
	out := make([]string, len(events))
	for i, e := range events {
		out[i] = string(e)
	}
	return strings.Join(out, ", ")
}

// differenceTable lists what an agent does differently. A star marks differences that
// "hooks explain" or the report of a run shows.
func differenceTable(agent string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| | %s | minigem | id |\n|---|---|---|---|\n", agent)
	for _, d := range elsewhere.Differences() {
		if d.Agent != agent {
			continue
		}
		star := ""
		if d.Shown != 0 {
			star = " *"
		}
		cell := strings.NewReplacer("|", `\|`).Replace
		fmt.Fprintf(&b, "| %s%s | %s | %s | `%s` |\n", cell(d.When), star, cell(d.There), cell(d.Here), d.ID)
	}
	return b.String()
}
