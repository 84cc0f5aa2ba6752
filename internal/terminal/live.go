package terminal

import (
	"slices"
	"strings"
	"sync"
)

const (
	liveLines = 5       // shown of what a running call prints
	liveBytes = 8 << 10 // kept of it
	openRows  = 12      // shown of the block that is being written
)

// live is what is shown above the status line while it may still change. It
// calls nobody with its lock held, as it is read while the screen is drawn.
type live struct {
	style style

	mu       sync.Mutex
	printed  map[string]string // the end of what running calls printed
	printing string            // the call that printed last
	open     open              // the block of the answer that is being written
	drawn    open              // what openRows are those of
	drawnFor int               // the width that they are for
	drawnAs  []string
}

// open is the block of an answer that is not complete yet.
type open struct {
	source string
	lang   code // of code that is written as it comes
	code   bool // source is a line of such code
	apart  bool // a blank line comes before it
}

// write sets the block that is being written; none: nothing is.
func (l *live) write(o open) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = o
}

// answer returns the rows of the end of the open block.
func (l *live) answer(width, height int) []string {
	if l.open.source == "" {
		return nil
	}
	if l.drawn != l.open || l.drawnFor != width {
		l.drawn, l.drawnFor, l.drawnAs = l.open, width, l.open.rows(l.style, width)
	}
	return l.drawnAs[max(len(l.drawnAs)-max(min(openRows, height), 0), 0):]
}

// rows renders the block as it will be when it is complete.
func (o open) rows(s style, width int) []string {
	source := Clean(o.source)
	rendered := ""
	if o.code {
		lang := o.lang
		rendered = "  " + s.codeLine(strings.TrimRight(source, "\r\n"), &lang)
	} else {
		rendered = renderMarkdown(source, s, width-1)
	}
	var rows []string
	for line := range strings.Lines(rendered) {
		rows = append(rows, wrapRows(strings.TrimRight(strings.ReplaceAll(line, "\t", "    "), "\n"), width)...)
	}
	if o.apart && len(rows) > 0 {
		rows = append([]string{""}, rows...)
	}
	return rows
}

// add keeps the end of what a running call printed.
func (l *live) add(callID, printed string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.printed == nil {
		l.printed = map[string]string{}
	}
	all := l.printed[callID] + Clean(printed)
	if len(all) > liveBytes {
		all = strings.ToValidUTF8(all[len(all)-liveBytes/2:], "")
	}
	l.printed[callID], l.printing = all, callID
}

// take returns the end of what a call printed, which is no longer shown.
func (l *live) take(callID string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	printed := l.printed[callID]
	delete(l.printed, callID)
	return strings.Trim(printed, "\n")
}

// rows are those of a window: the end of the block that is being written, or of
// what the last running call printed.
func (l *live) rows(width, height int) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if rows := l.answer(width, height); rows != nil {
		return slices.Clone(rows)
	}
	printed := strings.Trim(l.printed[l.printing], "\n")
	if printed == "" {
		return nil
	}
	lines := strings.Split(printed, "\n")
	lines = lines[max(len(lines)-min(liveLines, max(height, 0)), 0):]
	for i, line := range lines {
		lines[i] = "  " + l.style.dim(truncate(strings.ReplaceAll(line, "\t", "    "), width-3))
	}
	return lines
}
