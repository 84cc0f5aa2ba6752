package session

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"minigem/transcript"
)

// restore writes the session again from memory after its file was deleted, and
// then the records that could not be written; writing one twice does no harm.
// What only the file had is lost: title, hook activity, tool displays and the
// times of messages.
func (s *Session) restore(records []transcript.Record) {
	gone := s.w.Path()
	_ = s.w.Close()
	s.w = nil
	now := transcript.At(s.o.Now())
	s.create(strings.TrimSuffix(gone, filepath.Ext(gone)), now)
	if s.w == nil {
		return // create has warned
	}
	s.moved = s.w.Path() != gone
	s.warn(fmt.Errorf("the session file %s was deleted while it was in use: it is written again, to %s", gone, s.w.Path()))
	s.entries = slices.Clone(s.entries)
	for i := range s.entries {
		if s.entries[i].id == "" {
			s.entries[i].id = s.o.NewID()
		}
	}
	whole := snapshot(s.entries, now, nil)
	if s.open != nil { // the calls of the batch that are answered
		whole = append(whole, s.open.withCalls())
	}
	s.write(append(whole, records...)...)
}

// write appends records. If the file was deleted it is written again; any other
// failure ends the recording. Both are reported.
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
