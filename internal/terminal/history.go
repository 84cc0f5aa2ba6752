package terminal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"minigem/internal/atomicfile"
	"minigem/internal/boundedfile"
)

const (
	// keptPrompts is how many earlier prompts are kept.
	keptPrompts = 1000

	// keptBytes is the maximum length of a kept prompt. Nobody goes back to a pasted
	// log.
	keptBytes = 64 << 10
)

// History stores prompts in the file at path, one per line, and offers those already in
// it. If the file cannot be used, the history lasts for this session only.
func (t *Terminal) History(path string) { t.history.open(path) }

// history holds the earlier prompts. Its methods ignore errors.
type history struct {
	edit    *editor
	prompts []string // oldest first
	file    string   // empty if prompts are not stored
}

func (h *history) open(path string) {
	data, err := boundedfile.Read(path, boundedfile.Kept)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		h.file = path // a file that cannot be read is not written to either: it may be a pipe
	}
	if err != nil {
		_ = os.MkdirAll(filepath.Dir(path), 0o700) // the first write reports it
		return
	}
	prompts := slices.Collect(strings.Lines(string(data)))
	for i, p := range prompts {
		prompts[i] = strings.TrimSuffix(p, "\n")
	}
	h.remember(prompts)
	if len(prompts) > 2*keptPrompts {
		_ = atomicfile.WriteFile(path, []byte(strings.Join(h.prompts, "\n")+"\n"), 0o600) // it is shortened next time
	}
}

// add stores a prompt.
func (h *history) add(text string) {
	line := strings.ReplaceAll(text, "\n", string(newlineMark))
	if strings.TrimSpace(text) == "" || len(line) > keptBytes || len(h.prompts) > 0 &&
		h.prompts[len(h.prompts)-1] == line {
		h.remember(h.prompts)
		return
	}
	h.remember(append(h.prompts, line))
	if h.file == "" {
		return
	}
	f, err := os.OpenFile(h.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = fmt.Fprintln(f, line)
}

// remember sets the earlier prompts.
func (h *history) remember(prompts []string) {
	h.prompts = slices.Clone(prompts[max(len(prompts)-keptPrompts, 0):])
	h.edit.remember(h.prompts)
}

// remember gives prompts to the line editor with the next key, in its own
// goroutine, because it has no lock for its history.
func (e *editor) remember(prompts []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.history, e.stale = prompts, true
}

// recall gives the stored prompts to the line editor.
func (e *editor) recall() {
	if !e.stale {
		return
	}
	e.stale = false
	e.t.line.ResetHistory()
	for _, p := range e.history {
		_ = e.t.line.SaveHistory(p) // it has no file
	}
	if len(e.history) == 0 {
		_ = e.t.line.SaveHistory("") // the library cannot search an empty history
	}
}
