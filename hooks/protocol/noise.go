package protocol

// Output of hooks that is not an answer, and what in it still counts.
//
//   - No noise on a stream turns a block into a go-ahead: an object among other output
//     that denies, stops or asks still does. So does an object that is not valid JSON, as
//     far as it can be read.
//   - Nothing else in such output is obeyed.
//   - An object in the middle of a line is talk. On stderr, where tracebacks and set -x
//     show code, only valid objects that have their lines to themselves count.

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// clean turns a stream into text: valid UTF-8, without a byte order mark and NUL bytes,
// and trimmed.
func (r *reader) clean(name string, stream []byte) string {
	// What is UTF-16 only in part is taken below, where ASCII survives.
	text, is16 := decodeUTF16(stream)
	if is16 {
		_, is16 = object(strings.TrimSpace(strings.TrimLeft(text, "\ufeff")))
	}
	if is16 {
		r.values.warn("%s is UTF-16 and was read as such; write UTF-8", name)
		stream = []byte(text)
	} else if !utf8.Valid(stream) {
		if name == "stdout" {
			r.values.warn("stdout is not valid UTF-8: the bytes at fault were replaced")
		}
		stream = bytes.ToValidUTF8(stream, []byte("\ufffd"))
	}
	if bytes.IndexByte(stream, 0) >= 0 {
		if name == "stdout" {
			r.values.warn("stdout holds NUL bytes, which were left out")
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

// explainNoise warns why something that looks like an answer was not obeyed. holding must
// have run before.
func (r *reader) explainNoise(stdout string) {
	r.garbled = true
	if r.embedded > 0 {
		r.values.warn("stdout holds a JSON object (line %d) among other output, so it was not obeyed: print the object and "+
			"nothing else", r.embedded)
	} else if strings.HasPrefix(stdout, "{") {
		r.values.warn("stdout begins like a JSON object but is not valid JSON, so it was not obeyed")
	} else if strings.HasPrefix(stdout, "[") && strings.HasSuffix(stdout, "]") {
		r.values.warn("stdout is a JSON array; only an object is an answer")
	}
}

// holdAmongNoise obeys the strongest denial, stop or question among other output, and
// returns the stream that had it.
func (r *reader) holdAmongNoise(stdout, stderr string) (from string) {
	best := 0
	hold := func(stream string, found []held) {
		for _, h := range found {
			what := "a JSON object (line %d) among other output"
			if h.broken {
				what = "an object that is not valid JSON (line %d)"
			}
			r.garbled = true
			r.values.warn("%s holds "+what+": its %s holds, and nothing else in it is obeyed; print one valid JSON object and "+
				"nothing else", stream, h.line, h.what)
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

// held is a denial, stop or question among other output.
type held struct {
	Output
	what     string // "deny"
	strength int    // from 1
	line     int    // from 1
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
	found := findEmbedded(text)
	r.steps += found.steps
	for _, e := range found.deciding {
		if e.alone || !stderr {
			add(e.fields, held{line: e.line})
		}
	}
	if stderr {
		return out
	}
	r.embedded = found.first
	if b := r.legible(found.rest); b.fields != nil {
		add(b.fields, held{line: b.line, broken: true})
	}
	return out
}

// apart reads fields as a separate answer.
func (r *reader) apart(fields []member) Output {
	other := &reader{event: r.event, dialect: r.dialect, tool: r.tool}
	other.fields(fields)
	other.settle()
	return other.out
}

// holds returns what keeps an action from going ahead, and how strongly. The strength
// is 0 if nothing does.
func (o Output) holds() (what string, strength int) {
	switch {
	case o.Stop:
		return "stop", 3
	case o.Decision == Deny:
		return "deny", 2
	case o.Decision == Ask:
		return "ask", 1
	}
	return "", 0
}
