package chat

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"minigem/agent/event"
	"minigem/compress"
	"minigem/hooks"
	"minigem/internal/terminal"
	"minigem/internal/text"
	"minigem/tools/workspace"
)

// statusLine is the line under the prompt. It counts the tokens and hook problems that
// it shows.
type statusLine struct {
	hidden  bool // as in cases, whose output must not depend on the machine; the settings override it
	trouble hookTrouble
	used    atomic.Int64 // tokens of the conversation; 0 if unknown
}

// show updates the line from the session.
func (s *statusLine) show(t *live) {
	r := t.runtime
	hidden := s.hidden
	if said := r.Config.Settings.UI.HideFooter; said != nil {
		hidden = *said
	}
	if hidden {
		return
	}
	place := t.shortenHome(r.Config.Dir)
	if b := workspace.Branch(r.Config.Dir); b != "" {
		place += " (" + b + ")"
	}
	model := r.Models.Name
	if r.Flags.Script() != "" {
		model = "scripted"
	}
	line := terminal.Status{Mode: r.Policy.Mode().Flag(), Trouble: s.trouble.String(),
		Rest: append([]string{model, place}, s.size(r.Compressor)...)}
	t.term.SetStatus(line)
}

// size describes the size of the conversation, if it is known.
func (s *statusLine) size(c *compress.Compressor) []string {
	used := int(s.used.Load())
	if used == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d%% context left", max(100-100*used/c.Window(), 0)), text.Plural(used, "token")}
}

// slowHook is how long the hooks of one event may take before the status line mentions
// it.
const slowHook = time.Second

// hookTrouble counts hook problems since the last prompt.
type hookTrouble struct {
	mu           sync.Mutex
	failed, slow int
}

func (h *hookTrouble) note(r hooks.Report) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, run := range r.Runs {
		if run.Ran() && run.Failed != "" {
			h.failed++
		}
	}
	if r.Duration > slowHook && !r.Late {
		h.slow++
	}
}

func (h *hookTrouble) clear() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failed, h.slow = 0, 0
}

// String describes the problems, or returns "" if there are none.
func (h *hookTrouble) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var parts []string
	if h.failed > 0 {
		parts = append(parts, text.Plural(h.failed, "hook")+" failed")
	}
	if h.slow > 0 {
		parts = append(parts, text.Plural(h.slow, "event")+" with slow hooks")
	}
	return strings.Join(parts, ", ")
}

// Emit implements event.Sink. It records how long the conversation is, in the model's
// tokens.
func (s *statusLine) Emit(e event.Event) {
	switch e := e.(type) {
	case event.RoundFinished:
		if e.Usage != nil {
			s.used.Store(int64(e.Usage.Total))
		}
	case event.Compressed:
		s.used.Store(int64(e.After))
	}
}

func changeMode(t *call) error { return setMode(t.live, t.args) }

// setMode changes the approval mode, if name is not empty, and prints the current one.
func setMode(t *live, name string) error {
	if name != "" {
		if err := t.runtime.Plans.Change(name); err != nil {
			return err
		}
	}
	t.term.Print("The approval mode is " + t.runtime.Policy.Mode().Flag() + ".")
	return nil
}

func modeNames(t *call) []string {
	names := []string{"default", "auto_edit", "plan"}
	if !t.runtime.Config.Settings.Security.DisableYoloMode {
		names = append(names, "yolo")
	}
	return names
}
