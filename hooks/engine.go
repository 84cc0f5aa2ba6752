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

// Engine fires events at the configured hooks and merges their answers. A nil Engine and
// the zero Engine let everything pass. Methods are safe for concurrent use. Fields must
// not be changed after the first event was fired, except through [Engine.SetConfig] and
// [Engine.SetOrigin]. An engine that ran hooks with async must be closed with
// [Engine.Close].
type Engine struct {
	// Config is the configuration; see [Engine.SetConfig].
	Config Config
	// Runner runs the hooks. If it is nil, no hook runs, and the report says so.
	Runner Runner
	// Origin is the session; see [Engine.SetOrigin].
	Origin Origin

	// Report, if not nil, is called with the [Report] of every event for which a hook is
	// configured, before the event's method returns. It is called concurrently where
	// events are fired concurrently. A second report of an event follows when hooks that
	// were not waited for have ended; see [Report.Late]. Report must not fire events.
	Report func(Report)
	// Starting, if not nil, is called with the hooks that are about to run, in the order
	// of running, except those with async. The event's Report follows when they have
	// ended. Like Report, it may be called concurrently and must not fire events.
	Starting func(ev protocol.Event, hooks []Hook)
	// ReportIdle also reports events without a configured hook, with the payload that a
	// hook would have read. It has no effect without Report.
	ReportIdle bool
	// Mask, if not nil, removes secrets from the strings of a Report's JSON form. It must
	// not change its argument, and must be safe for concurrent use.
	Mask func([]byte) []byte
	// Watch, if not nil, guards the files that hooks load. Changed returns the files of a
	// hook that changed since the session began; it may ask the user. If it names any,
	// the hook does not run, and denies where its event can be blocked (not at
	// AfterAgent, which would send the answer back forever). Ran is called after each
	// run of a hook. Both are called concurrently.
	Watch interface {
		Changed(context.Context, Hook) []string
		Ran(Hook)
	}
	// BlockFailed makes a BeforeTool hook without an OnError block the call if it fails,
	// as if OnError were "block".
	BlockFailed bool
	// RulesAt holds rules that replace the engine's own at an event. An entry that is nil
	// means that the event does not happen. The map must not change after an event was
	// fired.
	RulesAt map[protocol.Event]Rules
	// Mode, if not nil, returns the approval mode in force, "default", "autoEdit", "yolo"
	// or "plan", which hooks read as permission_mode. If it is nil, payloads have no such
	// field. It is called concurrently.
	Mode func() string
	// Transcript, if not nil, returns the path of the session's transcript in the form of
	// d's agent, brought up to date. of is the path of a subagent's transcript in our
	// form, or empty for the session's. If Transcript is nil, hooks of all dialects get
	// our form.
	Transcript func(d *protocol.Dialect, of string) string
	// EnvFile, if not nil, creates a file in which a SessionStart hook of Claude Code's
	// dialect may leave variables for later shell commands, and returns its path.
	EnvFile func() (string, error)
	// Resumed identifies the point at which a session was resumed, so that its prompts
	// get other ids than those before. Empty means that the session began with this
	// engine.
	Resumed string
	// Patience is how long hooks of SessionEnd, PreCompress, PostCompact, StopFailure and
	// Notification are waited for before they are left running; 0 means 5 s.
	Patience time.Duration

	mu       sync.RWMutex // guards the fields below, and Config and Origin
	seq      int
	prompts  int  // that were submitted
	retrying bool // the next BeforeAgent is for a hook's reason, not for a prompt

	matchers matchers
	warned   set // warnings that the user has seen
	once     set // hooks with Once that have run
	skills   set // the active skills
	late     late
}

// How long hooks that nobody needs to wait for are waited for, unless [Engine.Patience]
// says otherwise.
const (
	defaultPatience = 5 * time.Second
)

// SetConfig replaces the configuration. Events that are being fired finish with the old
// one.
func (e *Engine) SetConfig(c Config) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.Config = c
}

// SetOrigin replaces the session that hooks read about, such as after /clear. If the
// session's id changes, running hooks with async are cancelled, what they said is
// dropped, and no skill is active any more.
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

// Activate starts running the hooks of a skill, until another session begins. Calling it
// again has no effect.
func (e *Engine) Activate(skill string) { e.skills.add(skill) }

// idle reports whether firing ev would have no effect, because no hook is configured
// for it and its report is not wanted. It allocates nothing, so that programs without
// hooks pay nothing.
func (e *Engine) idle(ev protocol.Event) bool {
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

// begin numbers an event and returns the configuration and origin it runs with.
func (e *Engine) begin() (seq int, c Config, o Origin) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.seq++
	return e.seq, e.Config, e.Origin
}

// submitted counts a prompt, unless it is a retry.
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

// retry marks the next prompt as a hook's reason.
func (e *Engine) retry() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.retrying = true
}

// promptID returns an id that all events of one prompt share.
func (e *Engine) promptID(session string) string {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return uuid.NewSHA1(
		uuid.Nil, []byte(strings.Join([]string{session, "prompt", e.Resumed + strconv.Itoa(e.prompts)}, "\x00"))).String()
}

// mode returns what hooks of ev read as permission_mode, or "" if they do not read it.
func (e *Engine) mode(ev protocol.Event) string {
	if e.Mode == nil || !ev.HasMode() {
		return ""
	}
	return e.Mode()
}

// hadIts reports whether h has Once set and has already run in the session.
func (e *Engine) hadIts(h Hook, session string) bool {
	return h.Once && e.once.has(onceKey(h, session))
}

// hasRun records the run of a hook with Once. A hook that failed or refused runs again:
// a guard is not disarmed by its first denial.
func (e *Engine) hasRun(r Run, session string) {
	if r.Hook.Once && r.Failed == "" && r.Decision == Proceed {
		e.once.add(onceKey(r.Hook, session))
	}
}

// onceKey identifies a hook with Once in a session. A hook that is configured in two
// places runs once in each.
func onceKey(h Hook, session string) string {
	return strings.Join([]string{session, string(h.Event), h.Source.String(), h.ID()}, "\x00")
}

// withheld returns why h does not run: a file that it loads changed since the session
// began, and the user has not agreed. It returns "" if h runs.
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

// patience returns how long to wait for the hooks of events with leave.
func (e *Engine) patience() time.Duration {
	if e.Patience > 0 {
		return e.Patience
	}
	return defaultPatience
}

// detached returns a context with ctx's values that does not end with ctx.
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

// has reports whether member is in s.
func (s *set) has(member string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.members[member]
}

// clear empties s.
func (s *set) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.members)
}
