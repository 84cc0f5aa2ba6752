package output

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"minigem/hooks"
	"minigem/hooks/author/trace"
	"minigem/hooks/protocol"
)

// HookTrace writes what every hook event did to a file, as one JSON line per event, or
// as a single page at the end if the file's name ends in .html. The reports already
// mask secrets.
type HookTrace struct {
	mu   sync.Mutex
	file *os.File
	lost error // why the trace is incomplete; nothing is written after it

	asPage bool
	kept   []json.RawMessage // the events for the page
}

// OpenHookTrace makes the file at path, or empties it.
func OpenHookTrace(path string) (*HookTrace, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the hook trace: %w", err)
	}
	return &HookTrace{file: f, asPage: strings.EqualFold(filepath.Ext(path), ".html")}, nil
}

// Report records an event.
func (t *HookTrace) Report(r hooks.Report) {
	line, err := protocol.Encode(r)
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.file == nil || t.lost != nil:
		return
	case t.asPage:
		t.kept = append(t.kept, line)
	case err == nil:
		_, err = t.file.Write(append(line, '\n'))
	}
	t.lost = err
}

// Close completes the file. It returns an error if an event is missing.
func (t *HookTrace) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	f := t.file
	t.file = nil
	if f == nil {
		return nil
	}
	if t.asPage && t.lost == nil {
		t.lost = trace.Write(f, "Hook events of minigem", t.kept)
	}
	if err := cmp.Or(t.lost, f.Close()); err != nil {
		return fmt.Errorf("writing the hook trace: %w", err)
	}
	return nil
}
