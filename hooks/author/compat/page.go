package compat

import (
	_ "embed"
	"fmt"
	"html"
	"io"
	"strings"

	"minigem/hooks/agents"
	"minigem/internal/page"
)

// The parts of the page, which needs no network: everything is in it.
var (
	//go:embed page.css
	own string // style
	//go:embed page.js
	script string
	//go:embed page.html
	frame string
)

// pageCell is one cell. Class is its style, and Hint what the mouse shows.
type pageCell struct {
	Agent, Words, Class, Hint string
}

// pageRow is a row; Find is the text that the search field of the page looks in, in
// lower case.
type pageRow struct {
	Name, Prints, Find string
	Cells              []pageCell
}

// pageTable is a table with a column for each agent. ID is where links lead.
type pageTable struct {
	Title, Point, ID string
	Agents           []pageCell
	Rows             []pageRow
}

// WritePage writes one HTML page with all tables. It loads nothing else, and its
// Content-Security-Policy allows only its own script and styles. The errors are those
// of w.
func WritePage(w io.Writer) error {
	others := agents.All()
	about := []pageTable{about(others), eventTable(others)}
	var tables []pageTable
	for _, p := range points {
		tables = append(tables, answerTable(p, others))
	}
	tables = append(tables, about...)
	var choose, nav, body strings.Builder
	for _, a := range others {
		fmt.Fprintf(&choose, `<label><input type="checkbox" checked value="%s"> %s</label> `, html.EscapeString(a.ID),
			html.EscapeString(a.Name))
	}
	for _, t := range tables {
		fmt.Fprintf(&nav, `<a href="#%s">%s</a> `, t.ID, html.EscapeString(t.Title))
		t.write(&body)
	}
	style := page.Base + page.Table + own
	policy := page.Policy(style, script)
	_, err := strings.NewReplacer("{{policy}}", policy, "{{style}}", style, "{{script}}", script,
		"{{agents}}", choose.String(), "{{nav}}", nav.String(), "{{tables}}", body.String()).WriteString(w, frame)
	if err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

// write writes t as HTML. Package html/template would do it, and make the
// linker keep every exported method of the program.
func (t pageTable) write(b *strings.Builder) {
	esc := html.EscapeString
	fmt.Fprintf(b, `<section><h2 id="%s">%s <small>%s</small></h2>`+"\n", t.ID, esc(t.Title), esc(t.Point))
	b.WriteString(`<div class="scroll" tabindex="0"><table><thead><tr><th scope="col"></th>`)
	for _, a := range t.Agents {
		fmt.Fprintf(b, `<th scope="col" data-agent="%s" title="%s">%[1]s</th>`, esc(a.Agent), esc(a.Hint))
	}
	b.WriteString("</tr></thead>\n<tbody>")
	for _, r := range t.Rows {
		name := esc(r.Name)
		if r.Prints != "" {
			name = fmt.Sprintf("<details><summary>%s</summary><pre>%s</pre></details>", name, esc(r.Prints))
		}
		fmt.Fprintf(b, `<tr data-find="%s"><th scope="row">%s</th>`, esc(r.Find), name)
		for _, c := range r.Cells {
			fmt.Fprintf(b, `<td data-agent="%s" class="%s" title="%s">%s</td>`, esc(c.Agent), esc(c.Class), esc(c.Hint),
				esc(c.Words))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody></table></div></section>\n")
}

// heads returns the heads of the columns.
func heads(others []*agents.Agent) []pageCell {
	var out []pageCell
	for _, a := range others {
		out = append(out, pageCell{Agent: a.ID, Words: a.Name, Hint: strings.TrimSpace(a.Title() + " " + a.Note)})
	}
	return out
}

// answerTable has a row for each answer that a hook can give at a point.
func answerTable(p place, others []*agents.Agent) pageTable {
	t := pageTable{Title: "When " + p.title, Point: string(p.point), ID: p.prefix, Agents: heads(others)}
	for _, name := range namesAt(p.prefix) {
		c := agents.Corpus()[name]
		r := pageRow{Name: name, Prints: prints(c)}
		for _, a := range others {
			words, e := say(a, name)
			cell := pageCell{Agent: a.ID, Words: words, Class: "unknown", Hint: a.Title() + ": unknown"}
			if words != "" {
				o, _, _ := a.Cell(name)
				cell.Class, cell.Hint = class(o), fmt.Sprintf("%s: %s, %s", a.Title(), words, e)
				if len(o.Model) > 0 {
					cell.Hint += ", the model reads it"
				}
				cell.Words += marks[e]
			} else {
				cell.Words = "?"
			}
			r.Cells = append(r.Cells, cell)
		}
		r.Find = strings.ToLower(name + " " + r.Prints)
		t.Rows = append(t.Rows, r)
	}
	return t
}

// class returns the CSS class of a cell.
func class(o agents.Observation) string {
	switch agents.Kind(o.Effect) {
	case agents.Allowed, agents.Kind(agents.NotFired):
		return "none"
	case agents.Context, agents.Appended, agents.Rewritten, agents.Replaced, agents.Kind(agents.Fired),
		agents.Answered:
		return "change"
	case agents.RunEnded:
		return "stop"
	}
	return "deny"
}

// prints describes what the hook of a case does.
func prints(c agents.Case) string {
	if c.Matcher != "" {
		return "matcher " + c.Matcher
	}
	var parts []string
	if c.Late != "" {
		parts = append(parts, "takes longer than it may")
	}
	parts = append(parts, fmt.Sprintf("exit %d", c.Exit))
	if c.Stdout != "" {
		parts = append(parts, "stdout "+c.Stdout)
	}
	if c.Stderr != "" {
		parts = append(parts, "stderr "+c.Stderr)
	}
	if c.Mode != "" {
		parts = append(parts, "where somebody would have to confirm the call")
	}
	return strings.Join(parts, "\n")
}

// about has a row for each property of the agents, without those that no agent has.
func about(others []*agents.Agent) pageTable {
	t := pageTable{Title: "Agents", ID: "agents", Agents: heads(others)}
	for _, f := range []struct {
		name string
		of   func(*agents.Agent) string
	}{
		{"version", func(a *agents.Agent) string { return a.Version }},
		{"evidence", func(a *agents.Agent) string { return string(a.Evidence) }},
		{"configuration", func(a *agents.Agent) string { return strings.Join(a.Config.Paths, ", ") }},
		{"trust", func(a *agents.Agent) string { return a.Config.Trust }},
		{"timeout", func(a *agents.Agent) string { return strings.TrimPrefix(timeoutOf(a), "?") }},
		{"at the timeout", func(a *agents.Agent) string {
			return map[string]string{"allow": "the action goes on"}[a.Timeout.OnExpiry]
		}},
		{"matcher", func(a *agents.Agent) string { return strings.TrimPrefix(a.Matcher.Kind, "unknown") }},
		{"retries of a stop", func(a *agents.Agent) string { return strings.TrimPrefix(retriesOf(a), "?") }},
		{"environment", func(a *agents.Agent) string { return rows(a.Env) }},
		{"keys of an entry", func(a *agents.Agent) string { return rows(a.Entry) }},
		{"payload", func(a *agents.Agent) string { return rows(a.Payload) }},
		{"tools", func(a *agents.Agent) string { return tools(a) }},
		{"cannot be played", func(a *agents.Agent) string { return strings.Join(a.Cannot, "; ") }},
	} {
		t.Rows = append(t.Rows, factRow(f.name, others, f.of))
	}
	return t
}

// rows lists names with their values in one line.
func rows(rs []agents.Row) string {
	var out []string
	for _, r := range rs {
		if r.Value == "" {
			out = append(out, r.Name)
		} else {
			out = append(out, r.Name+": "+r.Value)
		}
	}
	return strings.Join(out, "; ")
}

// tools lists the agent's names of tools by what they do.
func tools(a *agents.Agent) string {
	var out []string
	for _, t := range a.Tools {
		out = append(out, t.Action+": "+t.Hook)
	}
	return strings.Join(out, "; ")
}

// eventTable has a row for each point of the lifecycle, with the agents' names of it.
func eventTable(others []*agents.Agent) pageTable {
	t := pageTable{Title: "Events", ID: "events", Agents: heads(others)}
	for _, p := range allPoints() {
		t.Rows = append(t.Rows, factRow(string(p), others, func(a *agents.Agent) string {
			e, ok := a.Event(p)
			switch {
			case !ok:
				return ""
			case e.Fires == "no":
				return e.Native + " (not in one-shot)"
			}
			return e.Native + marks[a.Of(e.Evidence)]
		}))
	}
	return t
}

// factRow makes a row of facts; what is not known is "?".
func factRow(name string, others []*agents.Agent, of func(*agents.Agent) string) pageRow {
	r := pageRow{Name: name, Find: strings.ToLower(name)}
	for _, a := range others {
		c := pageCell{Agent: a.ID, Words: of(a), Class: "fact", Hint: a.Title()}
		if c.Words == "" {
			c.Words, c.Class = "?", "unknown"
		}
		r.Find += " " + strings.ToLower(c.Words)
		r.Cells = append(r.Cells, c)
	}
	return r
}
