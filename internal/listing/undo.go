package listing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"minigem/internal/app"
	"minigem/internal/output"
	"minigem/internal/slash"
	"minigem/internal/text"
	"minigem/internal/undo"
)

// Prompt describes a prompt that can be undone: its text, its time and its edits.
func Prompt(p undo.Prompt, now time.Time) (said, more string) {
	files := map[string]bool{}
	added, removed := 0, 0
	for _, e := range p.Edits {
		files[e.Path] = true
		added, removed = added+e.Added, removed+e.Removed
	}
	more = output.Ago(now.Sub(p.At))
	if len(files) > 0 {
		more = fmt.Sprintf("%s +%d -%d, %s", text.Plural(len(files), "file"), added, removed, more)
	}
	const most = 60
	typed, _ := slash.Typed(p.Text)
	line := text.VisibleLine(strings.Join(strings.Fields(typed), " "))
	if runes := []rune(line); len(runes) > most {
		line = string(runes[:most]) + "…"
	}
	return cmp.Or(line, "(no text)"), more
}

// Changes lists the files that go back, one per line.
func Changes(c *app.Configuration, changes []undo.Change) string {
	var out strings.Builder
	for _, s := range changes {
		fmt.Fprintf(&out, "  %s  +%d -%d", c.Shorten(s.Path), s.Added, s.Removed)
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

// Age returns how old a checkpoint is, or "" if that is unknown.
func Age(c undo.Checkpoint, now time.Time) string {
	if c.At.IsZero() {
		return ""
	}
	return output.Ago(now.Sub(c.At))
}

// ListedPrompt is a prompt in the form for programs.
type ListedPrompt struct {
	Number int           `json:"number"` // 1 is the newest
	Text   string        `json:"text"`
	Time   time.Time     `json:"timestamp"`
	Files  []undo.Change `json:"files"` // files changed by its edits
}

// Prompts lists prompts for programs, newest first.
func Prompts(prompts []undo.Prompt) []ListedPrompt {
	listed := []ListedPrompt{}
	for i, p := range slices.Backward(prompts) {
		one := ListedPrompt{len(prompts) - i, p.Text, p.At, []undo.Change{}}
		for _, e := range p.Edits {
			at := slices.IndexFunc(one.Files, func(f undo.Change) bool { return f.Path == e.Path })
			if at < 0 {
				at, one.Files = len(one.Files), append(one.Files, undo.Change{Path: e.Path})
			}
			one.Files[at].Added += e.Added
			one.Files[at].Removed += e.Removed
		}
		listed = append(listed, one)
	}
	return listed
}
