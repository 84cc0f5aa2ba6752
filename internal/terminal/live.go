package terminal

import (
	"strings"
	"sync"
)

const (
	liveLines = 5       // shown of what a running call prints
	liveBytes = 8 << 10 // kept of it
)

// live is what is shown above the status line while it may still change. It
// calls nobody with its lock held, as it is read while the screen is drawn.
type live struct {
	style style

	mu       sync.Mutex
	printed  map[string]string // the end of what running calls printed
	printing string            // the call that printed last
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

// rows are those of a window: the end of what the last running call printed.
func (l *live) rows(width, height int) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
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
