package command

import (
	"fmt"
	"io"

	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/internal/proc"
)

const (
	// maxStream is what is kept of each stream: its beginning, and maxTail of its
	// end, for the answer comes last.
	maxStream = 1 << 20
	maxTail   = 64 << 10
)

// stream is one that a hook writes to. What is not kept is searched for a
// decision as it passes.
type stream struct{ scan *protocol.Scan }

func newStream(h hooks.Hook, stderr bool) stream {
	return stream{protocol.DialectOf(h.Dialect).NewScan(h.Event, stderr)}
}

func (s stream) limit() proc.Limit {
	l := proc.Limit{Head: maxStream - maxTail, Tail: maxTail}
	if s.scan != nil {
		l.Watch = s.scan
	}
	return l
}

// ReadAnswer reads what h answers in another way than by stdout, and keeps of it what
// is kept of stdout. An error comes with what was read before it.
func ReadAnswer(r io.Reader, h hooks.Hook) (kept []byte, cut bool, err error) {
	s := newStream(h, false)
	o, err := proc.Keep(r, s.limit())
	return s.kept(o), o.Dropped > 0, err
}

// kept is o in one piece. A decision in what was cut off has a line of its own.
func (s stream) kept(o proc.Output) []byte {
	if o.Dropped == 0 {
		return o.Bytes()
	}
	head := int64(len(o.Head))
	found := s.scan.Found(head, head+o.Dropped)
	if found == nil {
		return o.Bytes()
	}
	b := fmt.Appendf(o.Head[:len(o.Head):len(o.Head)], "\n[... %d bytes omitted, which say]\n%s\n[...]\n", o.Dropped, found)
	return append(b, o.Tail...)
}
