package session

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"minigem/llm"
	"minigem/transcript"
)

// Resume continues the session that which selects (see [Find]), in its own file, which is
// only appended to. A session in the older form of one JSON object is continued in a new
// file under the same id. Warn is called for each line of the file that is not usable. If
// a session ended in the middle of a call, the call is answered with [NoResult].
//
// Errors are those of Find, [transcript.ErrInUse] if another process has the session
// open, and [transcript.ErrNotSession] if nothing can be read.
func Resume(o Options, which string) (*Session, error) {
	o.fill()
	info, err := Find(o.Project, which)
	if err != nil {
		return nil, err
	}
	if !validID.MatchString(info.ID) { // file paths contain it
		return nil, fmt.Errorf("resuming %s: %q is not the id of a session: import the file with --session-file", info.Path,
			info.ID)
	}
	preamble := o.Preamble()
	s := &Session{o: o, source: SourceResume, id: info.ID}
	s.mu.Lock()
	defer s.unlock()
	if filepath.Ext(info.Path) != ".jsonl" {
		// The older form is one JSON object, to which nothing can be appended.
		if err := s.adopt(info.Path, info.ID, preamble); err != nil {
			return nil, fmt.Errorf("resuming session %s: %w", info.ID, err)
		}
		return s, nil
	}
	if s.w, err = transcript.Open(info.Path, o.Mask); err != nil {
		if errors.Is(err, transcript.ErrInUse) {
			return nil, fmt.Errorf("resuming session %s: %w", info.ID, err)
		}
		s.warn(fmt.Errorf("the session will not be saved: %w", err))
	}
	f, err := s.read(info.Path)
	if err != nil {
		return nil, fmt.Errorf("resuming session %s: %w", info.ID, err)
	}
	if damage := repair(o.Project, info.Path, &f.Meta); damage != nil {
		s.warn(damage)
		f.Meta.SessionID = info.ID
		s.write(f.Meta)
	}
	s.continueFrom(f, preamble)
	return s, nil
}

// Continue resumes the session of the project that began last, or starts a new one if
// there is none. Then Warn is called if there are files that cannot be read. Errors are
// those of [Resume] and [Start].
func Continue(o Options) (*Session, error) {
	s, err := Resume(o, Latest)
	if errors.Is(err, ErrNoSessions) {
		if o.Warn != nil && err != ErrNoSessions {
			o.Warn(fmt.Errorf("a new session begins: %w", err))
		}
		return Start(o)
	}
	return s, err
}

// Import begins a new session with the history of the session file at path, of any
// project and form (Gemini CLI's JSON or JSONL), which it does not change. The id is
// Options.ID or a new one; it is not checked as [Start] does. Errors are those of
// [transcript.Read]. Options.Read gets the file as it is.
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

// adopt makes a new file for s and copies the history of f into it.
func (s *Session) adopt(path, id, preamble string) error {
	f, err := s.read(path)
	if err != nil {
		return err
	}
	s.id = id
	now := transcript.At(s.o.Now())
	s.create(s.fileName(fmt.Sprint(now.UnixMilli())), now)
	s.addPreamble(preamble)
	messages := slices.Clone(s.messages)
	for _, e := range rebuild(f) {
		messages = append(messages, e.message)
	}
	s.replace(messages)
	return nil
}

// warnAll keeps the warnings of a file for Options.Warn, which is called when the
// session is no longer locked.
func (s *Session) warnAll(f *transcript.File) {
	for _, w := range f.Warnings {
		s.warn(errors.New(w.String()))
	}
}

// read reads a session file and warns about its unusable parts. If it fails, it closes
// the writer.
func (s *Session) read(path string) (*transcript.File, error) {
	f, err := transcript.Read(path)
	if err != nil {
		if s.w != nil {
			_ = s.w.Close()
		}
		return nil, err
	}
	s.warnAll(f)
	if s.o.Read != nil {
		s.o.Read(f)
	}
	return f, nil
}

// continueFrom takes over the history of f. It adds to the file: the session's
// id, a new preamble under the old id, and missing answers to the calls of the
// last message.
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
