//go:build unix

package terminal

import (
	"bufio"
	"os"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"minigem/internal/proc"
)

// guardScript saves the state of the terminal, reports that it is ready, and restores
// the state unless the first line it reads is "done". Otherwise that line begins a
// crash report, or the stream has ended. It discards the rest of the report.
const guardScript = `trap '' INT TERM HUP QUIT TSTP TTOU TTIN
exec 3>&1
saved=$(stty -g <&3) && echo ready >&0 || exit 1
read -r word; [ "$word" = done ] && exit
printf '\033[?1004l\033[?2004l\033[?25h\033[0m\r\033[J'
stty "$saved" <&3
exec cat >/dev/null`

// readyTime is how long startup waits for the guard.
const readyTime = time.Second

// Guard restores the terminal when the program no longer can: after a panic in any
// goroutine, a fatal runtime error, or a kill. It is a small shell at the other end of
// a socket. The socket's buffer is tiny, so a crashing program cannot finish writing
// its report, and exit, before the guard has read it. The terminal is thus restored by
// the time the parent regains control. After a kill there is no report, so the shell
// may be slightly late. A nil Guard does nothing.
type Guard struct {
	line  *os.File
	ready chan bool
	wait  func()
	once  sync.Once
}

// NewGuard starts a guard that restores tty to its current state. It returns at once,
// with nil if no guard could be started.
func NewGuard(tty *os.File) *Guard {
	syscall.ForkLock.RLock()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fds[0])
		syscall.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil
	}
	_ = syscall.SetsockoptInt(fds[0], syscall.SOL_SOCKET, syscall.SO_SNDBUF, 1) // the smallest size
	g := &Guard{line: os.NewFile(uintptr(fds[0]), "guard"), ready: make(chan bool, 1)}
	theirs := os.NewFile(uintptr(fds[1]), "guard")
	defer theirs.Close()
	g.wait, err = proc.Attend(guardScript, theirs, tty)
	if err != nil {
		g.line.Close()
		return nil
	}
	go func() {
		_, err := bufio.NewReader(g.line).ReadString('\n')
		g.ready <- err == nil
	}()
	return g
}

// arm waits until the guard has saved the terminal's state, then directs crash reports
// to it.
func (g *Guard) arm() {
	if g == nil {
		return
	}
	select {
	case ok := <-g.ready:
		if ok {
			_ = debug.SetCrashOutput(g.line, debug.CrashOptions{}) // without a report, the end of the stream tells
		}
	case <-time.After(readyTime):
	}
}

// Release ends the guard, because the terminal has been restored.
func (g *Guard) Release() {
	if g == nil {
		return
	}
	g.once.Do(func() {
		_ = debug.SetCrashOutput(nil, debug.CrashOptions{})
		_, _ = g.line.WriteString("done\n") // the guard may be gone
		g.line.Close()
		g.wait()
	})
}
