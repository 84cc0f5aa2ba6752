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

// rowsSection is a table of inputs: its first line names columns, and each other
// line is a row, for which the case runs by itself.
const rowsSection = "rows"

const mostRows = 1000

// row is a line of the table.
type row struct {
	name   string // its values
	values map[string]string
}

// column is ${name} in the script and in the model's part.
var column = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{([A-Za-z_]\w*)\}`) })

// table reads the rows of a case; none where it has no such section. line is that
// of the section's first one.
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
		values := strings.SplitN(l, "|", len(names)) // the last column may have a pipe in it
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

// parseRows reads a case once for each row.
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

// unknownColumn says which name in the script no column has. The model's part may
// have variables of a shell.
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

// Each are the cases of the rows, in their order; a case without rows is the only
// one.
func (c *Case) Each() []*Case {
	if len(c.rows) == 0 {
		return []*Case{c}
	}
	return c.rows
}

// fill puts the values of a row into the script and the model's part.
func (r row) fill(a *txtar.Archive) *txtar.Archive {
	out := &txtar.Archive{Comment: []byte(r.lines(string(a.Comment), quoteIn)), Files: slices.Clone(a.Files)}
	for i, f := range out.Files {
		if isModel(f.Name) {
			out.Files[i].Data = []byte(r.lines(string(f.Data), quoteInModel))
		}
	}
	return out
}

// lines replaces columns in each line; quote makes a value fit behind what stands
// before it.
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

// quoteIn makes value fit into a line of the script: a word of its own, or a part
// of what is quoted there. Texts such as that of prompt take it as it is.
func quoteIn(before, value string) string {
	name, _, _ := strings.Cut(strings.TrimLeft(before, "! \t"), " ")
	if v := findVerb(name); v == nil || v.raw {
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

// quoteInModel makes value fit into JSON, where that is what the line has.
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
