package session

import (
	"context"
	"fmt"
	"strings"

	"minigem/llm"
	"minigem/transcript"
)

// What the model that makes a title reads of a session.
const (
	titleMessages   = 10  // how many messages of the beginning, and of the end, the titles are made from
	titleCharacters = 500 // most characters of each
)

// TitleLatest gives a title to the session of p that began last, if it has none and more
// than one prompt: a single prompt is a good title by itself. title is called at most
// once, with the conversation, of which at most the first and the last ten messages
// remain, 500 characters each. A session that a process has open is skipped. mask masks
// secrets in the file. The error is that of title or of writing; no session is no error.
// (cli/utils/sessions.ts)
func TitleLatest(ctx context.Context, p Project, mask func([]byte) []byte,
	title func(ctx context.Context, conversation string) (string, error)) error {
	info, f, err := latest(p)
	if err != nil || f.Meta.Summary != "" || !strings.HasSuffix(info.Path, ".jsonl") || transcript.InUse(info.Path) {
		return nil
	}
	lines, prompts := conversation(f)
	if prompts < 2 {
		return nil
	}
	if len(lines) > 2*titleMessages {
		lines = append(append(lines[:titleMessages:titleMessages], "[...]"), lines[len(lines)-titleMessages:]...)
	}
	text, err := title(ctx, strings.Join(lines, "\n\n"))
	if err == nil && oneLine(text) != "" {
		err = saveTitle(info.Path, oneLine(text), mask)
	}
	if err != nil {
		return fmt.Errorf("giving session %s a title: %w", info.ID, err)
	}
	return nil
}

// saveTitle adds the title to the file. It fails with [transcript.ErrInUse] if a
// process opened the session meanwhile.
func saveTitle(path, title string, mask func([]byte) []byte) error {
	w, err := transcript.Open(path, mask)
	if err != nil {
		return err
	}
	if err := w.Append(transcript.Set{Summary: title}); err != nil {
		_ = w.Close()
		return err
	}
	return w.Close()
}

// conversation returns what user and model said, and the number of prompts.
func conversation(f *transcript.File) (lines []string, prompts int) {
	for i, m := range f.Messages {
		text := strings.TrimSpace(hookContext.ReplaceAllString(llm.PartsText(m.Content.Parts), ""))
		if r := []rune(text); len(r) > titleCharacters {
			text = string(r[:titleCharacters]) + "..."
		}
		switch {
		case text == "" || excluded(f.Messages, i) && m.Type == transcript.TypeUser:
		case m.Type == transcript.TypeUser:
			prompts++
			lines = append(lines, "User: "+text)
		case m.Type == transcript.TypeGemini:
			lines = append(lines, "Model: "+text)
		}
	}
	return lines, prompts
}
