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

// watch follows the size of the window, ^Z, and being continued.
func (t *Terminal) watch() (stop func()) {
	heard := make(chan os.Signal, 8)
	pressed := make(chan struct{}, 1)
	done := make(chan struct{})
	t.keys.suspend = func() {
		select {
		case pressed <- struct{}{}:
		default:
		}
	}
	signal.Notify(heard, syscall.SIGWINCH, syscall.SIGCONT)
	go func() {
		for {
			select {
			case <-done:
				return
			case <-pressed:
				t.suspend(heard)
			case s := <-heard:
				t.signalled(s)
			}
		}
	}()
	return func() { signal.Stop(heard); close(done) }
}

func (t *Terminal) signalled(s os.Signal) {
	switch {
	case t.isAway():
	case s == syscall.SIGWINCH:
		t.screen.redraw()
	case s == syscall.SIGCONT: // stopped by somebody else
		_ = t.take() // a terminal that is gone hangs up
	}
}

// suspend stops the program, with the terminal as it was before Open, until the
// shell continues it. The signal is left to the system: Go has no way back to
// what it does by default, once it was asked for.
func (t *Terminal) suspend(heard chan os.Signal) {
	t.setAway(true)
	defer t.setAway(false)
	t.give()
	defer func() { _ = t.take() }()      // as in signalled
	_ = syscall.Kill(0, syscall.SIGTSTP) // all of the job, as the terminal's own ^Z does
	late := time.After(stopTime)         // there is no shell to stop for
	for {
		select {
		case s := <-heard:
			if s == syscall.SIGCONT {
				return
			}
		case <-late:
			return
		}
	}
}
