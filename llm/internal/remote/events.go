package remote

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// maxEvent limits one event of a stream. The largest carry an image of some
// megabytes, and decoding needs many times that.
const maxEvent = 8 << 20

// maxAnswer limits an answer that is not a stream, such as an error.
const maxAnswer = 8 << 20

// Unreadable is an answer, or an event of one, that is not in the API's format. Another
// attempt may help: gateways send such answers when they are in trouble.
type Unreadable struct{ text string }

// Error returns one sentence with the beginning of what was sent.
func (e *Unreadable) Error() string { return e.text }

// Events reads server-sent events in any form that the standard allows: it drops comments
// and other fields, accepts LF, CRLF and CR as line ends, joins data of several lines,
// and needs no empty line after the last event. It also reads JSON without events around
// it. The stream ends at "[DONE]". It is not safe for concurrent use.
type Events struct {
	in       io.Reader
	chunk    []byte
	unread   []byte // of chunk
	line     []byte // the beginning of an unfinished line
	data     []byte // data of the current event, lines joined
	hasData  bool   // the current event has data
	event    []byte // the complete event; nil if there is none
	bare     bool   // lines are JSON without "data:"
	unusable []byte // the first line that was not readable
	sawEvent bool   // there was an event
	ended    error  // of in
	err      error  // the error to return next
	done     bool   // "[DONE]" came
	// begun says that the byte order mark has been skipped. cr says that the last line
	// ended with CR; an LF that follows belongs to it.
	begun, cr bool
}

// NewEvents reads the events of r. It does not close r.
func NewEvents(r io.Reader) *Events { return &Events{in: r, chunk: make([]byte, 32<<10)} }

// Done reports whether the stream said that it was complete, by "[DONE]". The Gemini API
// never says so.
func (e *Events) Done() bool { return e.done }

// Next returns the next event, a JSON object of at most 8 MiB within the limits of
// [Check]. It is valid until the next call. The error is [io.EOF] at the end of the
// stream, an [*Unreadable], or the reader's own.
func (e *Events) Next() ([]byte, error) {
	if e.event != nil {
		e.event, e.data, e.hasData = nil, e.data[:0], false
	}
	for {
		e.take()
		switch {
		case e.event != nil:
			return e.event, nil
		case e.err != nil:
			return nil, e.err
		case e.ended != nil:
			e.finish()
			continue
		}
		var n int
		n, e.ended = e.in.Read(e.chunk)
		e.unread = e.chunk[:n]
	}
}

// take processes input line by line, up to the end of an event.
func (e *Events) take() {
	for len(e.unread) > 0 && e.err == nil && e.event == nil {
		b := e.unread
		if e.cr && b[0] == '\n' {
			e.unread, e.cr = b[1:], false
			continue
		}
		e.cr = false
		end := bytes.IndexAny(b, "\r\n")
		if end < 0 {
			e.grow(b)
			e.unread = nil
			return
		}
		e.grow(b[:end])
		e.cr = b[end] == '\r'
		e.unread = b[end+1:]
		if e.err == nil {
			e.endLine()
		}
	}
}

// grow adds to the current line, up to the limit of an event.
func (e *Events) grow(b []byte) {
	if len(e.line)+len(e.data)+len(b) > maxEvent {
		e.err = &Unreadable{fmt.Sprintf("the server sent an event of more than %d MiB", maxEvent>>20)}
		return
	}
	e.line = append(e.line, b...)
}

// endLine interprets a whole line: a field of the event, or JSON without events.
func (e *Events) endLine() {
	line := e.line
	if !e.begun {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		e.begun = true
	}
	e.line = e.line[:0]
	switch {
	case len(line) == 0 && !e.bare:
		e.dispatch()
		return
	case len(line) == 0:
		return
	case e.bare || !e.sawEvent && (line[0] == '{' || line[0] == '['):
		e.bare, e.hasData = true, true
		e.data = append(append(e.data, line...), ' ')
		return
	}
	field, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(field) {
	case "data":
		if e.hasData {
			e.data = append(e.data, ' ') // a line end is white space in JSON
		}
		e.data, e.hasData = append(e.data, value...), true
	case "", "event", "id", "retry":
	default:
		if e.unusable == nil { // ignored, unless there is nothing else
			e.unusable = bytes.Clone(line[:min(len(line), MaxShown)])
		}
	}
}

// dispatch ends the current event.
func (e *Events) dispatch() {
	data := bytes.TrimSpace(e.data)
	switch {
	case len(data) == 0:
	case string(data) == "[DONE]":
		e.done, e.err = true, io.EOF
	default:
		e.sawEvent = true
		if e.err = Check(data); e.err == nil {
			e.event = data
			return
		}
	}
	e.data, e.hasData = e.data[:0], false
}

// finish handles the end of the stream: a last event counts if it is complete.
func (e *Events) finish() {
	err := e.ended
	if err == io.EOF {
		if len(e.line) > 0 {
			e.endLine()
		}
		if e.err == nil && e.event == nil {
			e.dispatch()
		}
		if e.err == nil && !e.sawEvent && e.unusable != nil {
			e.err = NotAnAnswer(e.unusable)
		}
	}
	if e.err == nil && e.event == nil {
		e.err = err
	}
}

// NotAnAnswer returns an [*Unreadable] that quotes the beginning of data, which was sent
// instead of an answer.
func NotAnAnswer(data []byte) error {
	data = data[:min(len(data), MaxShown)]
	return &Unreadable{fmt.Sprintf("the server sent %q", bytes.ToValidUTF8(data, nil))}
}

// MaxShown is how many bytes of an unreadable answer are kept for the error.
const MaxShown = 200

// Limits of an answer: decoding a larger one takes too much memory.
const (
	maxDepth  = 200
	maxValues = 100_000
)

// Check checks one answer before it is decoded into maps: it must be a valid JSON object,
// nested at most 200 deep, with at most 100,000 values. The error is an [*Unreadable].
func Check(data []byte) error {
	if len(data) == 0 || data[0] != '{' || !json.Valid(data) {
		return NotAnAnswer(data)
	}
	depth, values, quoted := 0, 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{', c == '[':
			depth, values = depth+1, values+1
		case c == ',':
			values++
		case c == '}', c == ']':
			depth--
		}
		if depth > maxDepth {
			return &Unreadable{fmt.Sprintf("the server sent objects and lists nested more than %d deep", maxDepth)}
		}
		if values > maxValues {
			return &Unreadable{fmt.Sprintf("the server sent more than %d values at once", maxValues)}
		}
	}
	return nil
}

// ReadAnswer reads an answer that is not a stream, at most 8 MiB of it. ok says that the
// status was one of success: then the answer must pass [Check]. Errors of an API may have
// any form, so only their size is checked.
func ReadAnswer(r io.Reader, ok bool) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxAnswer+1))
	switch {
	case err != nil:
		return nil, err
	case len(data) > maxAnswer:
		return nil, &Unreadable{fmt.Sprintf("the server sent an answer of more than %d MiB", maxAnswer>>20)}
	}
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	if ok {
		err = Check(data)
	}
	return data, err
}
