package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"minigem/internal/rewind"
	"minigem/internal/snapshot"
	"minigem/internal/trust"
	"minigem/llm"
	"minigem/session"
	"minigem/tools/workspace"
	"minigem/transcript"
)

// A rewinder goes back within one session, be it the one that runs.
type rewinder struct {
	*configuration
	project session.Project
	ws      *workspace.Workspace
	id      string // of the session
	prompts []rewind.Prompt
	now     time.Time
}

func newRewinder(c *configuration, p session.Project, ws *workspace.Workspace, id string, f *transcript.File, now time.Time) *rewinder {
	return &rewinder{c, p, ws, id, rewind.Prompts(f), now}
}

// A retreat is the way back to before a prompt.
type retreat struct {
	prompt rewind.Prompt
	commit string         // the snapshot that files come from; empty: none is needed
	files  []rewind.File  // those that come from what edits told
	shown  []retreatShown // all of them
}

// retreatShown is a file that goes back, for people.
type retreatShown struct {
	Path    string `json:"path"`
	Added   int    `json:"added"` // lines since then
	Removed int    `json:"removed"`
	Changed string `json:"changed,omitempty"` // why going back would lose something
	Refused string `json:"refused,omitempty"` // why it stays as it is
}

// nth is the prompt with a number, the newest being 1.
func (r *rewinder) nth(n int) (int, error) {
	switch {
	case len(r.prompts) == 0:
		return 0, errors.New("nothing has been said yet that could be gone back to")
	case n < 1 || n > len(r.prompts):
		return 0, fmt.Errorf("there is no prompt %d: they are numbered from 1, the newest, to %d", n, len(r.prompts))
	}
	return len(r.prompts) - n, nil
}

// plan looks for the way back to before the prompt with the number n.
func (r *rewinder) plan(ctx context.Context, n int) (retreat, error) {
	i, err := r.nth(n)
	if err != nil {
		return retreat{}, err
	}
	back := retreat{prompt: r.prompts[i], files: rewind.Plan(r.ws, r.prompts[i:])}
	commit := r.commitBefore(i)
	if commit == "" {
		back.show(nil)
		return back, nil
	}
	changes, err := snapshotsOf(r.configuration, r.project).Compare(ctx, commit)
	if errors.Is(err, snapshot.ErrUnknown) {
		back.show(nil) // the snapshots were thrown away: the edits have to do
		return back, nil
	}
	if err != nil {
		return retreat{}, err
	}
	if len(changes) > 0 {
		back.commit = commit
	}
	back.show(changes)
	return back, nil
}

// commitBefore is the snapshot taken before the first edit that came of prompt
// i or a later one; empty: none was.
func (r *rewinder) commitBefore(i int) string {
	var firstEdit time.Time
	for _, p := range r.prompts[i:] {
		if len(p.Edits) > 0 {
			firstEdit = p.Edits[0].At
			break
		}
	}
	for _, path := range checkpointFiles(r.project) {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		if (checkpoint{name: name}).at().Before(r.prompts[i].At) {
			continue
		}
		p, err := (&savedSessions{configuration: r.configuration, project: r.project}).checkpoint(name)
		if err != nil || p.SessionID != r.id || p.ToolCall.Name == "" {
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
func (b *retreat) show(changes []snapshot.Change) {
	planned := b.files
	b.shown = []retreatShown{}
	for _, c := range changes {
		s := retreatShown{Path: c.Path, Added: c.Added, Removed: c.Removed, Changed: "no edit of this session made that change"}
		if i := slices.IndexFunc(planned, func(f rewind.File) bool { return f.Path == c.Path }); i >= 0 {
			s.Changed = planned[i].Changed
			planned = slices.Delete(planned, i, i+1)
		}
		b.shown = append(b.shown, s)
	}
	b.files = planned
	for _, f := range planned {
		b.shown = append(b.shown, retreatShown{f.Path, f.Added, f.Removed, f.Changed, f.Refused})
	}
}

// conflicts are the files that somebody else changed too.
func (b retreat) conflicts() int {
	n := 0
	for _, s := range b.shown {
		if s.Changed != "" {
			n++
		}
	}
	return n
}

// movable is whether any file can go back.
func (b retreat) movable() bool {
	for _, s := range b.shown {
		if s.Refused == "" {
			return true
		}
	}
	return false
}

// describe lists the files, one a line.
func (b retreat) describe(c *configuration) string {
	var out strings.Builder
	for _, s := range b.shown {
		fmt.Fprintf(&out, "  %s  +%d -%d", trust.Printable(c.relative(s.Path)), s.Added, s.Removed)
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

// apply keeps what is there, the conversation being history, and then makes the
// files what they were if files says so. It returns the name of the checkpoint
// that undoes it.
func (r *rewinder) apply(ctx context.Context, b retreat, files bool, history []llm.Message) (undo string, err error) {
	before := checkpoint{History: []any{}, ClientHistory: history, SessionID: r.id, name: checkpointStamp(r.now) + "-before-rewind"}
	store := snapshotsOf(r.configuration, r.project)
	if files && b.commit != "" {
		if before.Commit, err = store.Take(ctx, "before going back"); err != nil {
			return "", err
		}
	}
	if files {
		before.keep(b.files)
	}
	if err := before.save(r.configuration, r.project); err != nil || !files {
		return before.name, err
	}
	if b.commit != "" {
		if _, err := store.Restore(ctx, b.commit); err != nil {
			return before.name, err
		}
	}
	return before.name, rewind.Apply(r.ws, b.files)
}

// summary is one prompt in a list: what was said, what came of it, and when.
func (r *rewinder) summary(p rewind.Prompt) (text, more string) {
	files := map[string]bool{}
	added, removed := 0, 0
	for _, e := range p.Edits {
		files[e.Path] = true
		added, removed = added+e.Added, removed+e.Removed
	}
	more = ago(r.now.Sub(p.At))
	if len(files) > 0 {
		more = fmt.Sprintf("%s +%d -%d, %s", count(len(files), "file"), added, removed, more)
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
	backBoth         = "both"
	backFiles        = "files"
	backConversation = "conversation"
)
