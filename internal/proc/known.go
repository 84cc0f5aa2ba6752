package proc

import (
	"errors"
	"os"
	"strconv"
	"sync"
	"time"
)

// errEnding is why nothing is started any more.
var errEnding = errors.New("minigem is ending")

// guardAfter is how long a command runs before the guard hears of it, so that
// short ones cost nothing.
const guardAfter = 100 * time.Millisecond

// groups are those of the commands that must not outlive the program, by their
// process ids. A guard ends them after a kill of the program: a small shell
// that reads their ids from a pipe, until nobody holds the other end.
type groups struct {
	mu      sync.Mutex
	known   map[int]*group
	closed  bool
	guard   *os.File // nil: it was not needed yet, or there is none
	guarded bool     // it was started, or could not be
}

type group struct {
	told bool // to the guard
	left bool // the command itself is gone
}

var running = groups{known: map[int]*group{}}

// KillAll ends the group of every command that runs or was left by one with
// Guarded, without waiting, and nothing is started after it: for an exit that
// does not wait.
func KillAll() { running.killAll() }

func (g *groups) killAll() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	for pid := range g.known {
		kill(pid, family(pid))
	}
}

// start starts a command while no other goroutine calls KillAll.
func (g *groups) start(c Command, begin func() (pid int, err error)) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return errEnding
	}
	if c.Guarded {
		g.wake()
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

// ended says that a command is gone; its group may not be.
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
	if g.known[pid].told && g.guard != nil {
		_, _ = g.guard.WriteString("- " + strconv.Itoa(pid) + "\n") // a guard that is gone keeps nothing
	}
	delete(g.known, pid)
}

func (g *groups) tell(pid int, known *group) {
	g.wake()
	if g.guard != nil {
		known.told = true
		_, _ = g.guard.WriteString("+ " + strconv.Itoa(pid) + "\n") // as in forget
	}
}

// wake starts the guard, unless it was started.
func (g *groups) wake() {
	if !g.guarded {
		g.guarded = true
		g.guard = startGuard()
	}
}
