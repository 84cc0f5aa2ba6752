package shell

import (
	"runtime"
	"strings"
)

// edits is sed: a script of which every command is known to do no more than to
// print and to edit what passes through. The commands e, r, R, w and W, the
// flags e and w of s, and all that is not understood are asked about.
func edits(a *arguments) string {
	var script []string
	for _, o := range a.options {
		if o.name == "-e" || o.name == "--expression" {
			script = append(script, o.value.Text)
		}
	}
	if len(script) == 0 {
		if len(a.operands) == 0 || !a.operands[0].Known {
			return "has a script that is not known"
		}
		script, a.operands = []string{a.operands[0].Text}, a.operands[1:]
	}
	if !harmlessSed(strings.Join(script, "\n")) {
		return "has a script that may run commands, or use files"
	}
	a.roles = "<"
	if !a.has("-i", "--in-place") {
		return ""
	}
	suffix, _ := a.value("-i", "--in-place")
	if strings.ContainsAny(suffix.Text, "/*") || suffix.Text == "" && runtime.GOOS != "linux" {
		return "edits files, and which ones is not certain" // elsewhere the suffix is the next word
	}
	a.roles = ">"
	for _, w := range a.operands {
		if suffix.Text != "" {
			a.writes(Word{Text: w.Text + suffix.Text, Known: w.Known}, false)
		}
	}
	return ""
}

// sedScript reads a script from its beginning.
type sedScript struct{ rest string }

// harmlessSed reports whether a script of sed neither runs nor names anything.
// Where implementations read a script in different ways it is not harmless.
func harmlessSed(script string) bool {
	s := &sedScript{script}
	for depth := 0; ; {
		s.skip(" \t\n;")
		if s.rest == "" {
			return depth == 0
		}
		if !s.addresses() {
			return false
		}
		c := s.next()
		switch {
		case c == '{':
			depth++
			continue
		case c == '}':
			depth--
		case c == '#':
			s.line()
			continue
		case strings.IndexByte("dDgGhHnNpPxzF=", c) >= 0 && c != 0:
		case strings.IndexByte("qQl", c) >= 0 && c != 0:
			s.skip(" ")
			s.skip("0123456789")
		case strings.IndexByte(":btT", c) >= 0 && c != 0:
			s.skip(" ")
			s.skip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
		case strings.IndexByte("aic", c) >= 0 && c != 0:
			if !s.text() {
				return false
			}
			continue
		case c == 's' || c == 'y':
			if !s.substitute(c == 's') {
				return false
			}
		default:
			return false
		}
		if depth < 0 || !s.ends() {
			return false
		}
	}
}

func (s *sedScript) next() byte {
	if s.rest == "" {
		return 0
	}
	c := s.rest[0]
	s.rest = s.rest[1:]
	return c
}

func (s *sedScript) skip(set string) { s.rest = strings.TrimLeft(s.rest, set) }

func (s *sedScript) line() (text string, more bool) {
	text, s.rest, more = strings.Cut(s.rest, "\n")
	return text, more
}

// ends reports whether a command ends here.
func (s *sedScript) ends() bool {
	s.skip(" \t")
	return s.rest == "" || strings.IndexByte(";\n}#", s.rest[0]) >= 0
}

// text reads that of a, i and c: the rest of the line, or the next line after a
// backslash. Longer texts go on behind backslashes, which are not followed.
func (s *sedScript) text() bool {
	s.skip(" \t")
	line, _ := s.line()
	if rest, ok := strings.CutPrefix(line, `\`); ok {
		if line = rest; strings.Trim(line, " \t") == "" {
			line, _ = s.line()
		}
	}
	return !strings.Contains(line, `\`)
}

// addresses reads none, one or two addresses, and "!".
func (s *sedScript) addresses() bool {
	if !s.address() {
		return false
	}
	s.skip(" \t")
	if strings.HasPrefix(s.rest, ",") {
		s.rest = s.rest[1:]
		s.skip(" \t")
		if strings.HasPrefix(s.rest, "+") || strings.HasPrefix(s.rest, "~") {
			s.rest = s.rest[1:]
		}
		if !s.address() {
			return false
		}
	}
	s.skip(" \t!")
	return true
}

func (s *sedScript) address() bool {
	switch {
	case s.rest == "":
	case s.rest[0] == '$':
		s.rest = s.rest[1:]
	case s.rest[0] >= '0' && s.rest[0] <= '9':
		s.skip("0123456789")
		if strings.HasPrefix(s.rest, "~") {
			s.rest = s.rest[1:]
			s.skip("0123456789")
		}
	case s.rest[0] == '/':
		s.rest = s.rest[1:]
		if !s.until('/', true) {
			return false
		}
		s.skip("IM")
	case s.rest[0] == '\\':
		return false
	}
	return true
}

// until reads to the next delim that no backslash stands before. In a regular
// expression brackets hide it from some implementations and not from others, so
// that there it is not accepted.
func (s *sedScript) until(delim byte, regex bool) bool {
	bracket := false
	for i := 0; i < len(s.rest); i++ {
		switch c := s.rest[i]; {
		case c == delim:
			s.rest = s.rest[i+1:]
			return !bracket
		case c == '\\':
			if i++; bracket || i < len(s.rest) && s.rest[i] == '\n' {
				return false
			}
		case c == '\n':
			return false
		case regex && c == '[' && !bracket:
			bracket = true
			if strings.HasPrefix(s.rest[i+1:], "^") {
				i++
			}
			if strings.HasPrefix(s.rest[i+1:], "]") {
				i++
			}
		case regex && c == '[' && strings.HasPrefix(s.rest[i+1:], ":"):
			end := strings.Index(s.rest[i:], ":]")
			if end < 0 || strings.IndexByte(s.rest[i:i+end], delim) >= 0 {
				return false
			}
			i += end + 1
		case regex && c == ']':
			bracket = false
		}
	}
	return false
}

// substitute reads s or y behind its name, and the flags of s.
func (s *sedScript) substitute(flags bool) bool {
	delim := s.next()
	if strings.IndexByte("/|,#%@!:;~_+=\"'&", delim) < 0 || delim == 0 || !s.until(delim, true) || !s.until(delim, false) {
		return false
	}
	if flags {
		s.skip("gpiIM0123456789")
	}
	return true
}
