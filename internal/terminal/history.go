package terminal

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"minigem/internal/atomicfile"
	"minigem/internal/boundedfile"
)

const (
	// keptPrompts is how many earlier prompts can be gone back to.
	keptPrompts = 1000

	// keptBytes is how long they may be: what is pasted from a log is not a prompt to
	// go back to.
	keptBytes = 64 << 10
)

// History keeps prompts in a file, one a line, and offers those that are there
// already. Without the file there is no history but of this session.
func (t *Terminal) History(path string) {
	t.historyFile = path
	data, err := boundedfile.Read(path, boundedfile.Kept)
	if err != nil {
		_ = os.MkdirAll(filepath.Dir(path), 0o700) // told by the first write, which nobody waits for
		return
	}
	prompts := slices.Collect(strings.Lines(string(data)))
	for i, p := range prompts {
		prompts[i] = strings.TrimSuffix(p, "\n")
	}
	t.remember(prompts)
	if len(prompts) > 2*keptPrompts {
		_ = atomicfile.WriteFile(path, []byte(strings.Join(t.prompts, "\n")+"\n"), 0o600) // it is shortened next time
	}
}

// addHistory keeps a prompt. A history that cannot be kept is not worth an
// error.
func (t *Terminal) addHistory(text string) {
	line := strings.ReplaceAll(text, "\n", string(newlineMark))
	if strings.TrimSpace(text) == "" || len(line) > keptBytes || len(t.prompts) > 0 && t.prompts[len(t.prompts)-1] == line {
		t.remember(t.prompts)
		return
	}
	t.remember(append(t.prompts, line))
	if t.historyFile == "" {
		return
	}
	f, err := os.OpenFile(t.historyFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = fmt.Fprintln(f, line)
}

// remember makes prompts what can be gone back to.
func (t *Terminal) remember(prompts []string) {
	t.prompts = slices.Clone(prompts[max(len(prompts)-keptPrompts, 0):])
	t.edit.remember(t.prompts)
}

// remember hands prompts to the line editor with the next key, in its own
// goroutine: it keeps its history without a lock.
func (e *editor) remember(prompts []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.history, e.stale = prompts, true
}

// recall does what remember was asked for.
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
		_ = e.t.line.SaveHistory("") // the library cannot search in nothing
	}
}
