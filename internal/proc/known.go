package proc

import (
	"errors"
	"os"
	"strconv"
	"sync"
	"time"
)

// errEnding means that no more commands are started.
var errEnding = errors.New("minigem is ending")

// guardAfter is how long a command runs before the guard is told its group, so that
// short ones cost nothing.
const guardAfter = 100 * time.Millisecond

// groups holds the groups of commands that must not outlive the program, by process id.
// If the program is killed, a guard ends them. The guard is a small shell that reads
// their ids from a pipe until the other end is closed.
type groups struct {
	mu      sync.Mutex
	known   map[int]*group
	closed  bool
	guard   *os.File // nil if it was not needed yet, or could not be started
	guarded bool     // an attempt to start the guard was made
}

type group struct {
	sent bool // the guard knows of it
	left bool // the command itself has ended
}

var running = groups{known: map[int]*group{}}

// KillAll kills the groups of all running commands, and of those with Guarded that left
// processes behind, without waiting. Nothing can be started after it. It is for an exit
// that does not wait.
func KillAll() { running.killAll(true) }

// KillRunning kills the groups of all running commands. New ones may be started after
// it.
func KillRunning() { running.killAll(false) }

func (g *groups) killAll(last bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = g.closed || last
	for pid := range g.known {
		kill(pid, family(pid))
	}
}

// start starts a command unless KillAll was called.
func (g *groups) start(c Command, begin func() (pid int, err error)) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return errEnding
	}
	if c.Guarded {
		g.startGuardOnce()
	}
	pid, err := begin()
	if err != nil || c.Outlives {
		return err
	}
	for old, known := range g.known {
		if known.left && !groupExists(old) {
			g.forget(old)
		}
	}
	known := &group{}
	g.known[pid] = known
	if c.Guarded {
		g.tell(pid, known)
		return nil
	}
	time.AfterFunc(guardAfter, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.known[pid] == known {
			g.tell(pid, known)
		}
	})
	return nil
}

// ended records that a command has ended. Others of its group may still be running.
func (g *groups) ended(pid int, guarded bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	known := g.known[pid]
	switch {
	case known == nil:
	case guarded && groupExists(pid):
		known.left = true
	default:
		g.forget(pid)
	}
}

func (g *groups) forget(pid int) {
	if g.known[pid].sent && g.guard != nil {
		_, _ = g.guard.WriteString("- " + strconv.Itoa(pid) + "\n") // the guard may be gone
	}
	delete(g.known, pid)
}

func (g *groups) tell(pid int, known *group) {
	g.startGuardOnce()
	if g.guard != nil {
		known.sent = true
		_, _ = g.guard.WriteString("+ " + strconv.Itoa(pid) + "\n") // as in forget
	}
}

// startGuardOnce starts the guard unless that was tried before.
func (g *groups) startGuardOnce() {
	if !g.guarded {
		g.guarded = true
		g.guard = startGuard()
	}
}
