package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"minigem/llm"
	"minigem/transcript"
)

// Resume continues the session that which names (see Find), in its own file.
// Lines of the file that cannot be used are told to Warn with their place; the
// file is only ever appended to. A session that ended in the middle of a call
// has that call answered as not run.
//
// Errors: those of Find; transcript.ErrInUse where another process has it open;
// transcript.ErrNotSession where nothing can be read.
func Resume(o Options, which string) (*Session, error) {
	o.fill()
	info, f, err := find(o.Project, which)
	if err != nil {
		return nil, err
	}
	if !validID.MatchString(info.ID) { // paths are made of it
		return nil, fmt.Errorf("resuming %s: %q is not the id of a session: import the file with --session-file", info.Path, info.ID)
	}
	preamble := o.Preamble()
	s := &Session{o: o, source: SourceResume, id: info.ID}
	s.mu.Lock()
	defer s.unlock()
	if filepath.Ext(info.Path) != ".jsonl" {
		// The older form is one JSON object: nothing can be appended to it.
		if err := s.adopt(info.Path, info.ID, preamble); err != nil {
			return nil, fmt.Errorf("resuming session %s: %w", info.ID, err)
		}
		return s, nil
	}
	if s.w, err = transcript.Open(info.Path, o.Secrets...); err != nil {
		if errors.Is(err, transcript.ErrInUse) {
			return nil, fmt.Errorf("resuming session %s: %w", info.ID, err)
		}
		s.warn(fmt.Errorf("the session will not be saved: %w", err))
	}
	if f, err = s.reread(info.Path, f); err != nil {
		return nil, fmt.Errorf("resuming session %s: %w", info.ID, err)
	}
	s.continueFrom(f, preamble)
	return s, nil
}

// Continue resumes the session of the project that began last, and starts a new
// one where there is none. Errors are those of [Resume] and [Start].
func Continue(o Options) (*Session, error) {
	s, err := Resume(o, Latest)
	if errors.Is(err, ErrNoSessions) {
		return Start(o)
	}
	return s, err
}

// Import begins a new session with the history of the session file at path, of
// whichever project and form (Gemini CLI's JSON or JSONL). The file itself
// stays as it is.
func Import(o Options, path string) (*Session, error) {
	o.fill()
	preamble := o.Preamble()
	s := &Session{o: o, source: SourceResume}
	s.mu.Lock()
	defer s.unlock()
	id := o.ID
	if id == "" {
		id = o.NewID()
	}
	if err := s.adopt(path, id, preamble); err != nil {
		return nil, fmt.Errorf("importing session: %w", err)
	}
	return s, nil
}

// adopt makes a new file for s and copies the history of another one into it.
func (s *Session) adopt(path, id, preamble string) error {
	f, err := s.read(path)
	if err != nil {
		return err
	}
	s.id = id
	now := transcript.At(s.o.Now())
	s.create(s.fileName(fmt.Sprint(now.UnixMilli())), now)
	s.greet(preamble)
	messages := slices.Clone(s.messages)
	for _, e := range rebuild(f) {
		messages = append(messages, e.message)
	}
	s.replace(messages)
	return nil
}

// reread returns f if it is still all that the file says now that it is locked.
func (s *Session) reread(path string, f *transcript.File) (*transcript.File, error) {
	stat, err := os.Stat(path)
	// Opening ends a line that was cut short: one byte more.
	if err != nil || f == nil || stat.Size() > f.Size+1 {
		return s.read(path)
	}
	s.tell(f)
	return f, nil
}

func (s *Session) tell(f *transcript.File) {
	for _, w := range f.Warnings {
		s.warn(errors.New(w.String()))
	}
}

func (s *Session) read(path string) (*transcript.File, error) {
	f, err := transcript.Read(path)
	if err != nil {
		if s.w != nil {
			_ = s.w.Close()
		}
		return nil, err
	}
	s.tell(f)
	return f, nil
}

// continueFrom takes over the history of f. What it adds to the file are the
// session's id, the preamble of today under its old id, and the answers that
// the last message lacks.
func (s *Session) continueFrom(f *transcript.File, preamble string) {
	now := transcript.At(s.o.Now())
	s.write(transcript.Set{SessionID: s.id, LastUpdated: now})
	if preamble != "" {
		m := llm.UserText(preamble)
		s.push(entry{transcript.PreambleID, m})
		s.write(userRecord(transcript.PreambleID, now, m))
	}
	for _, e := range rebuild(f) {
		s.push(e)
	}
	if n := len(s.entries) - 1; n >= 0 && s.entries[n].id == "" {
		e := &s.entries[n]
		e.id = s.o.NewID()
		s.write(userRecord(e.id, now, e.message), transcript.Set{LastUpdated: now})
	}
}
