package command

import (
	"io"

	"minigem/internal/proc"
)

const (
	// maxStream is what is kept of each stream: its beginning, and maxTail of its
	// end, which shows how the hook went on.
	maxStream = 1 << 20
	maxTail   = 64 << 10
)

var kept = proc.Limit{Head: maxStream - maxTail, Tail: maxTail}

// ReadAnswer reads the answer of a hook that does not write to stdout, and keeps
// of it what is kept of stdout. cut reports whether that is not all. An error
// comes with what was read before it.
func ReadAnswer(r io.Reader) (answer []byte, cut bool, err error) {
	o, err := proc.Keep(r, kept)
	return o.Bytes(), o.Dropped > 0, err
}
