package compat

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"

	"minigem/hooks/dialect"
)

var (
	//go:embed page.css
	style string
	//go:embed page.js
	script string
	//go:embed page.html
	frame string
)

var page = template.Must(template.New("page").Parse(frame))

type pageCell struct {
	Agent, Words, Class, Hint string
}

type pageRow struct {
	Name, Prints, Find string
	Cells              []pageCell
}

type pageTable struct {
	Title, Point, ID string
	Agents           []pageCell
	Rows             []pageRow
}

// WritePage writes one page of all tables. It needs nothing but itself.
func WritePage(w io.Writer) error {
	agents := dialect.All()
	data := struct {
		Policy        string
		Style         template.CSS
		Script        template.JS
		Agents        []*dialect.Agent
		About, Tables []pageTable
	}{
		Policy: fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'", digest(style), digest(script)),
		Style:  template.CSS(style), Script: template.JS(script), Agents: agents, //nolint:gosec // both are files of this package
		About: []pageTable{about(agents), eventTable(agents)},
	}
	for _, p := range points {
		data.Tables = append(data.Tables, answerTable(p, agents))
	}
	if err := page.Execute(w, data); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

func heads(agents []*dialect.Agent) []pageCell {
	var out []pageCell
	for _, a := range agents {
		out = append(out, pageCell{Agent: a.ID, Words: a.Name, Hint: strings.TrimSpace(a.Title() + " " + a.Note)})
	}
	return out
}

func answerTable(p place, agents []*dialect.Agent) pageTable {
	t := pageTable{Title: "When " + p.title, Point: string(p.point), ID: p.prefix, Agents: heads(agents)}
	for _, name := range namesAt(p.prefix) {
		c := dialect.Corpus()[name]
		r := pageRow{Name: name, Prints: prints(c)}
		for _, a := range agents {
			words, e := say(a, name)
			cell := pageCell{Agent: a.ID, Words: words, Class: "unknown", Hint: a.Title() + ": nobody knows"}
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

// class is what a cell looks like.
func class(o dialect.Observation) string {
	switch dialect.Kind(o.Effect) {
	case dialect.Allowed, dialect.Kind(dialect.NotFired):
		return "none"
	case dialect.Context, dialect.Appended, dialect.Rewritten, dialect.Replaced, dialect.Kind(dialect.Fired), dialect.Answered:
		return "change"
	case dialect.RunEnded:
		return "stop"
	}
	return "deny"
}

// prints is what a hook of a case does.
func prints(c dialect.Case) string {
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

func about(agents []*dialect.Agent) pageTable {
	t := pageTable{Title: "Agents", ID: "agents", Agents: heads(agents)}
	for _, f := range []struct {
		name string
		of   func(*dialect.Agent) string
	}{
		{"version", func(a *dialect.Agent) string { return a.Version }},
		{"evidence", func(a *dialect.Agent) string { return string(a.Evidence) }},
		{"configuration", func(a *dialect.Agent) string { return strings.Join(a.Config.Paths, ", ") }},
		{"trust", func(a *dialect.Agent) string { return a.Config.Trust }},
		{"time-out", func(a *dialect.Agent) string { return strings.TrimPrefix(timeoutOf(a), "?") }},
		{"at the time-out", func(a *dialect.Agent) string {
			return map[string]string{"allow": "the action goes on"}[a.Timeout.OnExpiry]
		}},
		{"matcher", func(a *dialect.Agent) string { return strings.TrimPrefix(a.Matcher.Kind, "unknown") }},
		{"retries of a stop", func(a *dialect.Agent) string { return strings.TrimPrefix(retriesOf(a), "?") }},
		{"environment", func(a *dialect.Agent) string { return rows(a.Env) }},
		{"keys of an entry", func(a *dialect.Agent) string { return rows(a.Entry) }},
		{"payload", func(a *dialect.Agent) string { return rows(a.Payload) }},
		{"tools", func(a *dialect.Agent) string { return tools(a) }},
		{"cannot be played", func(a *dialect.Agent) string { return strings.Join(a.Cannot, "; ") }},
	} {
		t.Rows = append(t.Rows, factRow(f.name, agents, f.of))
	}
	return t
}

func rows(rs []dialect.Row) string {
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

func tools(a *dialect.Agent) string {
	var out []string
	for _, t := range a.Tools {
		out = append(out, t.Action+": "+t.Hook)
	}
	return strings.Join(out, "; ")
}

func eventTable(agents []*dialect.Agent) pageTable {
	t := pageTable{Title: "Events", ID: "events", Agents: heads(agents)}
	for _, p := range allPoints() {
		t.Rows = append(t.Rows, factRow(string(p), agents, func(a *dialect.Agent) string {
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

func factRow(name string, agents []*dialect.Agent, of func(*dialect.Agent) string) pageRow {
	r := pageRow{Name: name, Find: strings.ToLower(name)}
	for _, a := range agents {
		c := pageCell{Agent: a.ID, Words: of(a), Class: "fact", Hint: a.Title()}
		if c.Words == "" {
			c.Words, c.Class = "?", "unknown"
		}
		r.Find += " " + strings.ToLower(c.Words)
		r.Cells = append(r.Cells, c)
	}
	return r
}
