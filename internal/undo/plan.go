package undo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"minigem/internal/snapshot"
	"minigem/llm"
)

// What says what goes back.
type What string

// What can go back.
const (
	Both         What = "both"
	Files        What = "files"
	Conversation What = "conversation"
)

// ParseWhat parses the name of a What.
func ParseWhat(name string) (w What, ok bool) {
	return What(name), slices.Contains([]What{Both, Files, Conversation}, What(name))
}

// Plan describes how to go back to a state. Nothing changes before [Store.Apply].
type Plan struct {
	When    string   // for display: "before it", or "at" and the name of a checkpoint
	Changes []Change // the known changes; nil if a checkpoint's files were not compared
	// Conversation is the checkpoint's conversation, or nil if it has none. It is also
	// nil if the plan goes back to before a prompt: Prompt is then the first one to be
	// removed.
	Conversation []llm.Message
	Prompt       Prompt

	sessionID string
	commit    string // the snapshot that files are restored from, or empty
	files     []File // files that are not restored from it
	purpose   string // purpose in the name of the checkpoint that undoes the plan
}

// Change is a file that goes back, for display and for programs.
type Change struct {
	Path    string `json:"path"`
	Added   int    `json:"added"` // lines changed since
	Removed int    `json:"removed"`
	Changed string `json:"changed,omitempty"` // why something would be lost
	Refused string `json:"refused,omitempty"` // why the file stays as it is
}

// HasFiles reports whether any file can go back.
func (p Plan) HasFiles() bool {
	return p.commit != "" || slices.ContainsFunc(p.files, func(f File) bool { return f.Refused == "" })
}

// HasConversation reports whether a conversation can go back.
func (p Plan) HasConversation() bool { return p.Prompt.ID != "" || len(p.Conversation) > 0 }

// Conflicts counts the files that something else changed, too.
func (p Plan) Conflicts() int {
	n := 0
	for _, c := range p.Changes {
		if c.Changed != "" {
			n++
		}
	}
	return n
}

// To plans how to go back to a checkpoint.
func (s Store) To(c Checkpoint) (Plan, error) {
	p := Plan{When: "at " + c.Name, Conversation: c.Conversation, sessionID: c.SessionID, commit: c.Commit,
		purpose: "before-restore"}
	if n := len(p.Conversation); n > 0 && len(p.Conversation[n-1].Calls()) > 0 {
		p.Conversation = p.Conversation[:n-1] // its edit had not been made yet
	}
	for _, path := range slices.Sorted(maps.Keys(c.Files)) {
		f, err := fileOf(s.Workspace, path, c.Files[path])
		if err != nil {
			return p, fmt.Errorf("going back to checkpoint %s: %w", c.Name, err)
		}
		p.files = append(p.files, f)
	}
	return p, nil
}

// Before plans how to go back to before one of a session's prompts. The newest is
// number 1.
func (s Store) Before(ctx context.Context, sessionID string, prompts []Prompt, number int) (Plan, error) {
	switch {
	case len(prompts) == 0:
		return Plan{}, errors.New("there is no prompt yet to go back to")
	case number < 1 || number > len(prompts):
		return Plan{}, fmt.Errorf("there is no prompt %d: they are numbered from 1, the newest, to %d", number, len(prompts))
	}
	since := prompts[len(prompts)-number:]
	p := Plan{When: "before it", Prompt: since[0], sessionID: sessionID, files: s.filesOf(since), purpose: "before-rewind"}
	var changes []snapshot.Change
	if commit := s.commitBefore(sessionID, since); commit != "" {
		var err error
		changes, err = s.snapshots().Compare(ctx, commit)
		if err != nil && !errors.Is(err, snapshot.ErrUnknown) { // the snapshot is gone: use the edits
			return Plan{}, err
		}
		if len(changes) > 0 {
			p.commit = commit
		}
	}
	p.compare(changes)
	return p, nil
}

// commitBefore returns the snapshot taken before the first edit of the prompts, or ""
// if there is none.
func (s Store) commitBefore(sessionID string, prompts []Prompt) string {
	var firstEdit time.Time
	for _, p := range prompts {
		if len(p.Edits) > 0 {
			firstEdit = p.Edits[0].At
			break
		}
	}
	for _, c := range s.Checkpoints() {
		if c.At.Before(prompts[0].At) {
			continue
		}
		c, err := s.Checkpoint(c.Name)
		if err != nil || c.SessionID != sessionID || c.Tool == "" {
			continue
		}
		if !firstEdit.IsZero() && c.At.After(firstEdit) {
			return "" // the one before it is gone
		}
		return c.Commit
	}
	return ""
}

// compare lists what restoring the snapshot would change, followed by changes that only
// the edits know.
func (p *Plan) compare(changes []snapshot.Change) {
	p.Changes = []Change{}
	for _, c := range changes {
		one := Change{Path: c.Path, Added: c.Added, Removed: c.Removed, Changed: "no edit of this session made that change"}
		if i := slices.IndexFunc(p.files, func(f File) bool { return f.Path == c.Path }); i >= 0 {
			one.Changed = p.files[i].Changed
			p.files = slices.Delete(p.files, i, i+1)
		}
		p.Changes = append(p.Changes, one)
	}
	for _, f := range p.files {
		p.Changes = append(p.Changes, Change{f.Path, f.Added, f.Removed, f.Changed, f.Refused})
	}
}

// Apply stores the current state, with present as the conversation, and then restores
// the files, unless only the conversation goes back. The caller changes the
// conversation. undo names the checkpoint that restores the stored state.
func (s Store) Apply(ctx context.Context, p Plan, what What, present []llm.Message) (undo string, err error) {
	kept := Checkpoint{Name: s.name(p.purpose), Conversation: present, SessionID: p.sessionID}
	if what == Conversation {
		return kept.Name, s.save(kept)
	}
	for _, f := range p.files {
		if f.Refused == "" {
			if kept.Files == nil {
				kept.Files = map[string][]byte{}
			}
			kept.Files[f.Path] = f.current()
		}
	}
	if p.commit == "" {
		err = s.save(kept)
	} else {
		err = s.snapshots().Restore(ctx, p.commit, func(before string) error {
			kept.Commit = before
			return s.save(kept)
		})
	}
	if err == nil {
		err = apply(s.Workspace, p.files)
	}
	if err != nil {
		return kept.Name, fmt.Errorf("going back: %w", err)
	}
	return kept.Name, nil
}
