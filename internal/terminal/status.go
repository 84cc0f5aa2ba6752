package terminal

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Status is what the line under the prompt says: the approval mode, and the
// rest in the order of importance, since what does not fit is left out. The zero
// Status has no line.
type Status struct {
	Mode string // in the spelling of the command line
	Rest []string
	// Trouble is what went wrong while the user may have looked elsewhere; it
	// comes first.
	Trouble string
}

// SetStatus shows another status under the prompt, from now on.
func (t *Terminal) SetStatus(s Status) {
	t.mu.Lock()
	t.status = s
	t.mu.Unlock()
	t.edit.redraw()
}

// modeColour is the colour of a mode: of what asks before it changes anything,
// of what changes nothing, and of what does not ask.
func (s style) modeColour(mode, text string) string {
	switch mode {
	case "auto_edit":
		return s.green(text)
	case "plan":
		return s.yellow(text)
	case "yolo":
		return s.red(text)
	}
	return s.cyan(text)
}

// statusRow is the line under the prompt; empty: there is none.
func (t *Terminal) statusRow(width int) string {
	t.mu.Lock()
	s := t.status
	t.mu.Unlock()
	if s.Mode == "" || t.style.dumb {
		return ""
	}
	mode := cleanLine(s.Mode)
	parts, used := []string{t.style.modeColour(s.Mode, mode)}, ansi.StringWidth(mode)
	if trouble := cleanLine(s.Trouble); trouble != "" && used+2+ansi.StringWidth(trouble) <= width {
		parts, used = append(parts, t.style.yellow(trouble)), used+2+ansi.StringWidth(trouble)
	}
	for _, part := range s.Rest {
		part = cleanLine(part)
		if w := ansi.StringWidth(part); part != "" && used+2+w <= width {
			parts, used = append(parts, t.style.dim(part)), used+2+w
		}
	}
	return truncate(strings.Join(parts, "  "), width)
}

// redraw draws the prompt again, if there is one.
func (e *editor) redraw() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.active {
		e.t.screen.show(e.draft().frame)
	}
}
