package terminal

import (
	"fmt"
	"strings"

	"minigem/llm"
)

// Replay shows the end of a conversation that goes on.
func (v *View) Replay(said []llm.Message) {
	const shown = 6
	if len(said) > shown {
		v.note(v.style.dim(fmt.Sprintf("… %d messages before", len(said)-shown)))
		said = said[len(said)-shown:]
	}
	for _, m := range said {
		words := strings.TrimSpace(Clean(llm.PartsText(m.Parts)))
		switch {
		case words == "" || strings.HasPrefix(words, "<hook_context>"):
		case strings.HasPrefix(words, "<state_snapshot>"):
			v.note(v.style.dim("… a summary of what was said before"))
		case m.Role == llm.RoleUser:
			v.ShowPrompt(words)
		default:
			v.Show(words)
		}
	}
	v.note(v.style.dim("The conversation goes on."))
}
