package proc

import (
	"fmt"
	"io"
	"sync"
)

// Limit says how many bytes of a stream are kept: Head at its beginning and Tail at its
// end. The zero value keeps everything.
type Limit struct {
	Head, Tail int
	// Watch receives the whole stream as it arrives, once it is longer than Head. It
	// must not block. May be nil.
	Watch io.Writer
}

// Output is the part of a stream that was kept.
type Output struct {
	Head    []byte
	Tail    []byte // the end of the stream; empty if Head is all of it
	Dropped int64  // number of bytes lost between the two
}

// Bytes joins the output. If bytes were dropped and a tail was kept, a line in between
// says how many are missing.
func (o Output) Bytes() []byte {
	if o.Dropped == 0 {
		return append(o.Head[:len(o.Head):len(o.Head)], o.Tail...)
	}
	if len(o.Tail) == 0 {
		return o.Head
	}
	b := fmt.Appendf(o.Head[:len(o.Head):len(o.Head)], "\n[... %d bytes omitted ...]\n", o.Dropped)
	return append(b, o.Tail...)
}

func (o Output) String() string { return string(o.Bytes()) }

// buffer keeps a stream within a limit.
type buffer struct {
	limit Limit

	mu      sync.Mutex
	head    []byte
	tail    []byte // up to twice Tail, so that bytes are rarely moved
	total   int64
	sealed  bool
	watched bool // limit.Watch has received the head
}

// write adds p and passes it to live, unless the buffer is sealed.
func (b *buffer) write(p []byte, live func([]byte)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.sealed {
		return
	}
	b.total += int64(len(p))
	if live != nil {
		live(p)
	}
	n := len(p)
	if b.limit.Head > 0 || b.limit.Tail > 0 {
		n = min(n, b.limit.Head-len(b.head))
	}
	b.head = append(b.head, p[:n]...)
	b.watch(p[n:])
	if b.limit.Tail == 0 {
		return
	}
	b.tail = append(b.tail, p[n:]...)
	if over := len(b.tail) - b.limit.Tail; over > b.limit.Tail {
		b.tail = b.tail[:copy(b.tail, b.tail[over:])]
	}
}

// watch passes on what exceeds the head, preceded by the head itself.
func (b *buffer) watch(p []byte) {
	if len(p) == 0 || b.limit.Watch == nil {
		return
	}
	if !b.watched {
		b.watched = true
		_, _ = b.limit.Watch.Write(b.head)
	}
	_, _ = b.limit.Watch.Write(p) // an error of Watch affects nothing else
}

// seal drops all later output. Once it returns, live is no longer being called.
func (b *buffer) seal() {
	b.mu.Lock()
	b.sealed = true
	b.mu.Unlock()
}

func (b *buffer) output() Output {
	b.mu.Lock()
	defer b.mu.Unlock()
	tail := b.tail
	if b.limit.Tail > 0 && len(tail) > b.limit.Tail {
		tail = tail[len(tail)-b.limit.Tail:]
	}
	o := Output{Head: append([]byte(nil), b.head...), Tail: append([]byte(nil), tail...)}
	o.Dropped = b.total - int64(len(o.Head)+len(o.Tail))
	return o
}

// Keep reads r to its end and keeps what limit allows. Watch may be set. On an error it
// also returns what was read before.
func Keep(r io.Reader, limit Limit) (Output, error) {
	b := &buffer{limit: limit}
	_, err := io.Copy(writerFunc(func(p []byte) { b.write(p, nil) }), r)
	return b.output(), err
}

type writerFunc func([]byte)

func (f writerFunc) Write(p []byte) (int, error) { f(p); return len(p), nil }
