package terminal

import (
	"fmt"
	"strings"

	"minigem/internal/slash"
	"minigem/llm"
)

// Replay shows the end of a resumed conversation.
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
			typed, printed := slash.Typed(words)
			if v.term.ShowPrompt(typed); printed != "" {
				v.printed(typed, printed)
			}
		default:
			v.Show(words)
		}
	}
	v.note(v.style.dim("The conversation goes on."))
}

// printed shows the output of a command that the user ran.
func (v *View) printed(line, printed string) {
	res := result{text: printed, shown: shownOfOutput, tail: true, dim: true}
	v.mu.Lock()
	v.unfolded = v.style.bold(cleanLine(line)) + "\n" + v.lines(res, strings.Split(printed, "\n"), false)
	v.mu.Unlock()
	v.note(v.folded(res))
}
