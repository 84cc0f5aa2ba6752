// Package session manages the life of a conversation: its id, its file, its start,
// resumption, clearing and end, and the history that the agent works on. It also knows
// where sessions are stored, lists and deletes them, and applies retention.
//
//	p, err := session.OpenProject(filepath.Join(home, ".gemini"), root)
//	s, err := session.Continue(session.Options{Project: p, Hooks: engine, Warn: warn})
//	if err != nil {
//		return err
//	}
//	defer s.End(ctx, "exit")
//	added := s.Begin(ctx)
//	a := &agent.Agent{Model: model, History: s, Sink: s}
//	a.Run(ctx, agent.Prompt{Text: "Fix the tests", Context: added})
//
// The content of a file is defined in transcript; the context that the model gets (system
// instruction, directory tree) is given as text. Failures of recording never stop a
// session: they are reported once, and the session goes on without a file.
package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"minigem/llm"
	"minigem/transcript"
)

// Sources of SessionStart.
const (
	// a new session
	SourceStartup = "startup"
	// an older session goes on, or was imported
	SourceResume = "resume"
	// [Session.Clear] was called
	SourceClear = "clear"
	// a summary replaced older messages
	SourceCompact = "compact"
)

// ReasonClear is the reason of SessionEnd that [Session.Clear] gives. The caller of
// [Session.End] gives the others: "exit", "logout", "prompt_input_exit", "other".
const ReasonClear = "clear"

// Hooks fires the events of a session; [*hooks.Engine] implements it.
type Hooks interface {
	// SessionStart fires in [Session.Begin]; source is one of the constants above. Only
	// the context of the outcome counts: hooks cannot stop a session from starting.
	SessionStart(ctx context.Context, source string) (added string)
	// SessionEnd fires before the file is closed. Hooks cannot prevent the end.
	SessionEnd(ctx context.Context, reason string)
}

// Options configures a [Session]. Only Project is required. Warn, Changed and Preamble
// may use the session; NewID, Now and Mask must not, because they are called while it is
// locked.
type Options struct {
	// Project says where the file is stored, see [OpenProject].
	Project Project
	// ID is the id of a new session: letters, digits, "_" and "-". Empty means what NewID
	// returns. [Resume] ignores it.
	ID string
	// Parent, if not empty, is the id of the session that starts this one as its
	// subagent's session. Empty means a main session.
	Parent string
	// Directories are the workspace directories in addition to the project's root, for
	// the file.
	Directories []string
	// Preamble returns the first message, which describes the surroundings. It is called
	// at each start, resumption and clearing, and by [Session.Renew]. nil and "" mean no
	// preamble.
	Preamble func() string
	// Mask masks secrets in the JSON of the file, see [transcript.Create]; nil masks
	// nothing.
	Mask func([]byte) []byte
	// Hooks is nil if no hook runs.
	Hooks Hooks
	// Warn is called for errors of files, which no method returns; may be nil.
	Warn func(error)
	// Read is called with the file of a session that is resumed or imported; may be nil.
	Read func(*transcript.File)
	// Changed is called with the new identity after Clear, before SessionStart, and with
	// the new path when a deleted file was written again elsewhere; may be nil.
	Changed func(id, path string)
	// Now returns the time; nil means [time.Now].
	Now func() time.Time
	// NewID makes ids of sessions and messages; nil means random UUIDs.
	NewID func() string
}

// Session is one conversation. It is the agent's History (agent.History) and, as an
// [event.Sink], adds to its file what the history does not contain. Make one with
// [Start], [Resume], [Continue] or [Import], and end it with [Session.End]. It is safe
// for concurrent use. Its methods block only while they write to the file, except for
// those that fire hooks: Begin, Clear and End wait for them.
type Session struct {
	o      Options
	source string // source of the next SessionStart

	mu              sync.Mutex
	id              string
	w               *transcript.Writer // nil: nothing is recorded
	begun           bool
	ended           bool
	entries         []entry
	messages        []llm.Message // messages of entries
	next            *roundInfo    // RoundFinished came, its message did not yet
	open            *openCalls    // the last model message, if it has calls
	pendingWarnings []error       // for Warn, once mu is free
	moved           bool          // for Changed, once mu is free
}

// entry is a message of the history and the id of its record; empty for a message without
// a record.
type entry struct {
	id      string
	message llm.Message
}

// ErrIDTaken is the error of [Start] if a session with the given id exists already.
var ErrIDTaken = errors.New("a session with this id exists already")

// ErrBadID is the error of [Start] if an id contains characters other than letters,
// digits, "_" and "-".
var ErrBadID = errors.New("session id may have letters, digits, _ and - only")

// validID keeps ids from leading out of the folder of sessions: files are named by
// them.
var validID = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// fill sets the defaults of functions, so that none is nil.
func (o *Options) fill() {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = uuid.NewString
	}
	if o.Warn == nil {
		o.Warn = func(error) {}
	}
	if o.Preamble == nil {
		o.Preamble = func() string { return "" }
	}
}

// Start begins a new session. Its file exists when Start returns; if the file cannot be
// created, Warn is called and nothing is recorded. The error wraps [ErrBadID] or
// [ErrIDTaken]; without Options.ID there is none.
func Start(o Options) (*Session, error) {
	o.fill()
	if o.ID != "" {
		if !validID.MatchString(o.ID) {
			return nil, fmt.Errorf("starting session %q: %w", o.ID, ErrBadID)
		}
		if fileOf(o.Project, o.ID) != "" {
			return nil, fmt.Errorf("starting session %q: %w", o.ID, ErrIDTaken)
		}
	}
	preamble := o.Preamble()
	s := &Session{o: o, source: SourceStartup}
	s.mu.Lock()
	defer s.unlock()
	s.initialize(o.ID, preamble)
	return s, nil
}

// unlock frees mu and then calls Warn and Changed, which may use the session.
func (s *Session) unlock() {
	untold, moved, id, path := s.pendingWarnings, s.moved, s.id, s.path()
	s.pendingWarnings, s.moved = nil, false
	s.mu.Unlock()
	if moved && s.o.Changed != nil {
		s.o.Changed(id, path)
	}
	for _, err := range untold {
		s.o.Warn(err)
	}
}

// warn keeps err until the session is not locked any more.
func (s *Session) warn(err error) { s.pendingWarnings = append(s.pendingWarnings, err) }

// initialize gives s an identity, a file and the preamble.
func (s *Session) initialize(id, preamble string) {
	if id == "" {
		id = s.o.NewID()
	}
	s.id, s.w, s.entries, s.messages, s.next, s.open = id, nil, nil, nil, nil, nil
	now := transcript.At(s.o.Now())
	s.create(s.fileName(now.Format("2006-01-02T15-04")), now)
	s.addPreamble(preamble)
}

// fileName returns the path without its extension: a file of a subagent is in a folder of
// the session that started it.
func (s *Session) fileName(stamp string) string {
	if s.o.Parent != "" {
		return filepath.Join(s.o.Project.Chats(), s.o.Parent, s.id)
	}
	return filepath.Join(s.o.Project.Chats(), "session-"+stamp+"-"+s.id[:min(8, len(s.id))])
}

// create makes the file. It takes another name if two sessions of one minute
// have ids with the same beginning.
func (s *Session) create(base string, now transcript.Time) {
	meta := transcript.Meta{
		SessionID: s.id, ProjectHash: s.o.Project.Hash(), StartTime: now, LastUpdated: now,
		Kind: transcript.KindMain, Directories: s.o.Directories,
	}
	if s.o.Parent != "" {
		meta.Kind = transcript.KindSubagent
	}
	name := base
	for n := 2; ; n++ {
		w, err := transcript.Create(name+".jsonl", meta, s.o.Mask)
		if errors.Is(err, fs.ErrExist) {
			name = fmt.Sprintf("%s-%d", base, n)
			continue
		}
		if err != nil {
			s.warn(fmt.Errorf("the session will not be saved: %w", err))
			return
		}
		s.w = w
		return
	}
}

// addPreamble puts the preamble at the head of the history.
func (s *Session) addPreamble(text string) {
	if text == "" {
		return
	}
	m := llm.UserText(text)
	s.push(entry{transcript.PreambleID, m})
	now := transcript.At(s.o.Now())
	s.write(transcript.Set{Messages: []transcript.Message{userRecord(transcript.PreambleID, now, m)}, LastUpdated: now})
}

// Renew replaces the preamble, if there is one, by what Options.Preamble returns now; ""
// is ignored.
func (s *Session) Renew() {
	text := s.o.Preamble()
	s.mu.Lock()
	defer s.unlock()
	if text == "" || len(s.entries) == 0 || s.entries[0].id != transcript.PreambleID {
		return
	}
	m := llm.UserText(text)
	// New slices, because Messages may have returned the old ones.
	s.entries, s.messages = slices.Clone(s.entries), slices.Clone(s.messages)
	s.entries[0].message, s.messages[0] = m, m
	now := transcript.At(s.o.Now())
	s.write(userRecord(transcript.PreambleID, now, m), transcript.Set{LastUpdated: now})
}

// Begin fires SessionStart and returns the context that hooks add, for
// agent.Prompt.Context. It does so once for each identity: later calls return "" until
// Clear.
func (s *Session) Begin(ctx context.Context) (context string) {
	s.mu.Lock()
	begun, source := s.begun, s.source
	s.begun = true
	s.mu.Unlock()
	if begun || s.o.Hooks == nil {
		return ""
	}
	return s.o.Hooks.SessionStart(ctx, source)
}

// Clear ends the conversation, as [Session.End] with [ReasonClear] does, and begins
// another one with a new id, a new file and an empty history, in the same Session. It
// returns the context that SessionStart hooks add.
func (s *Session) Clear(ctx context.Context) (context string) {
	s.finish(ctx, ReasonClear)
	preamble := s.o.Preamble()
	s.mu.Lock()
	s.initialize("", preamble)
	s.source, s.begun, s.ended = SourceClear, false, false
	id, path := s.id, s.path()
	s.unlock()
	if s.o.Changed != nil {
		s.o.Changed(id, path)
	}
	return s.Begin(ctx)
}

// End fires SessionEnd with reason, unless Begin was never called, and closes the file. A
// session without conversation leaves no file. Only the first call has an effect; the
// history can still be read after it.
func (s *Session) End(ctx context.Context, reason string) { s.finish(ctx, reason) }

// finish is End for End and Clear: hooks run while the session is not locked, so that
// they may read it.
func (s *Session) finish(ctx context.Context, reason string) {
	s.mu.Lock()
	ended, begun := s.ended, s.begun
	s.ended = true
	s.mu.Unlock()
	if ended {
		return
	}
	if begun && s.o.Hooks != nil {
		s.o.Hooks.SessionEnd(ctx, reason)
	}
	s.mu.Lock()
	defer s.unlock()
	if s.w == nil {
		return
	}
	if err := s.closeFile(); err != nil {
		s.warn(err)
	}
	s.w = nil
}

// closeFile closes the file, or removes it if it holds no conversation.
func (s *Session) closeFile() error {
	for _, e := range s.entries {
		if e.id != transcript.PreambleID && isConversation(e.message) {
			if s.write(); s.w == nil { // the last check that the file still exists
				return nil
			}
			return s.w.Close()
		}
	}
	err := s.w.Remove()
	if s.o.Parent != "" {
		_ = os.Remove(filepath.Dir(s.w.Path())) // fails unless it is empty
	}
	return err
}

// ID returns the session's id. [Session.Clear] changes it.
func (s *Session) ID() string {
	s.mu.Lock()
	defer s.unlock()
	return s.id
}

// Path returns the absolute path of the session's file; empty if nothing is recorded.
// [Session.Clear] changes it, and so does the loss of the file.
func (s *Session) Path() string {
	s.mu.Lock()
	defer s.unlock()
	return s.path()
}

// path is Path for a session that is locked.
func (s *Session) path() string {
	if s.w == nil {
		return ""
	}
	return s.w.Path()
}

// Source returns how the session began: [SourceStartup], [SourceResume] or
// [SourceClear].
func (s *Session) Source() string {
	s.mu.Lock()
	defer s.unlock()
	return s.source
}

// Note records value, which must marshal to JSON, as hook activity, in a record that
// Gemini CLI skips. See [transcript.File.Activity]. A value that does not marshal ends
// the recording, as any other failure to write does; see Options.Warn.
func (s *Session) Note(value any) {
	s.mu.Lock()
	defer s.unlock()
	s.write(transcript.Activity{Value: value})
}

// Summarize records title for the session, which lists show instead of the first prompt.
func (s *Session) Summarize(title string) {
	s.mu.Lock()
	defer s.unlock()
	s.write(transcript.Set{Summary: title})
}
