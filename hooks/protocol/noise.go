package protocol

// What hooks print that is not an answer, and what of it counts all the same.
//
//   - No garbage on a stream turns a block into a go-ahead: an object among
//     other output that denies, stops or asks still does; so does one that is no
//     valid JSON, as far as it can be read.
//   - Nothing else in such output is obeyed.
//   - An object in the middle of a line is talk. On stderr, where tracebacks and
//     set -x show code, only valid objects that have their lines to themselves
//     count.

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// clean makes a stream into text: UTF-8 without a byte order mark, NUL bytes or
// white space around.
func (r *reader) clean(name string, stream []byte) string {
	// What is UTF-16 only in part is taken below, where ASCII survives.
	text, is16 := decodeUTF16(stream)
	if is16 {
		_, is16 = object(strings.TrimSpace(strings.TrimLeft(text, "\ufeff")))
	}
	if is16 {
		r.warn("%s is UTF-16 and was read as such; write UTF-8", name)
		stream = []byte(text)
	} else if !utf8.Valid(stream) {
		if name == "stdout" {
			r.warn("stdout is not valid UTF-8: the bytes at fault were replaced")
		}
		stream = bytes.ToValidUTF8(stream, []byte("\ufffd"))
	}
	if bytes.IndexByte(stream, 0) >= 0 {
		if name == "stdout" {
			r.warn("stdout holds NUL bytes, which were left out")
		}
		stream = bytes.ReplaceAll(stream, []byte{0}, nil)
	}
	return strings.TrimSpace(strings.TrimLeft(string(stream), "\ufeff \t\r\n"))
}

// decodeUTF16 decodes a stream that begins with UTF-16's byte order mark, or
// with two ASCII characters in it, as PowerShell and Windows programs write.
func decodeUTF16(b []byte) (text string, ok bool) {
	var order binary.ByteOrder
	switch {
	case len(b) < 4:
		return "", false
	case b[0] == 0xff && b[1] == 0xfe, b[0] != 0 && b[1] == 0 && b[2] != 0 && b[3] == 0:
		order = binary.LittleEndian
	case b[0] == 0xfe && b[1] == 0xff, b[0] == 0 && b[1] != 0 && b[2] == 0 && b[3] != 0:
		order = binary.BigEndian
	default:
		return "", false
	}
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = order.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units)), true
}

// explainNoise tells the author why what looks like an answer is none.
func (r *reader) explainNoise(stdout string) {
	r.garbled = true
	if found, _ := embedded(stdout); len(found) > 0 {
		r.warn("stdout holds a JSON object (line %d) among other output, so it was not obeyed: print the object and nothing else", found[0].line)
	} else if strings.HasPrefix(stdout, "{") {
		r.warn("stdout begins like a JSON object but is not valid JSON, so it was not obeyed")
	} else if strings.HasPrefix(stdout, "[") && strings.HasSuffix(stdout, "]") {
		r.warn("stdout is a JSON array; only an object is an answer")
	}
}

// holdAmongNoise obeys what denies, stops or asks among other output, the
// strongest of it, and says on which stream it stood.
func (r *reader) holdAmongNoise(stdout, stderr string) (from string) {
	best := 0
	hold := func(stream string, found []held) {
		for _, h := range found {
			what := "a JSON object (line %d) among other output"
			if h.broken {
				what = "an object that is not valid JSON (line %d)"
			}
			r.garbled = true
			r.warn("%s holds "+what+": its %s holds, and nothing else in it is obeyed; print one valid JSON object and nothing else", stream, h.line, h.what)
			if h.strength > best {
				best, from = h.strength, stream
				r.out.Stop, r.out.StopReason, r.out.Decision, r.out.Reason = h.Stop, h.StopReason, h.Decision, h.Reason
			}
		}
	}
	hold("stdout", r.holding(stdout, false))
	if best == 0 {
		hold("stderr", r.holding(stderr, true))
	}
	return from
}

// held is what denies, stops or asks among other output.
type held struct {
	Output
	what     string // "deny"
	strength int    // from 1
	line     int    // from 1
	at, end  int    // where it stands; of a broken object, its brace and what decides
	broken   bool   // the object is not valid JSON
}

// holding finds what denies, stops or asks in text; on stderr only in objects
// that have their lines to themselves.
func (r *reader) holding(text string, stderr bool) []held {
	var out []held
	add := func(fields []member, h held) {
		h.Output = r.apart(fields)
		if h.what, h.strength = h.holds(); h.strength > 0 {
			out = append(out, h)
		}
	}
	found, rest := embedded(text)
	for _, e := range found {
		if (e.alone || !stderr) && decides(e.fields) {
			add(e.fields, held{line: e.line, at: e.at, end: e.end})
		}
	}
	if stderr {
		return out
	}
	if b := r.legible(rest); b.fields != nil {
		add(b.fields, held{line: b.line, at: b.at, end: b.end, broken: true})
	}
	return out
}

// decides reports whether an object with fields can hold anything up.
func decides(fields []member) bool {
	return slices.ContainsFunc(fields, func(m member) bool {
		return m.key == "decision" || m.key == "continue" || m.key == "hookSpecificOutput"
	})
}

// apart reads fields as an answer of their own.
func (r *reader) apart(fields []member) Output {
	other := &reader{event: r.event, dialect: r.dialect, tool: r.tool}
	other.fields(fields)
	other.settle()
	return other.out
}

// strongest is the strength of a stop.
const strongest = 3

// holds says what keeps an action from going ahead, and how strongly; 0: nothing does.
func (o Output) holds() (what string, strength int) {
	switch {
	case o.Stop:
		return "stop", strongest
	case o.Decision == Deny:
		return "deny", 2
	case o.Decision == Ask:
		return "ask", 1
	}
	return "", 0
}

// embeddedObject is an object among other output.
type embeddedObject struct {
	line    int // from 1
	at, end int // where it stands
	fields  []member
	alone   bool // nothing else stands on its lines
}

// maxScanned bounds the work of looking for objects in what is full of braces,
// as a multiple of its length. Beyond that an object must begin a line and end
// on it; the rest is searched as text.
const maxScanned = 64

// embedded finds the JSON objects among other output, those that begin a line
// or end one, also in an array; and the text without any object, of the same
// length and lines.
func embedded(text string) (found []embeddedObject, rest string) {
	left := []byte(text)
	line, counted := 1, 0
	for at, scanned := 0, 0; ; {
		next := strings.IndexByte(text[at:], '{')
		if next < 0 {
			break
		}
		at += next
		tried := text[at:]
		if scanned > maxScanned*len(text) {
			before, _ := lineAround(text, at, at)
			if strings.Trim(before, " \t\r[,") != "" {
				at++
				continue
			}
			tried, _, _ = strings.Cut(tried, "\n")
		}
		fields, n, cost := objectAt(tried)
		scanned += cost
		if n == 0 {
			at++
			continue
		}
		line, counted = line+strings.Count(text[counted:at], "\n"), at
		before, after := lineAround(text, at, at+n)
		begins, ends := strings.Trim(before, " \t\r[,") == "", strings.Trim(after, " \t\r],") == ""
		if begins || ends {
			found = append(found, embeddedObject{line, at, at + n, fields, begins && ends})
		}
		for i := at; i < at+n; i++ {
			if left[i] != '\n' {
				left[i] = ' '
			}
		}
		at += n
	}
	return found, string(left)
}

// objectAt decodes the JSON object that text begins with; n is its length, 0 if
// there is none; cost is how much text that took to know.
func objectAt(text string) (fields []member, n, cost int) {
	if inner := blank(text[1:]); inner == "" || inner[0] != '"' && inner[0] != '}' {
		return nil, 0, 1
	}
	n, _ = valueLength(text)
	if n == 0 {
		return nil, 0, len(text)
	}
	fields, ok := members(text[:n], true)
	if !ok {
		return nil, 0, n
	}
	return fields, n, n
}

// lineAround is what stands on the line of text[at] before it, and on that of
// text[end] from there on.
func lineAround(text string, at, end int) (before, after string) {
	before, after = text[max(0, at-aLine):at], text[end:min(len(text), end+aLine)]
	after, _, _ = strings.Cut(after, "\n")
	return before[strings.LastIndexByte(before, '\n')+1:], after
}

// What decides, as it can be read in an object that is broken, cut off, or
// written as JavaScript and Python show one; in a string too, its quotes escaped.
var (
	legibleDecision = pattern(`(?:^|[^\w.$-])(decision|permissionDecision)\\*["']?\s*:\s*\\*["'](deny|block|ask)\\*["']`)
	legibleContinue = pattern(`(?:^|[^\w.$-])(continue)\\*["']?\s*:\s*([fF]alse)\b`)
	legibleReason   = pattern(`(?:^|[^\w.$-])(reason|stopReason|permissionDecisionReason)\\*["']?\s*:\s*(?:\\*"((?:[^"\\]|\\[^"])*)|'([^'\\]*)')`)
)

// pattern compiles expr when it is first asked for: most runs never meet noise.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// aLine is how much of a line is looked at around an object.
const aLine = 256

// legible finds what denies, stops or asks in an object of text that is no
// valid JSON, with the reason as far as it can be read; no fields: nothing does. The
// objects that are valid have been taken out of text.
func (r *reader) legible(text string) (found embeddedObject) {
	if !strings.Contains(text, "{") {
		return found
	}
	for _, find := range []*regexp.Regexp{legibleContinue(), legibleDecision()} {
		searched, open := 0, -1 // the last brace before the match
		for _, m := range find.FindAllStringSubmatchIndex(text, -1) {
			if n := strings.LastIndexByte(text[searched:m[2]], '{'); n >= 0 {
				open = searched + n
			}
			if searched = m[2]; open < 0 || isTalk(text, open, m[1]) {
				continue
			}
			if key := text[m[2]:m[3]]; key == "continue" {
				found.fields = append(found.fields, member{key: key, value: false})
			} else {
				found.fields = append(found.fields, r.placed(member{key: key, value: text[m[4]:m[5]]}))
			}
			if found.line == 0 {
				found.line, found.at = 1+strings.Count(text[:m[2]], "\n"), open
			}
			found.end = max(found.end, m[1])
			if len(found.fields) >= maxWarnings {
				break
			}
		}
	}
	if found.fields == nil {
		return found
	}
	if m := legibleReason().FindStringSubmatch(text); m != nil {
		found.fields = append(found.fields, r.placed(member{key: m[1], value: unquote(m[2] + m[3])}))
	}
	return found
}

// placed puts a field of hookSpecificOutput there.
func (r *reader) placed(m member) member {
	for _, f := range r.dialect.top {
		if f.name == m.key {
			return m
		}
	}
	return member{key: "hookSpecificOutput", value: []member{m}}
}

// isTalk reports whether what begins with text[open] and decides before
// text[end] stands in the middle of a line, like an example in a sentence.
func isTalk(text string, open, end int) bool {
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

// unquote reads the inside of a JSON string as well as can be.
func unquote(s string) string {
	var out string
	if json.Unmarshal([]byte(`"`+s+`"`), &out) == nil {
		return out
	}
	return s
}
