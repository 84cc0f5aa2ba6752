// Package session is the life of a conversation: its id, its file, its start,
// resumption, clearing and end, and the history that the agent works on. It
// also knows where sessions are kept, lists, deletes and ages them.
//
// What stands in a file is in transcript; what is said to the model around the
// history (system instruction, directory tree) comes from outside, as text.
// Failures of recording never stop a session: they are told once, and the
// session goes on without a file.
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

	"minigem/hooks"
	"minigem/llm"
	"minigem/transcript"
)

// The sources of SessionStart.
const (
	SourceStartup = "startup"
	SourceResume  = "resume"
	SourceClear   = "clear"
)

// ReasonClear is the reason of SessionEnd that Clear gives. The others come
// from whoever ends the session: "exit", "logout", "prompt_input_exit", "other".
const ReasonClear = "clear"

// Hooks are the events that a session fires; [*hooks.Engine] satisfies it.
type Hooks interface {
	SessionStart(ctx context.Context, source string) hooks.SessionStartOutcome
	SessionEnd(ctx context.Context, reason string)
}

// Options is what a Session needs. Only Project is required.
type Options struct {
	Project     Project
	ID          string                // of a new session; letters, digits, "_" and "-"; empty: a random UUID
	Parent      string                // id of the session whose agent starts this one: a subagent's; empty: a main session
	Directories []string              // workspace directories beside the project's root
	Preamble    func() string         // the first message, asked at each start, resumption and clearing; nil or "": none
	Secrets     []string              // values that are masked in the file
	Hooks       Hooks                 // nil: none
	Warn        func(error)           // hears of what goes wrong with files; nil: nobody does
	Changed     func(id, path string) // hears of the new identity when Clear gives one, before SessionStart, and of a new path; nil: nobody does
	Now         func() time.Time      // nil: time.Now
	NewID       func() string         // of sessions and messages; nil: random UUIDs
}

// Session is one conversation. It is the agent's History and, as an event.Sink,
// adds to its file what the history alone does not tell. It is safe for
// concurrent use.
type Session struct {
	o      Options
	source string // of the next SessionStart

	mu       sync.Mutex
	id       string
	w        *transcript.Writer // nil: nothing is recorded
	begun    bool
	ended    bool
	entries  []entry
	messages []llm.Message // those of entries
	next     *answered     // RoundFinished came, its message has not
	open     *openCalls    // the last model message, while it has calls
	untold   []error       // for Warn, once the lock is free
	moved    bool          // for Changed, likewise
}

// entry is a message of the history and the id of its record; empty: it stands
// in no record of its own.
type entry struct {
	id      string
	message llm.Message
}

// ErrIDTaken: a session with the id that was asked for exists already.
var ErrIDTaken = errors.New("a session with this id exists already")

// ErrBadID: an id has other characters than letters, digits, "_" and "-".
var ErrBadID = errors.New("session id may have letters, digits, _ and - only")

var validID = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

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

// Start begins a new session. Its file exists when Start returns; where it
// cannot be made, Warn hears of it and nothing is recorded. Errors are ErrBadID
// and ErrIDTaken.
func Start(o Options) (*Session, error) {
	o.fill()
	if o.ID != "" {
		if !validID.MatchString(o.ID) {
			return nil, fmt.Errorf("starting session %q: %w", o.ID, ErrBadID)
		}
		if fileOf(o.Project.Chats(), o.ID) != "" {
			return nil, fmt.Errorf("starting session %q: %w", o.ID, ErrIDTaken)
		}
	}
	preamble := o.Preamble()
	s := &Session{o: o, source: SourceStartup}
	s.mu.Lock()
	defer s.unlock()
	s.fresh(o.ID, preamble)
	return s, nil
}

// unlock frees the lock and then tells what went wrong under it: who hears that
// may use the session.
func (s *Session) unlock() {
	untold, moved, id, path := s.untold, s.moved, s.id, s.path()
	s.untold, s.moved = nil, false
	s.mu.Unlock()
	if moved && s.o.Changed != nil {
		s.o.Changed(id, path)
	}
	for _, err := range untold {
		s.o.Warn(err)
	}
}

func (s *Session) warn(err error) { s.untold = append(s.untold, err) }

// fresh gives s an identity, a file and the preamble.
func (s *Session) fresh(id, preamble string) {
	if id == "" {
		id = s.o.NewID()
	}
	s.id, s.w, s.entries, s.messages, s.next, s.open = id, nil, nil, nil, nil, nil
	now := transcript.At(s.o.Now())
	s.create(s.fileName(now.Format("2006-01-02T15-04")), now)
	s.greet(preamble)
}

func (s *Session) fileName(stamp string) string {
	if s.o.Parent != "" {
		return filepath.Join(s.o.Project.Chats(), s.o.Parent, s.id)
	}
	return filepath.Join(s.o.Project.Chats(), "session-"+stamp+"-"+s.id[:min(8, len(s.id))])
}

// create makes the file, under another name where two sessions of one minute
// have ids that begin alike.
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
		w, err := transcript.Create(name+".jsonl", meta, s.o.Secrets...)
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

// greet puts the preamble at the head of the history.
func (s *Session) greet(text string) {
	if text == "" {
		return
	}
	m := llm.UserText(text)
	s.push(entry{transcript.PreambleID, m})
	now := transcript.At(s.o.Now())
	s.write(transcript.Set{Messages: []transcript.Message{userRecord(transcript.PreambleID, now, m)}, LastUpdated: now})
}

// Renew puts what Preamble says now in the place of the first message, where
// that is one.
func (s *Session) Renew() {
	text := s.o.Preamble()
	s.mu.Lock()
	defer s.unlock()
	if text == "" || len(s.entries) == 0 || s.entries[0].id != transcript.PreambleID {
		return
	}
	m := llm.UserText(text)
	// New slices: what Messages returned before stays as it was.
	s.entries, s.messages = slices.Clone(s.entries), slices.Clone(s.messages)
	s.entries[0].message, s.messages[0] = m, m
	now := transcript.At(s.o.Now())
	s.write(userRecord(transcript.PreambleID, now, m), transcript.Set{LastUpdated: now})
}

// Begin fires SessionStart, once for each identity, and returns the context
// that hooks add.
func (s *Session) Begin(ctx context.Context) (context string) {
	s.mu.Lock()
	begun, source := s.begun, s.source
	s.begun = true
	s.mu.Unlock()
	if begun || s.o.Hooks == nil {
		return ""
	}
	return s.o.Hooks.SessionStart(ctx, source).Context
}

// Clear ends the conversation and begins another one with a new id, a new file
// and an empty history, in the same Session. It returns the context that
// SessionStart hooks add.
func (s *Session) Clear(ctx context.Context) (context string) {
	s.finish(ctx, ReasonClear)
	preamble := s.o.Preamble()
	s.mu.Lock()
	s.fresh("", preamble)
	s.source, s.begun, s.ended = SourceClear, false, false
	id, path := s.id, s.path()
	s.unlock()
	if s.o.Changed != nil {
		s.o.Changed(id, path)
	}
	return s.Begin(ctx)
}

// End fires SessionEnd, unless Begin was never called, and closes the file. A
// session in which nothing was said leaves none. Only the first call does
// anything.
func (s *Session) End(ctx context.Context, reason string) { s.finish(ctx, reason) }

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

func (s *Session) closeFile() error {
	for _, e := range s.entries {
		if e.id != transcript.PreambleID && said(e.message) {
			if s.write(); s.w == nil { // the last look whether the file is there
				return nil
			}
			return s.w.Close()
		}
	}
	err := s.w.Remove()
	if s.o.Parent != "" {
		_ = os.Remove(filepath.Dir(s.w.Path())) // goes only if it is empty
	}
	return err
}

// ID returns the session's id. Clear changes it.
func (s *Session) ID() string {
	s.mu.Lock()
	defer s.unlock()
	return s.id
}

// Path returns the absolute path of the session's file; empty: nothing is
// recorded. Clear changes it.
func (s *Session) Path() string {
	s.mu.Lock()
	defer s.unlock()
	return s.path()
}

func (s *Session) path() string {
	if s.w == nil {
		return ""
	}
	return s.w.Path()
}

// Source says what the session began with: SourceStartup, SourceResume or
// SourceClear.
func (s *Session) Source() string {
	s.mu.Lock()
	defer s.unlock()
	return s.source
}

// Note keeps value, which marshals to JSON, beside the conversation: what hooks
// did. Gemini CLI skips such records.
func (s *Session) Note(value any) {
	s.mu.Lock()
	defer s.unlock()
	s.write(transcript.Activity{Value: value})
}

// Summarize keeps a title for the session, shown in lists.
func (s *Session) Summarize(title string) {
	s.mu.Lock()
	defer s.unlock()
	s.write(transcript.Set{Summary: title})
}

// write appends records. A file that was deleted is told of and written anew;
// any other failure is told and ends the recording.
func (s *Session) write(records ...transcript.Record) {
	if s.w == nil {
		return
	}
	err := s.w.Append(records...)
	if errors.Is(err, transcript.ErrGone) {
		s.restore(records)
		return
	}
	if err != nil {
		s.warn(fmt.Errorf("the session is not saved any more: %w", err))
		_ = s.w.Close()
		s.w = nil
	}
}
