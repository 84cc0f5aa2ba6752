package testbed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/txtar"
)

// rowsSection names a table of inputs. Its first line names the columns. The case runs
// once for each of the other lines.
const rowsSection = "rows"

const mostRows = 1000

// row is a row of the table.
type row struct {
	name   string // its values, joined
	values map[string]string
}

// column matches ${name} in the script and the model section.
var column = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{([A-Za-z_]\w*)\}`) })

// table parses the rows of a case. line is the number of the section's first line.
func table(path string, line int, text string) ([]row, error) {
	var names []string
	var rows []row
	for l := range strings.Lines(text) {
		at := line
		line++
		l = strings.TrimSpace(l)
		if l == "" || strings.HasPrefix(l, "# ") {
			continue
		}
		if names == nil {
			for name := range strings.SplitSeq(l, "|") {
				name = strings.TrimSpace(name)
				if !column().MatchString("${"+name+"}") || slices.Contains(names, name) {
					return nil, &SyntaxError{
						path, at, fmt.Sprintf("%q is not the name of a column: the first line of the rows is one such as: want | command",
							name)}
				}
				names = append(names, name)
			}
			continue
		}
		values := strings.SplitN(l, "|", len(names)) // the last column may contain a pipe
		if len(values) < len(names) {
			return nil, &SyntaxError{path, at, fmt.Sprintf("the row has %d of %d values, with a | between them", len(values),
				len(names))}
		}
		r := row{values: map[string]string{}}
		for i, v := range values {
			values[i] = strings.TrimSpace(v)
			r.values[names[i]] = values[i]
		}
		r.name = strings.Join(values, " | ")
		if rows = append(rows, r); len(rows) > mostRows {
			return nil, &SyntaxError{path, at, fmt.Sprintf("there are more than %d rows", mostRows)}
		}
	}
	if len(rows) == 0 {
		return nil, &SyntaxError{path, line, "no rows: expected a line with the names of columns, and one for each row"}
	}
	return rows, nil
}

// parseRows parses a case once for each row.
func parseRows(path string, a *txtar.Archive, line int, text string) (*Case, error) {
	rows, err := table(path, line, text)
	if err != nil {
		return nil, err
	}
	if err := unknownColumn(path, a, rows[0]); err != nil {
		return nil, err
	}
	var all []*Case
	var errs []string
	for _, r := range rows {
		c, err := parseArchive(path, r.fill(a))
		if err != nil && !slices.Contains(errs, err.Error()) {
			errs = append(errs, err.Error())
		}
		c.Name += "[" + r.name + "]"
		c.Row, c.source = r.name, a
		all = append(all, c)
	}
	all[0].rows = all
	if len(errs) > 0 {
		return all[0], errors.New(strings.Join(errs, "\n"))
	}
	return all[0], nil
}

// unknownColumn reports a name in the script that is not a column. It ignores the model
// section, which may contain shell variables.
func unknownColumn(path string, a *txtar.Archive, r row) error {
	for _, m := range column().FindAllSubmatchIndex(a.Comment, -1) {
		name := string(a.Comment[m[2]:m[3]])
		if _, ok := r.values[name]; !ok {
			at := bytes.Count(a.Comment[:m[0]], []byte("\n")) + 1
			return &SyntaxError{path, at, fmt.Sprintf("the rows have no column %q", name)}
		}
	}
	return nil
}

// Each returns one case per row, in order. A case without rows is returned alone.
func (c *Case) Each() []*Case {
	if len(c.rows) == 0 {
		return []*Case{c}
	}
	return c.rows
}

// fill substitutes a row's values in the script and the model section.
func (r row) fill(a *txtar.Archive) *txtar.Archive {
	out := &txtar.Archive{Comment: []byte(r.lines(string(a.Comment), quoteIn)), Files: slices.Clone(a.Files)}
	for i, f := range out.Files {
		if isModel(f.Name) {
			out.Files[i].Data = []byte(r.lines(string(f.Data), quoteInModel))
		}
	}
	return out
}

// lines replaces columns in each line. quote makes a value fit after the text before it.
func (r row) lines(text string, quote func(before, value string) string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		at := 0
		for _, m := range column().FindAllStringSubmatchIndex(line, -1) {
			value, ok := r.values[line[m[2]:m[3]]]
			if !ok {
				continue
			}
			b.WriteString(line[at:m[0]] + quote(line[:m[0]], value))
			at = m[1]
		}
		b.WriteString(line[at:])
	}
	return b.String()
}

// quoteIn quotes value for a line of the script, as a word or as part of a quoted string.
// Raw texts such as that of prompt take it unchanged.
func quoteIn(before, value string) string {
	name, _, _ := strings.Cut(strings.TrimLeft(before, "! \t"), " ")
	if v := findVerb(name); v == nil || v.Raw {
		return value
	}
	open := byte(0)
	for i := 0; i < len(before); i++ {
		switch c := before[i]; {
		case open == '"' && c == '\\':
			i++
		case open == c:
			open = 0
		case open == 0 && (c == '"' || c == '\''):
			open = c
		}
	}
	switch open {
	case '"':
		return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value)
	case '\'':
		return strings.ReplaceAll(value, "'", `'"'"'`)
	}
	return "'" + strings.ReplaceAll(value, "'", `'"'"'`) + "'"
}

// quoteInModel quotes value for JSON if the line contains JSON.
func quoteInModel(before, value string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(before), " ")
	if first != "call" && !strings.HasPrefix(first, "{") {
		return value
	}
	data, err := json.Marshal(value)
	if err != nil {
		return value
	}
	return string(data[1 : len(data)-1])
}
