// Package highlight says what the words of a line of code are: comments, strings,
// keywords. It reads one line at a time, in time linear in its length, because code is
// shown while it is being written, by models that need not be trusted.
package highlight

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is the kind of a piece of a line.
type Kind int

// The kinds. Name is a called function, a key, or a shell variable.
const (
	Plain Kind = iota
	Comment
	String
	Keyword
	Number
	Name
)

// Span is a piece of a line.
type Span struct {
	Kind Kind
	Text string
}

// Scanner reads the lines of one block of code, from first to last. The zero Scanner
// has no language. It may be copied and compared.
type Scanner struct {
	lang   *language
	until  string // ends what an earlier line began; may be empty
	kind   Kind   // the kind of what until ends
	escape bool   // in it, a backslash escapes the next character
	tag    bool   // inside an HTML tag
}

// For returns a Scanner for a language, given the name after a block's opening fence.
func For(name string) Scanner {
	name = strings.ToLower(strings.Trim(name, "{. "))
	if i := strings.IndexAny(name, "{,:} "); i >= 0 {
		name = name[:i]
	}
	return Scanner{lang: languages()[name]}
}

// Known reports whether the language is known.
func (s *Scanner) Known() bool { return s.lang != nil }

// Line splits a line into spans, without losing a character.
func (s *Scanner) Line(line string) []Span {
	if s.lang == nil {
		return []Span{{Plain, line}}
	}
	l := scan{Scanner: s, line: line}
	for l.at < len(line) {
		l.next()
	}
	return l.out
}

// scan is the state of scanning one line.
type scan struct {
	*Scanner
	line string
	at   int
	out  []Span
}

// take adds the next n bytes.
func (l *scan) take(kind Kind, n int) {
	from := l.at
	l.at += n
	if last := len(l.out) - 1; last >= 0 && l.out[last].Kind == kind {
		from -= len(l.out[last].Text)
		l.out[last].Text = l.line[from:l.at]
		return
	}
	l.out = append(l.out, Span{kind, l.line[from:l.at]})
}

func (l *scan) next() {
	rest := l.line[l.at:]
	switch {
	case l.until != "":
		l.close()
	case l.comment(rest), l.lang.Tags && l.inTag(rest), l.quoted(rest):
	case l.lang.Tags && !l.tag:
		n := strings.IndexByte(rest[1:], '<') + 1
		if n == 0 {
			n = len(rest)
		}
		l.take(Plain, n)
	default:
		l.word(rest)
	}
}

// close takes the rest of a string or a comment, as far as it is on this line.
func (l *scan) close() {
	rest := l.line[l.at:]
	for i := 0; i < len(rest); i++ {
		if l.escape && rest[i] == '\\' {
			i++
			continue
		}
		if strings.HasPrefix(rest[i:], l.until) {
			n := i + len(l.until)
			if l.kind == String && l.isKey(rest[n:]) {
				l.out[len(l.out)-1].Kind = Name
				l.kind = Name
			}
			l.take(l.kind, n)
			l.until = ""
			return
		}
	}
	l.take(l.kind, len(rest))
}

// isKey reports whether the string before rest is a JSON key.
func (l *scan) isKey(rest string) bool {
	return l.lang.Keys && len(l.out) > 0 && l.out[len(l.out)-1].Kind == String &&
		strings.HasPrefix(strings.TrimLeft(rest, " "), ":")
}

func (l *scan) comment(rest string) bool {
	for _, mark := range l.lang.Line {
		if strings.HasPrefix(rest, mark) && (mark != "#" || l.at == 0 || strings.IndexByte(" \t;", l.line[l.at-1]) >= 0) {
			l.take(Comment, len(rest))
			return true
		}
	}
	for _, b := range l.lang.Block {
		if strings.HasPrefix(rest, b[0]) {
			l.take(Comment, len(b[0]))
			l.until, l.kind, l.escape = b[1], Comment, false
			return true
		}
	}
	return false
}

// quoted begins a string.
func (l *scan) quoted(rest string) bool {
	if l.lang.Tags && !l.tag {
		return false
	}
	for _, q := range l.lang.Quotes {
		if !strings.HasPrefix(rest, q.Mark) {
			continue
		}
		if q.Value && l.at > 0 && strings.IndexByte(" \t[{,:(=", l.line[l.at-1]) < 0 {
			return false // an apostrophe
		}
		if q.Char {
			n := character(rest)
			if n == 0 {
				return false // a Rust lifetime
			}
			l.take(String, n)
			return true
		}
		if !q.Lines && !closes(rest[len(q.Mark):], q.Mark, q.Escape) {
			l.take(String, len(rest))
			return true
		}
		if l.lang.Keys && len(l.out) > 0 && l.out[len(l.out)-1].Kind == String {
			l.out = append(l.out, Span{Kind: Plain}) // two adjacent strings
		}
		l.take(String, len(q.Mark))
		l.until, l.kind, l.escape = q.Mark, String, q.Escape
		return true
	}
	return false
}

func closes(text, mark string, escape bool) bool {
	for i := 0; i < len(text); i++ {
		switch {
		case escape && text[i] == '\\':
			i++
		case strings.HasPrefix(text[i:], mark):
			return true
		}
	}
	return false
}

// character returns the length of a character literal in single quotes, or 0 if there
// is none.
func character(s string) int {
	if len(s) > 1 && s[1] == '\\' {
		if end := strings.IndexByte(s[min(3, len(s)):], '\''); end >= 0 && end < 10 {
			return 3 + end + 1
		}
		return 0
	}
	_, n := utf8.DecodeRuneInString(s[1:])
	if 1+n < len(s) && s[1+n] == '\'' {
		return n + 2
	}
	return 0
}

// inTag handles the marks and the name of a tag.
func (l *scan) inTag(rest string) bool {
	switch {
	case !l.tag && len(rest) > 1 && rest[0] == '<' &&
		(rest[1] == '/' || rest[1] == '!' || rest[1] == '?' || letter(rune(rest[1]))):
		l.tag = true
		n := 1 + len(rest[1:]) - len(strings.TrimLeft(rest[1:], "/!?"))
		n += wordLength(rest[n:], "-:")
		l.take(Keyword, n)
		return true
	case l.tag && (rest[0] == '>' || strings.HasPrefix(rest, "/>")):
		l.tag = false
		l.take(Keyword, strings.IndexByte(rest, '>')+1)
		return true
	}
	return false
}

// word takes a word, a number, or one character.
func (l *scan) word(rest string) {
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case r == '$' && l.lang.Variables:
		l.take(Name, variable(rest))
	case r >= '0' && r <= '9':
		l.take(Number, wordLength(rest, "."))
	case r == '@' && l.lang.Decorators && len(rest) > 1 && letter(rune(rest[1])):
		l.take(Name, 1+wordLength(rest[1:], "."))
	case letter(r):
		n := wordLength(rest, l.lang.InWords)
		l.take(l.kindOf(rest[:n], rest[n:]), n)
	case l.lang.Section && r == '[' && strings.TrimSpace(l.line[:l.at]) == "":
		l.take(Keyword, len(strings.TrimRight(rest, " ")))
	default:
		l.take(Plain, size)
	}
}

func (l *scan) kindOf(word, after string) Kind {
	if l.lang.Fold {
		word = strings.ToLower(word)
	}
	first := strings.Trim(l.line[:l.at], " \t-") == ""
	after = strings.TrimLeft(after, " ")
	switch {
	case l.lang.Assigned != "" && first && after != "" && strings.IndexByte(l.lang.Assigned, after[0]) >= 0:
		return Name
	case l.lang.keywords[word]:
		return Keyword
	case l.tag, strings.HasPrefix(after, "(") && l.lang.Calls:
		return Name
	}
	return Plain
}

func letter(r rune) bool { return r == '_' || unicode.IsLetter(r) }

// wordLength returns the length of the word at the beginning of s. It may contain
// letters, digits and the characters in more.
func wordLength(s, more string) int {
	for i, r := range s {
		if !letter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(more, r) {
			return i
		}
	}
	return len(s)
}

// maxVariable limits the length of a ${...}, in bytes. Otherwise a line of many
// unclosed ones would be read to its end for each.
const maxVariable = 200

// variable returns the length of a shell or PHP variable.
func variable(s string) int {
	if strings.HasPrefix(s, "${") {
		if end := strings.IndexByte(s[:min(maxVariable, len(s))], '}'); end > 0 {
			return end + 1
		}
	}
	if n := wordLength(s[1:], ""); n > 0 {
		return n + 1
	}
	if len(s) > 1 && strings.IndexByte("@*#?!$-", s[1]) >= 0 {
		return 2
	}
	return 1
}
