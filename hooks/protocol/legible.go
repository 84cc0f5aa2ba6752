package protocol

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// legibleKeys are keys with one ending, and what must follow them to count in an object
// that is broken, cut off, or printed in JavaScript's or Python's notation, also inside a
// string with escaped quotes.
type legibleKeys struct {
	ending string
	names  []string
	value  func() *regexp.Regexp
}

var (
	// legibleContinue finds "continue": false, also with Python's False.
	legibleContinue = legibleKeys{"continue", []string{"continue"}, pattern(`^\\*["']?\s*:\s*([fF]alse)\b`)}
	// legibleDecision finds a decision that denies or asks.
	legibleDecision = legibleKeys{"ecision", []string{"decision", "permissionDecision"},
		pattern(`^\\*["']?\s*:\s*\\*["'](deny|block|ask)\\*["']`)}
	// legibleReason finds the reason, up to the end of its string or of the text.
	legibleReason = legibleKeys{"eason", []string{"reason", "stopReason", "permissionDecisionReason"},
		pattern(`^\\*["']?\s*:\s*(?:\\*"((?:[^"\\]|\\[^"])*)|'([^'\\]*)')`)}
)

// pattern compiles expr when it is first asked for: most runs never meet noise.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// match is a key with its value in text[at:end].
type match struct {
	key, value string
	at, end    int
}

// next finds the first key from text[from] on that has such a value. It searches for the
// ending of a key and applies the expression only to what follows, because an expression
// for everything takes ten times as long.
func (k *legibleKeys) next(text string, from int) (m match, ok bool) {
	for {
		n := strings.Index(text[from:], k.ending)
		if n < 0 {
			return m, false
		}
		from += n + len(k.ending)
		i := slices.IndexFunc(k.names, func(name string) bool {
			before, ok := strings.CutSuffix(text[:from], name)
			return ok && (before == "" || !strings.Contains(wordChars, before[len(before)-1:]))
		})
		if i < 0 {
			continue
		}
		if v := k.value().FindStringSubmatchIndex(text[from:]); v != nil {
			m = match{key: k.names[i], at: from - len(k.names[i]), end: from + v[1]}
			for v = v[2:]; len(v) > 0; v = v[2:] {
				if v[0] >= 0 {
					m.value += text[from+v[0] : from+v[1]]
				}
			}
			return m, true
		}
	}
}

// wordChars are the characters that make a key another word if they precede it.
const wordChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$-"

// legible finds what denies, stops or asks in an object in text that is not valid JSON,
// with the reason as far as it can be read. It returns no fields if nothing does. Valid
// objects must already have been blanked in text.
func (r *reader) legible(text string) (found embeddedObject) {
	if !strings.Contains(text, "{") {
		return found
	}
	if strings.Contains(text, `\u00`) {
		text = spelledOut(text)
	}
	said := map[string]bool{}
	for _, keys := range []*legibleKeys{&legibleContinue, &legibleDecision} {
		r.steps += len(text)
		searched, open := 0, -1 // the last brace before the match
		for m, ok := keys.next(text, 0); ok; m, ok = keys.next(text, m.end) {
			if n := strings.LastIndexByte(text[searched:m.at], '{'); n >= 0 {
				open = searched + n
			}
			if searched = m.at; open < 0 || said[m.key+m.value] || r.isTalk(text, open, m.end) {
				continue
			}
			said[m.key+m.value] = true
			if m.key == "continue" {
				found.fields = append(found.fields, member{key: m.key, value: false})
			} else {
				found.fields = append(found.fields, r.placed(member{key: m.key, value: m.value}))
			}
			if found.line == 0 {
				found.line = 1 + strings.Count(text[:m.at], "\n")
			}
		}
	}
	if found.fields == nil {
		return found
	}
	if m, ok := legibleReason.next(text, 0); ok {
		found.fields = append(found.fields, r.placed(member{key: m.key, value: unquote(m.value)}))
	}
	return found
}

// escapedLetter matches an escaped letter in a JSON string, or in a string in a string.
var escapedLetter = pattern(`\\+u00(?:4[1-9a-fA-F]|5[0-9aA]|6[1-9a-fA-F]|7[0-9aA])`)

// spelledOut returns text with its escaped letters decoded.
func spelledOut(text string) string {
	return escapedLetter().ReplaceAllStringFunc(text, func(escape string) string {
		code, _ := strconv.ParseUint(escape[len(escape)-2:], 16, 8) // the expression has seen the digits
		return string(rune(code))
	})
}

// placed wraps m in hookSpecificOutput if that is where the field belongs.
func (r *reader) placed(m member) member {
	for _, f := range r.dialect.top {
		if f.name == m.key {
			return m
		}
	}
	return member{key: "hookSpecificOutput", value: []member{m}}
}

// isTalk reports whether the object that begins at text[open] and decides before
// text[end] is in the middle of a line, like an example in a sentence.
func (r *reader) isTalk(text string, open, end int) bool {
	r.steps += 3 * aLine
	rest := text[end:min(len(text), end+aLine)]
	n := strings.IndexByte(rest, '}')
	switch {
	case n >= 0:
		end += n + 1
	case len(rest) == aLine:
		return false // an example in a sentence is short
	default:
		end = len(text)
	}
	before, after := lineAround(text, open, end)
	return strings.Trim(before, " \t\r[,{\\\"'") != "" && strings.Trim(after, " \t\r],}\\\"'") != ""
}

// unquote decodes the inside a JSON string, or returns it as it is.
func unquote(s string) string {
	var out string
	if json.Unmarshal([]byte(`"`+s+`"`), &out) == nil {
		return out
	}
	return s
}
