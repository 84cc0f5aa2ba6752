// Package undo goes back: to before a prompt of a session, to a checkpoint that
// was kept before an edit, or to a conversation under a tag. It knows what there
// is to go back to, plans what would change, keeps what is there now, and does
// it. States of files are internal/snapshot's; what snapshots do not have comes
// from the edits that a session's file tells of. Asking, and putting a
// conversation into a session, are for its callers.
package undo

import (
	"encoding/json"
	"strings"
	"time"

	"minigem/llm"
	"minigem/transcript"
)

// Prompt is something that the user said, and what came of it.
type Prompt struct {
	ID    string // of the message
	Text  string
	At    time.Time
	Edits []Edit // until the next prompt, oldest first
}

// Edit is a change of a file, as a tool has told it.
type Edit struct {
	Tool    string
	Path    string // absolute
	Before  string // the text, with plain line ends
	After   string
	New     bool // the file was made
	Added   int  // lines
	Removed int
	At      time.Time // when it was done
}

// Prompts are those of f, oldest first. Messages that were added around the
// conversation, such as the context of hooks, are none.
func Prompts(f *transcript.File) []Prompt {
	var out []Prompt
	for _, m := range f.Messages {
		switch {
		case m.Type == transcript.TypeUser && isPrompt(m):
			out = append(out, Prompt{ID: m.ID, Text: strings.TrimSpace(llm.PartsText(m.Content.Parts)), At: m.Timestamp.Time})
		case m.Type == transcript.TypeGemini && len(out) > 0:
			p := &out[len(out)-1]
			p.Edits = append(p.Edits, edits(f, m)...)
		}
	}
	return out
}

// addedTags stand at the start of texts that no user typed.
var addedTags = []string{"<session_context>", "<hook_context>", "<state_snapshot>"}

func isPrompt(m transcript.Message) bool {
	for _, p := range m.Content.Parts {
		if _, ok := p.(llm.ToolResult); ok {
			return false
		}
	}
	text := strings.TrimSpace(llm.PartsText(m.Content.Parts))
	for _, tag := range addedTags {
		if strings.HasPrefix(text, tag) {
			return false
		}
	}
	return text != "" && m.ID != transcript.PreambleID
}

// edits are those of the calls of m, also of a batch that was cut off.
func edits(f *transcript.File, m transcript.Message) []Edit {
	var out []Edit
	seen := map[string]bool{}
	add := func(c transcript.ToolCall) {
		e, ok := editOf(c)
		if ok && !seen[c.ID] {
			seen[c.ID] = true
			out = append(out, e)
		}
	}
	for _, c := range m.ToolCalls {
		add(c)
	}
	for _, c := range f.Finished {
		if c.ID == m.ID {
			add(c.Call)
		}
	}
	return out
}

// editOf reads what an edit tool showed (core/tools/write-file.ts).
func editOf(c transcript.ToolCall) (Edit, bool) {
	raw, ok := c.ResultDisplay.(transcript.Raw)
	if !ok || c.Status != "success" {
		return Edit{}, false
	}
	var d struct {
		FilePath        string  `json:"filePath"`
		OriginalContent *string `json:"originalContent"` // null in Gemini CLI's files: a new file
		NewContent      *string `json:"newContent"`
		IsNewFile       bool    `json:"isNewFile"`
		DiffStat        struct {
			ModelAdded   int `json:"model_added_lines"`
			ModelRemoved int `json:"model_removed_lines"`
			UserAdded    int `json:"user_added_lines"`
			UserRemoved  int `json:"user_removed_lines"`
		} `json:"diffStat"`
	}
	if json.Unmarshal([]byte(raw), &d) != nil || d.FilePath == "" || d.NewContent == nil {
		return Edit{}, false
	}
	e := Edit{
		Tool: c.Name, Path: d.FilePath, After: *d.NewContent, New: d.IsNewFile || d.OriginalContent == nil, At: c.Timestamp.Time,
		Added: d.DiffStat.ModelAdded + d.DiffStat.UserAdded, Removed: d.DiffStat.ModelRemoved + d.DiffStat.UserRemoved,
	}
	if d.OriginalContent != nil {
		e.Before = *d.OriginalContent
	}
	return e, true
}
