package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"minigem/internal/output"
	"minigem/internal/rewind"
	"minigem/internal/snapshot"
	"minigem/internal/trust"
	"minigem/llm"
	"minigem/session"
	"minigem/tools/workspace"
	"minigem/transcript"
)

// A Rewinder goes back within one session, be it the one that runs.
type Rewinder struct {
	config  *Configuration
	project session.Project
	ws      *workspace.Workspace
	ID      string // of the session
	Prompts []rewind.Prompt
	now     time.Time
}

func NewRewinder(c *Configuration, p session.Project, ws *workspace.Workspace, id string, f *transcript.File, now time.Time) *Rewinder {
	return &Rewinder{c, p, ws, id, rewind.Prompts(f), now}
}

// A Retreat is the way back to before a prompt.
type Retreat struct {
	Prompt rewind.Prompt
	commit string         // the snapshot that files come from; empty: none is needed
	files  []rewind.File  // those that come from what edits told
	Shown  []RetreatShown // all of them
}

// RetreatShown is a file that goes back, for people.
type RetreatShown struct {
	Path    string `json:"path"`
	Added   int    `json:"added"` // lines since then
	Removed int    `json:"removed"`
	Changed string `json:"changed,omitempty"` // why going back would lose something
	Refused string `json:"refused,omitempty"` // why it stays as it is
}

// nth is the prompt with a number, the newest being 1.
func (r *Rewinder) nth(n int) (int, error) {
	switch {
	case len(r.Prompts) == 0:
		return 0, errors.New("nothing has been said yet that could be gone back to")
	case n < 1 || n > len(r.Prompts):
		return 0, fmt.Errorf("there is no prompt %d: they are numbered from 1, the newest, to %d", n, len(r.Prompts))
	}
	return len(r.Prompts) - n, nil
}

// Plan looks for the way back to before the prompt with the number n.
func (r *Rewinder) Plan(ctx context.Context, n int) (Retreat, error) {
	i, err := r.nth(n)
	if err != nil {
		return Retreat{}, err
	}
	back := Retreat{Prompt: r.Prompts[i], files: rewind.Plan(r.ws, r.Prompts[i:])}
	commit := r.commitBefore(i)
	if commit == "" {
		back.show(nil)
		return back, nil
	}
	changes, err := snapshotsOf(r.config, r.project).Compare(ctx, commit)
	if errors.Is(err, snapshot.ErrUnknown) {
		back.show(nil) // the snapshots were thrown away: the edits have to do
		return back, nil
	}
	if err != nil {
		return Retreat{}, err
	}
	if len(changes) > 0 {
		back.commit = commit
	}
	back.show(changes)
	return back, nil
}

// commitBefore is the snapshot taken before the first edit that came of prompt
// i or a later one; empty: none was.
func (r *Rewinder) commitBefore(i int) string {
	var firstEdit time.Time
	for _, p := range r.Prompts[i:] {
		if len(p.Edits) > 0 {
			firstEdit = p.Edits[0].At
			break
		}
	}
	for _, path := range CheckpointFiles(r.project) {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		if (Checkpoint{Name: name}).at().Before(r.Prompts[i].At) {
			continue
		}
		p, err := (&SavedSessions{Config: r.config, Project: r.project}).Checkpoint(name)
		if err != nil || p.SessionID != r.ID || p.ToolCall.Name == "" {
			continue
		}
		if !firstEdit.IsZero() && p.at().After(firstEdit) {
			return "" // the one before it is gone
		}
		return p.Commit
	}
	return ""
}

// show lists what the snapshot changes, and behind that what only edits tell of.
func (b *Retreat) show(changes []snapshot.Change) {
	planned := b.files
	b.Shown = []RetreatShown{}
	for _, c := range changes {
		s := RetreatShown{Path: c.Path, Added: c.Added, Removed: c.Removed, Changed: "no edit of this session made that change"}
		if i := slices.IndexFunc(planned, func(f rewind.File) bool { return f.Path == c.Path }); i >= 0 {
			s.Changed = planned[i].Changed
			planned = slices.Delete(planned, i, i+1)
		}
		b.Shown = append(b.Shown, s)
	}
	b.files = planned
	for _, f := range planned {
		b.Shown = append(b.Shown, RetreatShown{f.Path, f.Added, f.Removed, f.Changed, f.Refused})
	}
}

// Conflicts are the files that somebody else changed too.
func (b Retreat) Conflicts() int {
	n := 0
	for _, s := range b.Shown {
		if s.Changed != "" {
			n++
		}
	}
	return n
}

// Movable is whether any file can go back.
func (b Retreat) Movable() bool {
	for _, s := range b.Shown {
		if s.Refused == "" {
			return true
		}
	}
	return false
}

// Describe lists the files, one a line.
func (b Retreat) Describe(c *Configuration) string {
	var out strings.Builder
	for _, s := range b.Shown {
		fmt.Fprintf(&out, "  %s  +%d -%d", trust.Printable(c.Relative(s.Path)), s.Added, s.Removed)
		switch {
		case s.Refused != "":
			fmt.Fprintf(&out, "  stays as it is: %s", s.Refused)
		case s.Changed != "":
			fmt.Fprintf(&out, "  beware: %s", s.Changed)
		}
		out.WriteString("\n")
	}
	return out.String()
}

// Apply keeps what is there, the conversation being history, and then makes the
// files what they were if files says so. It returns the name of the checkpoint
// that undoes it.
func (r *Rewinder) Apply(ctx context.Context, b Retreat, files bool, history []llm.Message) (undo string, err error) {
	before := Checkpoint{History: []any{}, ClientHistory: history, SessionID: r.ID, Name: checkpointStamp(r.now) + "-before-rewind"}
	store := snapshotsOf(r.config, r.project)
	if files && b.commit != "" {
		if before.Commit, err = store.Take(ctx, "before going back"); err != nil {
			return "", err
		}
	}
	if files {
		before.keep(b.files)
	}
	if err := before.save(r.config, r.project); err != nil || !files {
		return before.Name, err
	}
	if b.commit != "" {
		if _, err := store.Restore(ctx, b.commit); err != nil {
			return before.Name, err
		}
	}
	return before.Name, rewind.Apply(r.ws, b.files)
}

// Summary is one prompt in a list: what was said, what came of it, and when.
func (r *Rewinder) Summary(p rewind.Prompt) (text, more string) {
	files := map[string]bool{}
	added, removed := 0, 0
	for _, e := range p.Edits {
		files[e.Path] = true
		added, removed = added+e.Added, removed+e.Removed
	}
	more = output.Ago(r.now.Sub(p.At))
	if len(files) > 0 {
		more = fmt.Sprintf("%s +%d -%d, %s", output.Count(len(files), "file"), added, removed, more)
	}
	const most = 60
	line := trust.Printable(strings.Join(strings.Fields(p.Text), " "))
	if runes := []rune(line); len(runes) > most {
		line = string(runes[:most]) + "…"
	}
	return cmp.Or(line, "(no text)"), more
}

// What goes back.
const (
	BackBoth         = "both"
	BackFiles        = "files"
	BackConversation = "conversation"
)
