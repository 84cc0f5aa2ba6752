package agents

import (
	_ "embed" // for the page
	"fmt"
	"html"
	"io"
	"strings"

	"minigem/e2e/testbed"
	"minigem/internal/page"
	"minigem/internal/text"
)

var (
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string
	//go:embed page.html
	pageFrame string
)

// WritePage writes the matrix as one self-contained HTML page: cases and assertions by
// agent, followed by why cells failed. It does not use html/template, because that would
// make the linker keep every exported method.
func (m *Matrix) WritePage(w io.Writer) error {
	style := page.Base + page.Table + pageStyle
	_, err := strings.NewReplacer("{{policy}}", page.Policy(style, pageScript), "{{style}}", style, "{{script}}",
		pageScript,
		"{{title}}", safe("Hooks on "+text.Plural(len(m.Columns), "agent")), "{{summary}}",
		safe(strings.TrimSpace(m.summary())),
		"{{table}}", m.pageTable(), "{{reasons}}", m.pageReasons()).WriteString(w, pageFrame)
	if err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

// safe escapes foreign text for an element or an attribute.
func safe(s string) string { return html.EscapeString(text.Visible(s)) }

func (m *Matrix) pageTable() string {
	var b strings.Builder
	dir := m.folder()
	fmt.Fprintf(&b, `<table><thead><tr><th scope="col">%s</th>`, safe(dir))
	for _, c := range m.Columns {
		class := ""
		if c.New && c.Cannot == "" {
			class = ` class="new"`
		}
		fmt.Fprintf(&b, `<th scope="col">%s<small%s>%s</small></th>`, safe(c.Name), class, safe(c.version()))
	}
	b.WriteString("</tr></thead>\n")
	for n, name := range m.Cases {
		m.pageCase(&b, n, name, strings.TrimPrefix(name, dir))
	}
	return b.String() + "</table>"
}

// pageCase writes a case and its assertions.
func (m *Matrix) pageCase(b *strings.Builder, n int, name, short string) {
	checks := m.checks(name)
	find, red := strings.ToLower(name), ""
	for _, c := range checks {
		find += " " + strings.ToLower(c.Command)
	}
	for _, column := range m.Columns {
		if s := m.Cells[name][column.Name].State; s == Fail {
			red, find = ` data-red="1"`, find+" "+column.Name
		}
	}
	fmt.Fprintf(b, `<tbody data-find="%s"%s><tr class="case"><th scope="row"><button type="button" `+
		`aria-expanded="false">%s</button></th>`, safe(find), red, safe(short))
	for i, column := range m.Columns {
		c := m.Cells[name][column.Name]
		words, took := c.short(false), ""
		if c.State == Fail || c.State == Known || c.State == Cannot && column.Cannot == "" {
			words = fmt.Sprintf(`<a href="#c%d-%d">%s</a>`, n, i, words)
		}
		if t := c.time(); t != "" {
			took = " <small>" + t + "</small>"
		}
		fmt.Fprintf(b, `<td data-agent="%s" class="%s"><span>%s%s</span></td>`, safe(c.Agent), c.State, words, took)
	}
	b.WriteString("</tr>\n")
	for _, check := range checks {
		fmt.Fprintf(b, `<tr class="assertion" hidden><th scope="row">%s</th>`, safe(check.Command))
		for _, column := range m.Columns {
			class, words, hint := m.Cells[name][column.Name].sign(check.Where)
			fmt.Fprintf(b, `<td data-agent="%s" class="%s" title="%s">%s</td>`, safe(column.Name), class, safe(hint), words)
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody>\n")
}

// checks returns the assertions of a case, from the agent that got furthest.
func (m *Matrix) checks(name string) []testbed.Check {
	var most []testbed.Check
	for _, c := range m.Cells[name] {
		if len(c.Result.Checks) > len(most) {
			most = c.Result.Checks
		}
	}
	return most
}

// sign returns the outcome of the assertion at where.
func (c *Cell) sign(where string) (class, words, hint string) {
	for _, check := range c.Result.Checks {
		switch {
		case check.Where != where:
		case check.Unasked != "":
			return "cannot", "–", check.Unasked
		case check.Passed:
			return "pass", "holds", ""
		default:
			return "fail", "does not hold", check.Actual
		}
	}
	return "cannot", "–", c.Why
}

// pageReasons says why cells failed or could not be judged, and what would hold on all
// agents.
func (m *Matrix) pageReasons() string {
	var b strings.Builder
	if advice := m.advice(); advice != "" {
		b.WriteString(`<h2>Answers that would hold on all agents</h2><div id="advice">`)
		for line := range strings.Lines(advice) {
			fmt.Fprintf(&b, "<p>%s</p>", safe(strings.TrimSpace(line)))
		}
		b.WriteString("</div>\n")
	}
	b.WriteString("<h2>Why</h2>\n")
	before := b.Len()
	for _, column := range m.Columns {
		if column.Cannot != "" {
			article(&b, "", "cannot", column.Name, "", "<p>"+safe(column.Cannot)+"</p>")
		}
	}
	for n, name := range m.Cases {
		for i, column := range m.Columns {
			c, id := m.Cells[name][column.Name], fmt.Sprintf("c%d-%d", n, i)
			switch {
			case c.State == Fail:
				article(&b, id, "fail", column.Name, name, c.pageFailure())
			case c.State == Known || c.State == Cannot && column.Cannot == "":
				article(&b, id, string(c.State), column.Name, name, "<p>"+safe(c.Why)+"</p>")
			}
		}
	}
	if b.Len() == before {
		b.WriteString("<p>All cells are green.</p>")
	}
	return b.String()
}

func article(b *strings.Builder, id, class, agent, name, body string) {
	title := agent
	if name != "" {
		title = name + " on " + agent
	}
	fmt.Fprintf(b, `<article id="%s" class="%s" data-find="%s"><h3>%s: <span>%s</span></h3>%s</article>`+"\n", id, class,
		safe(strings.ToLower(title)), safe(title), class, body)
}

// pageFailure is explain in HTML.
func (c *Cell) pageFailure() string {
	var b strings.Builder
	for _, f := range c.Result.Failures {
		fmt.Fprintf(&b, "<p><code>%s</code></p><pre>%s</pre>", safe(f.Head()), safe(strings.TrimSpace(f.Actual)))
	}
	for _, line := range c.seen() {
		seen, why, _ := strings.Cut(line, "\n      why: ")
		fmt.Fprintf(&b, "<p>seen: <code>%s</code></p>", safe(seen))
		if why != "" {
			fmt.Fprintf(&b, `<p class="why">%s</p>`, safe(why))
		}
	}
	return b.String()
}
