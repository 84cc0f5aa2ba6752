package session

import (
	"context"
	"fmt"
	"strings"

	"minigem/llm"
	"minigem/transcript"
)

const (
	titledEnds   = 10  // messages of a conversation's beginning, and of its end, that are shown to whoever gives it a title
	titledLength = 500 // characters of each
)

// TitleLatest gives the session of p that began last a title for lists, where
// it has none and the user said more than one thing in it: for a single prompt
// the prompt itself is a good title. title is shown the conversation, cut where
// it is long. A session that is open in a process is left alone. Secrets are
// masked in what is kept. (cli/utils/sessions.ts)
func TitleLatest(ctx context.Context, p Project, secrets []string, title func(ctx context.Context, conversation string) (string, error)) error {
	info, f, err := latest(p)
	if err != nil || f.Meta.Summary != "" || !strings.HasSuffix(info.Path, ".jsonl") || transcript.InUse(info.Path) {
		return nil
	}
	lines, prompts := conversation(f)
	if prompts < 2 {
		return nil
	}
	if len(lines) > 2*titledEnds {
		lines = append(append(lines[:titledEnds:titledEnds], "[...]"), lines[len(lines)-titledEnds:]...)
	}
	text, err := title(ctx, strings.Join(lines, "\n\n"))
	if err == nil && oneLine(text) != "" {
		err = saveTitle(info.Path, oneLine(text), secrets)
	}
	if err != nil {
		return fmt.Errorf("giving session %s a title: %w", info.ID, err)
	}
	return nil
}

func saveTitle(path, title string, secrets []string) error {
	w, err := transcript.Open(path, secrets...)
	if err != nil {
		return err
	}
	if err := w.Append(transcript.Set{Summary: title}); err != nil {
		_ = w.Close()
		return err
	}
	return w.Close()
}

// conversation is what user and model said, and how many prompts there were.
func conversation(f *transcript.File) (lines []string, prompts int) {
	for i, m := range f.Messages {
		text := strings.TrimSpace(hookContext.ReplaceAllString(llm.PartsText(m.Content.Parts), ""))
		if r := []rune(text); len(r) > titledLength {
			text = string(r[:titledLength]) + "..."
		}
		switch {
		case text == "" || leftOut(f.Messages, i) && m.Type == transcript.TypeUser:
		case m.Type == transcript.TypeUser:
			prompts++
			lines = append(lines, "User: "+text)
		case m.Type == transcript.TypeGemini:
			lines = append(lines, "Model: "+text)
		}
	}
	return lines, prompts
}
