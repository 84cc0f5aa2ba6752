//go:build unix

package terminal

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// stopTime is how long the system may take to stop us.
const stopTime = 200 * time.Millisecond

// watch handles changes of the window's size, ^Z, and being continued.
func (t *Terminal) watch() (stop func()) {
	signals := make(chan os.Signal, 8)
	pressed := make(chan struct{}, 1)
	done := make(chan struct{})
	t.keys.suspend = func() {
		select {
		case pressed <- struct{}{}:
		default:
		}
	}
	signal.Notify(signals, syscall.SIGWINCH, syscall.SIGCONT)
	go func() {
		for {
			select {
			case <-done:
				return
			case <-pressed:
				t.suspend(signals)
			case s := <-signals:
				t.signalled(s)
			}
		}
	}()
	return func() { signal.Stop(signals); close(done) }
}

func (t *Terminal) signalled(s os.Signal) {
	switch {
	case t.away.Load():
	case s == syscall.SIGWINCH:
		t.screen.redraw()
		t.mu.Lock()
		resized := t.resized
		t.mu.Unlock()
		if resized != nil {
			resized()
		}
	case s == syscall.SIGCONT: // stopped by another process
		_ = t.takeOver() // a terminal that is gone sends a hangup
	}
}

// suspend stops the program, with the terminal as it was before Open, until the
// shell continues it. The signal is left to the system: once Go has handled it,
// its default action cannot be restored.
func (t *Terminal) suspend(signals chan os.Signal) {
	t.away.Store(true)
	defer t.away.Store(false)
	t.release()
	defer func() { _ = t.takeOver() }()  // as in signalled
	_ = syscall.Kill(0, syscall.SIGTSTP) // the whole job, as the terminal's own ^Z does
	late := time.After(stopTime)         // there is no shell to stop for
	for {
		select {
		case s := <-signals:
			if s == syscall.SIGCONT {
				return
			}
		case <-late:
			return
		}
	}
}
