package terminal

import (
	"slices"
	"strings"
	"sync"
)

const (
	liveLines = 5       // lines shown of a running call's output
	liveBytes = 8 << 10 // bytes kept of it
	openRows  = 12      // rows shown of the unfinished block
)

// live is what is shown above the status line while it may still change. It calls
// nothing with its lock held, because it is read while the screen is drawn.
type live struct {
	style style

	mu       sync.Mutex
	printed  map[string]string // the end of each running call's output
	printing string            // the call that printed last
	open     open              // the unfinished block of the answer
	drawn    open              // the block that drawnAs shows
	drawnFor int               // the width that drawnAs is for
	drawnAs  []string
}

// open is an unfinished block of an answer.
type open struct {
	source string
	lang   code // state of the code block that is being streamed
	code   bool // source is a line of that code
	apart  bool // a blank line comes before it
}

// write sets the unfinished block. The zero open means there is none.
func (l *live) write(o open) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = o
}

// answer returns the last rows of the unfinished block.
func (l *live) answer(width, height int) []string {
	if l.open.source == "" {
		return nil
	}
	if l.drawn != l.open || l.drawnFor != width {
		l.drawn, l.drawnFor, l.drawnAs = l.open, width, l.open.rows(l.style, width)
	}
	return l.drawnAs[max(len(l.drawnAs)-max(min(openRows, height), 0), 0):]
}

// rows renders the block as if it were complete.
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

// add appends to a running call's output and keeps the end of it.
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

// take returns the end of a call's output and stops showing it.
func (l *live) take(callID string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	printed := l.printed[callID]
	delete(l.printed, callID)
	return strings.Trim(printed, "\n")
}

// rows returns the rows to show: the end of the unfinished block, or else of the output
// of the call that printed last.
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
