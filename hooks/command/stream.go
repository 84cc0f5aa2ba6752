package command

import (
	"io"

	"minigem/internal/proc"
)

const (
	// maxStream bounds what is kept of each stream: its beginning and, to show how the
	// hook went on, maxTail of its end.
	maxStream = 1 << 20
	maxTail   = 64 << 10
)

// kept is the limit of one stream: its beginning, where an answer is, and its end,
// where an error usually is.
var kept = proc.Limit{Head: maxStream - maxTail, Tail: maxTail}

// ReadAnswer reads the answer of a hook that does not write to stdout, such as the body
// of a response, and keeps as much of it as of stdout. cut reports whether something was
// dropped. With an error it returns what was read before.
func ReadAnswer(r io.Reader) (answer []byte, cut bool, err error) {
	o, err := proc.Keep(r, kept)
	return o.Bytes(), o.Dropped > 0, err
}
