// Package undo goes back: to before a prompt of a session, to a checkpoint that was
// stored before an edit, or to a conversation under a tag. It lists what can be undone,
// plans the changes, stores the current state, and applies the plan. internal/snapshot
// stores states of files. What snapshots lack comes from the edits in a session's file.
// Callers ask the user and replace the conversation of a session.
package undo

import (
	"encoding/json"
	"strings"
	"time"

	"minigem/llm"
	"minigem/session"
	"minigem/transcript"
)

// Prompt is a user's prompt and the edits made for it.
type Prompt struct {
	ID    string // id of the message
	Text  string
	At    time.Time
	Edits []Edit // made before the next prompt, oldest first
}

// Edit is a change of a file, as a tool reported it.
type Edit struct {
	Tool    string
	Path    string // absolute
	Before  string // text before and after, with plain newlines
	After   string
	New     bool // the file was created
	Added   int  // number of lines
	Removed int
	At      time.Time // when it was made
}

// Prompts returns the prompts in f, oldest first, including those before a compression.
// It leaves out messages that were added around the conversation, such as the context
// of hooks.
func Prompts(f *transcript.File) []Prompt {
	var out []Prompt
	at, known, seen := -1, map[string]int{}, map[string]bool{}
	for _, ms := range append(session.Compressed(f), f.Messages) {
		for _, m := range ms {
			i, again := known[m.ID]
			switch {
			case m.Type == transcript.TypeUser && again:
				at = i
			case m.Type == transcript.TypeUser && isPrompt(m):
				at = len(out)
				known[m.ID] = at
				out = append(out, Prompt{ID: m.ID, Text: strings.TrimSpace(llm.PartsText(m.Content.Parts)), At: m.Timestamp.Time})
			case m.Type == transcript.TypeGemini && at >= 0 && !seen[m.ID]:
				seen[m.ID] = true
				out[at].Edits = append(out[at].Edits, edits(f, m)...)
			}
		}
	}
	return out
}

// addedTags are the beginnings of texts that no user typed.
var addedTags = []string{"<session_context>", "<hook_context>", "<state_snapshot>"}

func isPrompt(m transcript.Message) bool {
	if len(llm.PartsResults(m.Content.Parts)) > 0 {
		return false
	}
	text := strings.TrimSpace(llm.PartsText(m.Content.Parts))
	for _, tag := range addedTags {
		if strings.HasPrefix(text, tag) {
			return false
		}
	}
	return text != "" && m.ID != transcript.PreambleID
}

// edits returns the edits made by the calls of m, including a batch that was cut off.
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

// editOf reads the display of an edit tool (core/tools/write-file.ts).
func editOf(c transcript.ToolCall) (Edit, bool) {
	raw, ok := c.ResultDisplay.(transcript.Raw)
	if !ok || c.Status != "success" {
		return Edit{}, false
	}
	var d struct {
		FilePath        string  `json:"filePath"`
		OriginalContent *string `json:"originalContent"` // null in Gemini CLI's files for a new file
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
		Tool: c.Name, Path: d.FilePath, After: *d.NewContent, New: d.IsNewFile || d.OriginalContent == nil,
		At:    c.Timestamp.Time,
		Added: d.DiffStat.ModelAdded + d.DiffStat.UserAdded, Removed: d.DiffStat.ModelRemoved + d.DiffStat.UserRemoved,
	}
	if d.OriginalContent != nil {
		e.Before = *d.OriginalContent
	}
	return e, true
}
