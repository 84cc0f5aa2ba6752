package protocol

import "strings"

// embedded holds the JSON objects among other output that begin or end a line, also
// those in an array.
type embedded struct {
	first    int // the line of the first object, from 1; 0 if there is none
	deciding []embeddedObject
	rest     string // the text without any object, of the same length and lines
	steps    int    // bytes looked at
}

// embeddedObject is an object among other output that may decide.
type embeddedObject struct {
	line   int // from 1
	fields []member
	alone  bool // nothing else is on its lines
}

// findEmbedded finds the JSON objects in text, in linear time.
func findEmbedded(text string) embedded {
	if !strings.Contains(text, "{") {
		return embedded{rest: text}
	}
	all := measure(text)
	place := lines{text: text, line: 1}
	out, rest := embedded{}, []byte(text)
	for at := 0; at < len(all.spans); at++ {
		end := int(all.spans[at].end)
		if end == 0 || text[at] != '{' {
			continue
		}
		begins, ends := place.around(at, end)
		if begins || ends {
			if out.first == 0 {
				out.first = place.line
			}
			if fields := all.deciding(at); fields != nil {
				out.deciding = append(out.deciding, embeddedObject{place.line, fields, begins && ends})
			}
		}
		for i := at; i < end; i++ {
			if rest[i] != '\n' {
				rest[i] = ' '
			}
		}
		out.steps += end - at
		at = end - 1
	}
	out.rest = string(rest)
	out.steps += all.steps + place.steps
	return out
}

// deciding decodes the object at offset at. It returns nil if the object cannot deny,
// stop or ask.
func (w *walk) deciding(at int) []member {
	object := w.text[at:w.spans[at].end]
	// \u may stand for any letter.
	if !strings.Contains(object, "ecision") && !strings.Contains(object, "continue") &&
		!strings.Contains(object, "hookSpecificOutput") && !strings.Contains(object, `\u`) {
		return nil
	}
	fields := w.members(at, true)
	for _, m := range fields {
		if m.key == "decision" || m.key == "continue" || m.key == "hookSpecificOutput" {
			return fields
		}
	}
	return nil
}

// aLine bounds how many bytes of a line are examined around an object.
const aLine = 256

// lineAround returns the text before text[at] on its line, and the text from text[end]
// to the end of that line.
func lineAround(text string, at, end int) (before, after string) {
	before, after = text[max(0, at-aLine):at], text[end:min(len(text), end+aLine)]
	after, _, _ = strings.Cut(after, "\n")
	return before[strings.LastIndexByte(before, '\n')+1:], after
}

// lines goes through the lines of a text.
type lines struct {
	text   string
	line   int // the current one, from 1
	begins int // the offset where the current line begins
	ends   int // the offset where the line with the end of the last object ends
	known  int // how far begins and line are known
	steps  int // bytes looked at
}

// around goes on to the object at text[at:end] and reports whether it begins
// its line, and whether it ends one, apart from the punctuation of an array.
func (l *lines) around(at, end int) (begins, ends bool) {
	skipped := l.text[l.known:at]
	l.line += strings.Count(skipped, "\n")
	if n := strings.LastIndexByte(skipped, '\n'); n >= 0 {
		l.begins = l.known + n + 1
	}
	l.steps, l.known = l.steps+len(skipped), at
	if l.ends < end {
		l.ends = len(l.text)
		if n := strings.IndexByte(l.text[end:], '\n'); n >= 0 {
			l.ends = end + n
		}
		l.steps += l.ends - end
	}
	return l.only(max(l.begins, at-aLine), at, " \t\r[,"), l.only(end, min(l.ends, end+aLine), " \t\r],")
}

// only reports whether there is nothing but chars in text[from:to].
func (l *lines) only(from, to int, chars string) bool {
	for i := from; i < to; i++ {
		l.steps++
		if strings.IndexByte(chars, l.text[i]) < 0 {
			return false
		}
	}
	return true
}
