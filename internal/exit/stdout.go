package exit

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"syscall"
)

// Stdout is standard output, or a file of results. It remembers if something could not
// be written, for example to a full disk: losing output is not a success. A reader that
// has read enough does not count.
type Stdout struct {
	To io.Writer

	mu  sync.Mutex
	err error
}

// Write implements [io.Writer].
func (s *Stdout) Write(p []byte) (int, error) {
	n, err := s.To.Write(p)
	if err != nil && !endOfPipe(err) {
		s.mu.Lock()
		if s.err == nil {
			s.err = err
		}
		s.mu.Unlock()
	}
	return n, err
}

func endOfPipe(err error) bool {
	// Windows has several errors for it.
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) || runtime.GOOS == "windows"
}

// Lost returns err, or else an error that says that output was lost.
func Lost(err, lost error) error {
	if err != nil || lost == nil {
		return err
	}
	return With(Failed, lost)
}

// Lost returns why something could not be written, or nil if everything was.
func (s *Stdout) Lost() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Report is [Report], but fails if output was lost.
func (s *Stdout) Report(w io.Writer, err error) int {
	code := fitted(w, err)
	if lost := s.Lost(); code == OK && lost != nil {
		fmt.Fprintf(w, "minigem: the output is incomplete: %v\n", lost)
		return Failed
	}
	return code
}

// Raw returns what w writes to if w is a Stdout, else w.
func Raw(w io.Writer) io.Writer {
	if s, ok := w.(*Stdout); ok {
		return s.To
	}
	return w
}
