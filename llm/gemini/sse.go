package gemini

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// maxEvent limits one event of a stream. Gemini's largest carry an image of
// some megabytes, and genai needs many times that for it.
const maxEvent = 8 << 20

// maxAnswer limits an answer that is not a stream, such as an error.
const maxAnswer = 8 << 20

// unreadable is an answer, or an event of one, that is not in the API's format.
// Another attempt may help: gateways send such answers when they are in
// trouble.
type unreadable struct{ text string }

func (e *unreadable) Error() string { return e.text }

// events converts a stream of server-sent events from any form that the
// standard allows to the one that genai reads: each event one line "data: JSON"
// and an empty line. It drops comments and other fields, accepts LF, CRLF and
// CR as line ends, joins data of several lines, needs no empty line after the
// last event, and ends the stream at "[DONE]".
type events struct {
	io.ReadCloser
	x        *exchange
	line     []byte // the beginning of an unfinished line
	data     []byte // data of the current event, lines joined
	hasData  bool   // the current event has data
	bare     bool   // lines are JSON without "data:"
	unusable []byte // the first line that was not readable
	sawEvent bool   // there was an event
	out      []byte // output that was not read yet
	err      error  // the error to return after out
	// begun: the byte order mark has been skipped. cr: the last line ended with
	// CR; an LF that follows belongs to it.
	begun, cr bool
	chunk     []byte
}

func newEvents(r io.ReadCloser, x *exchange) *events {
	return &events{ReadCloser: r, x: x, chunk: make([]byte, 32<<10)}
}

// Read implements [io.Reader].
func (e *events) Read(p []byte) (int, error) {
	for len(e.out) == 0 {
		if e.err != nil {
			if e.err != io.EOF && e.x.bodyErr == nil {
				e.x.bodyErr = e.err // genai would print it on stderr
			}
			return 0, io.EOF
		}
		n, err := e.ReadCloser.Read(e.chunk)
		e.take(e.chunk[:n])
		if err != nil && e.err == nil {
			e.finish(err)
		}
	}
	n := copy(p, e.out)
	e.out = e.out[n:]
	return n, nil
}

// take processes input line by line.
func (e *events) take(b []byte) {
	for len(b) > 0 && e.err == nil {
		if e.cr && b[0] == '\n' {
			b, e.cr = b[1:], false
			continue
		}
		e.cr = false
		end := bytes.IndexAny(b, "\r\n")
		if end < 0 {
			e.grow(b)
			return
		}
		e.grow(b[:end])
		e.cr = b[end] == '\r'
		b = b[end+1:]
		if e.err == nil {
			e.endLine()
		}
	}
}

func (e *events) grow(b []byte) {
	if len(e.line)+len(e.data)+len(b) > maxEvent {
		e.err = &unreadable{fmt.Sprintf("the server sent an event of more than %d MiB", maxEvent>>20)}
		return
	}
	e.line = append(e.line, b...)
}

func (e *events) endLine() {
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
			e.unusable = bytes.Clone(line[:min(len(line), maxShown)])
		}
	}
}

// dispatch ends the current event.
func (e *events) dispatch() {
	data := bytes.TrimSpace(e.data)
	defer func() { e.data, e.hasData = e.data[:0], false }()
	switch {
	case len(data) == 0:
	case string(data) == "[DONE]":
		e.err = io.EOF
	default:
		e.sawEvent = true
		e.x.lastInput = append(e.x.lastInput[:0], data[:min(len(data), maxShown)]...)
		if e.err = checkAnswer(data); e.err == nil {
			e.out = append(append(append(e.out, "data: "...), data...), "\n\n"...)
		}
	}
}

// finish handles the end of the stream: a last event counts if it is complete.
func (e *events) finish(err error) {
	if err == io.EOF && e.x.bodyErr == nil {
		if len(e.line) > 0 {
			e.endLine()
		}
		if e.err == nil {
			e.dispatch()
		}
		if e.err == nil && !e.sawEvent && e.unusable != nil {
			e.err = unreadableText(e.unusable)
		}
	}
	if e.err == nil {
		e.err = err
	}
}

// unreadableText describes what was sent in place of an answer.
func unreadableText(data []byte) error {
	data = data[:min(len(data), maxShown)]
	return &unreadable{fmt.Sprintf("the server sent %q", bytes.ToValidUTF8(data, nil))}
}

// maxShown is how much of an unreadable answer is kept for the error.
const maxShown = 200

// Limits of an answer: decoding a larger one takes too much memory.
const (
	maxDepth  = 200
	maxValues = 100_000
)

// checkAnswer checks one answer against the limits before genai decodes it into
// maps.
func checkAnswer(data []byte) error {
	if len(data) == 0 || data[0] != '{' || !json.Valid(data) {
		return unreadableText(data)
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
			return &unreadable{fmt.Sprintf("the server sent objects and lists nested more than %d deep", maxDepth)}
		}
		if values > maxValues {
			return &unreadable{fmt.Sprintf("the server sent more than %d values at once", maxValues)}
		}
	}
	return nil
}

// whole is the body of an answer that is not a stream; it is checked once all
// of it is read. Errors of the API may have any form: of them only the size is
// checked.
type whole struct {
	io.ReadCloser
	x    *exchange
	ok   bool // the answer is not an error
	read bool
	out  []byte
}

// Read implements [io.Reader].
func (w *whole) Read(p []byte) (int, error) {
	if !w.read {
		w.read = true
		data, err := io.ReadAll(io.LimitReader(w.ReadCloser, maxAnswer+1))
		switch {
		case err != nil || w.x.bodyErr != nil:
		case len(data) > maxAnswer:
			w.x.bodyErr = &unreadable{fmt.Sprintf("the server sent an answer of more than %d MiB", maxAnswer>>20)}
		default:
			data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
			w.x.lastInput = append(w.x.lastInput[:0], data[:min(len(data), maxShown)]...)
			w.out = data
			if w.ok {
				if err := checkAnswer(data); err != nil {
					w.x.bodyErr, w.out = err, []byte("{}")
				}
			}
		}
	}
	if len(w.out) == 0 {
		return 0, io.EOF
	}
	n := copy(p, w.out)
	w.out = w.out[n:]
	return n, nil
}
