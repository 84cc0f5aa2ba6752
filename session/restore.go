package session

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"minigem/transcript"
)

// restore writes the session anew from what is in memory, and then records,
// which could not be written because the file was deleted. To apply them twice
// is to apply them once. What only the file had is gone: its title, what hooks
// did, what tools showed, and when things were said.
func (s *Session) restore(records []transcript.Record) {
	gone := s.w.Path()
	_ = s.w.Close()
	s.w = nil
	now := transcript.At(s.o.Now())
	s.create(strings.TrimSuffix(gone, filepath.Ext(gone)), now)
	if s.w == nil {
		return // create told why
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
	if s.open != nil { // calls of a batch that were answered already
		whole = append(whole, s.open.withCalls())
	}
	s.write(append(whole, records...)...)
}
