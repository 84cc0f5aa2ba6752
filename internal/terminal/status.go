package terminal

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Status is the line under the prompt: the approval mode, then Rest in order of
// importance, because what does not fit is left out. The zero Status shows no line.
type Status struct {
	Mode string // as spelled on the command line
	Rest []string
	// Trouble is a problem that the user may have missed. It comes right after the
	// mode.
	Trouble string
}

// SetStatus replaces the status under the prompt.
func (t *Terminal) SetStatus(s Status) {
	t.mu.Lock()
	t.status = s
	t.mu.Unlock()
	t.edit.redraw()
}

// modeColour colours text by approval mode: the modes that ask, that change nothing,
// and that do not ask look different.
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

// statusRow returns the line under the prompt, or "" if there is none.
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

// redraw redraws the prompt, if one is active.
func (e *editor) redraw() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.active {
		e.t.screen.show(e.draft().frame)
	}
}
