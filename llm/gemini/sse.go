package gemini

import (
	"io"

	"minigem/llm/internal/remote"
)

// events converts a stream of server-sent events to the form that genai reads:
// each event one line "data: JSON" and an empty line.
type events struct {
	io.Closer
	x   *exchange
	in  *remote.Events
	out []byte // output that was not read yet
}

// newEvents converts the events of r, which is closed with the result.
func newEvents(r io.ReadCloser, x *exchange) *events {
	return &events{Closer: r, x: x, in: remote.NewEvents(r)}
}

// Read implements [io.Reader].
func (e *events) Read(p []byte) (int, error) {
	if len(e.out) == 0 {
		data, err := e.in.Next()
		if err != nil {
			e.x.broke(err) // genai would print it on stderr
			return 0, io.EOF
		}
		e.x.saw(data)
		e.out = append(append(append(e.out[:0], "data: "...), data...), "\n\n"...)
	}
	n := copy(p, e.out)
	e.out = e.out[n:]
	return n, nil
}

// whole is the body of an answer that is not a stream; it is checked once all
// of it is read.
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
		data, err := remote.ReadAnswer(w.ReadCloser, w.ok)
		w.x.saw(data)
		if w.out = data; err != nil {
			w.x.broke(err)
			w.out = []byte("{}")
		}
	}
	if len(w.out) == 0 {
		return 0, io.EOF
	}
	n := copy(p, w.out)
	w.out = w.out[n:]
	return n, nil
}
