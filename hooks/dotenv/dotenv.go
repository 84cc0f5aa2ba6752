// Package dotenv finds, reads and edits .env files, for the program and for extensions.
// It never sets variables of this process.
//
// The format is that of Node's dotenv package: NAME=value, comments after #, quotes, and
// no expansion of $NAME. [Find] chooses the file as Gemini CLI does
// (cli/config/settings.ts), [Read] reads one file, [Edit] changes variables in a text.
package dotenv

import "strings"

// Var is one variable. Value is without its quotes. In double quotes, \n and \r have
// become line breaks.
type Var struct{ Name, Value string }

// parse reads the text of a .env file as Node's dotenv package does: NAME=value or NAME:
// value, "export " before it, values in single, double or back quotes over several lines,
// \n and \r inside double quotes, comments from # on. Nothing is expanded. That is why no
// Go library is used: the common ones replace $x in values and so damage passwords. If a
// name occurs twice, the last value counts. Any other line is skipped.
func parse(text string) []Var {
	text = unified(text)
	var vars []Var
	for text != "" {
		var v Var
		var ok bool
		if v, text, ok = nextVar(text); !ok {
			continue
		}
		vars = append(vars, v)
	}
	return lastOf(vars)
}

// unified returns text without a byte order mark, with all line ends as \n.
func unified(text string) string {
	text = strings.TrimPrefix(text, "\ufeff")
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// lastOf leaves out each variable that occurs again later.
func lastOf(vars []Var) []Var {
	seen := make(map[string]bool, len(vars))
	from := len(vars)
	for i := len(vars) - 1; i >= 0; i-- {
		if !seen[vars[i].Name] {
			seen[vars[i].Name] = true
			from--
			vars[from] = vars[i]
		}
	}
	return vars[from:]
}

// nextVar reads one variable, which may take several lines.
func nextVar(text string) (v Var, rest string, ok bool) {
	line, after, _ := strings.Cut(text, "\n")
	head := strings.TrimLeft(line, " \t")
	if export, found := strings.CutPrefix(head, "export"); found && strings.TrimLeft(export, " \t") != export {
		head = strings.TrimLeft(export, " \t")
	}
	n := envNameLength(head)
	if n == 0 {
		return Var{}, after, false
	}
	v.Name = head[:n]
	value, found := assignment(head[n:])
	if !found {
		return Var{}, after, false
	}
	// A quoted value may continue beyond this line.
	tail := text[len(line)-len(value):]
	if q := strings.TrimLeft(tail[:len(value)], " \t"); q != "" && strings.IndexByte("'\"`", q[0]) >= 0 {
		start := len(value) - len(q)
		if inner, end := closing(tail[start:]); end > 0 {
			_, after, _ = strings.Cut(tail[start+end:], "\n")
			v.Value = inner
			return v, after, true
		}
	}
	value, _, _ = strings.Cut(value, "#")
	v.Value = strings.TrimSpace(value)
	return v, after, true
}

// assignment skips "=" or ": ".
func assignment(s string) (value string, ok bool) {
	trimmed := strings.TrimLeft(s, " \t")
	if strings.HasPrefix(trimmed, "=") {
		return trimmed[1:], true
	}
	if value, ok = strings.CutPrefix(s, ":"); ok && strings.TrimLeft(value, " \t") != value {
		return value, true
	}
	return "", false
}

// closing reads a quoted value. end is its length with the quotes, or 0 if the quote is
// never closed.
func closing(s string) (inner string, end int) {
	q := s[0]
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i++
		case s[i] == q:
			inner = s[1:i]
			if q == '"' {
				inner = strings.NewReplacer(`\n`, "\n", `\r`, "\r").Replace(inner)
			}
			return inner, i + 1
		}
	}
	return "", 0
}

// envNameLength returns the length of the variable's name that s begins with; 0 if there
// is none.
func envNameLength(s string) int {
	for i := range len(s) {
		c := s[i]
		if c == '_' || c == '.' || c == '-' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			continue
		}
		return i
	}
	return len(s)
}
