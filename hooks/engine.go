package hooks

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"minigem/hooks/protocol"
)

// Engine fires events at the configured hooks and says what comes of it. The
// zero Engine, and a nil one, lets everything pass. Its methods are safe for
// concurrent use; its fields must not be changed once the first event has been
// fired, except through SetConfig and SetOrigin.
type Engine struct {
	Config Config
	Runner Runner // nil: no hook runs, and the report says so
	Origin Origin

	// Report, if not nil, is called for every event for which a hook is configured,
	// before the event's method returns. It is called concurrently where events
	// are fired concurrently, and at any time for what hooks with async said
	// later. It must not fire events itself.
	Report func(Report)
	// Starting, if not nil, is called for the hooks that are about to run, in the order
	// of running; the event's Report follows when they have. The same rules hold.
	Starting func(ev Event, hooks []Hook)
	// ReportIdle: events without a configured hook are reported too, with the
	// payload that a hook would have read.
	ReportIdle bool
	// Mask, if not nil, takes secrets out of what Report's JSON form shows. It
	// must not change its argument.
	Mask func([]byte) []byte
	// Watch, if not nil, knows the files that hooks load as they were when the session
	// began. A hook for which Changed names some does not run. Changed may ask the user.
	// Ran is called when a hook has run.
	Watch interface {
		Changed(context.Context, Hook) []string
		Ran(Hook)
	}
	// BlockFailed: a call is blocked if a BeforeTool hook failed whose OnError is
	// empty, as if it were "block".
	BlockFailed bool
	// RulesAt holds rules that replace the engine's own at an event. A nil one: the
	// event does not happen. It must not change once an event was fired.
	RulesAt map[Event]Rules
	// Mode, if not nil, is the approval mode that is in force: "default",
	// "autoEdit", "yolo" or "plan".
	Mode func() string
	// Transcript, if not nil, is the path of the session's transcript in the form
	// of the agent whose dialect it is, kept up with the session. of is that of a
	// subagent in our form; empty: the session's. nil: hooks of all dialects get ours.
	Transcript func(d *protocol.Dialect, of string) string
	// EnvFile, if not nil, makes the path of a file in which a SessionStart hook of
	// Claude Code's dialect may leave variables for later shell commands.
	EnvFile func() (string, error)
	// Resumed is when the session went on, where it did: its prompts are others than
	// those of before. Empty: it began with this engine.
	Resumed string
	// Patience is how long the hooks of SessionEnd, PreCompress, PostCompact, StopFailure and
	// Notification are waited for before they are left running; 0 means 5 s.
	Patience time.Duration

	mu       sync.RWMutex // guards the fields below, and Config and Origin
	seq      int
	prompts  int  // that were submitted
	retrying bool // the next BeforeAgent is for a hook's reason, not for a prompt

	matchers matchers
	warned   set // warnings that the user has seen
	once     set // hooks that were to run once, and did
	skills   set // those that are active
	late     late
}

// DefaultTimeout is what a hook without a time-out gets.
const DefaultTimeout = 60 * time.Second

const (
	defaultPatience = 5 * time.Second
)

// SetConfig replaces the configuration. Events that are being fired go on with
// the old one.
func (e *Engine) SetConfig(c Config) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.Config = c
}

// SetOrigin replaces what hooks are told about the session, such as after
// /clear. Hooks with async end with the session that they ran for.
func (e *Engine) SetOrigin(o Origin) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.Origin.SessionID != o.SessionID {
		e.late.mu.Lock()
		defer e.late.mu.Unlock()
		e.late.reset(o.SessionID)
		e.skills.clear()
	}
	e.Origin = o
}

// Activate begins to run the hooks of a skill, until another session begins.
func (e *Engine) Activate(skill string) { e.skills.add(skill) }

// idle reports whether firing ev would come to nothing: no hook is configured
// for it and nobody wants to know. It costs nothing, so that programs
// without hooks pay nothing.
func (e *Engine) idle(ev Event) bool {
	if e == nil {
		return true
	}
	if r, ok := e.RulesAt[ev]; ok && r == nil {
		return true
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.ReportIdle && e.Report != nil {
		return false
	}
	for i := range e.Config.Hooks {
		if e.Config.Hooks[i].Event == ev {
			return false
		}
	}
	return true
}

// begin numbers an event and takes what it needs of e.
func (e *Engine) begin() (seq int, c Config, o Origin) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.seq++
	return e.seq, e.Config, e.Origin
}

// submitted counts a prompt.
func (e *Engine) submitted() {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.retrying {
		e.prompts++
	}
	e.retrying = false
}

// retry says that the next prompt is a hook's reason.
func (e *Engine) retry() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.retrying = true
}

// promptID is the same for all that comes of one prompt.
func (e *Engine) promptID(session string) string {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return uuid.NewSHA1(
		uuid.Nil, []byte(strings.Join([]string{session, "prompt", e.Resumed + strconv.Itoa(e.prompts)}, "\x00"))).String()
}

// mode is what hooks of ev read as permission_mode; empty: they are not told.
func (e *Engine) mode(ev Event) string {
	if e.Mode == nil || !ev.HasMode() {
		return ""
	}
	return e.Mode()
}

// hadIts reports whether h is to run once in a session, and has.
func (e *Engine) hadIts(h Hook, session string) bool {
	return h.Once && e.once.has(onceKey(h, session))
}

// hasRun notes that a hook which is to run once did. One that failed or refused
// runs again: a guard is not disarmed by its first denial.
func (e *Engine) hasRun(r Run, session string) {
	if r.Hook.Once && r.Failed == "" && r.Decision == Proceed {
		e.once.add(onceKey(r.Hook, session))
	}
}

func onceKey(h Hook, session string) string {
	return strings.Join([]string{session, string(h.Event), h.Source.String(), h.ID()}, "\x00")
}

// withheld says why h does not run: a file that it loads changed since the session
// began, and the user has not agreed. Empty: it runs.
func (e *Engine) withheld(ctx context.Context, h Hook) string {
	if e.Watch == nil {
		return ""
	}
	files := e.Watch.Changed(ctx, h)
	if len(files) == 0 {
		return ""
	}
	return fmt.Sprintf("hook %q was not run, because %s changed during the session: look at it, then run minigem trust",
		h.ID(), strings.Join(files, ", "))
}

func (e *Engine) patience() time.Duration {
	if e.Patience > 0 {
		return e.Patience
	}
	return defaultPatience
}

// detached keeps ctx's values and drops its end; cancel ends it.
func detached(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithCancel(context.WithoutCancel(ctx))
}

// set is a set of strings, safe for concurrent use. The zero set is empty.
type set struct {
	mu      sync.Mutex
	members map[string]bool
}

// add puts member into s and reports whether it was not there before.
func (s *set) add(member string) (added bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.members[member] {
		return false
	}
	if s.members == nil {
		s.members = map[string]bool{}
	}
	s.members[member] = true
	return true
}

func (s *set) has(member string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.members[member]
}

func (s *set) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.members)
}
