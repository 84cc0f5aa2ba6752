package chat

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"minigem/agent/event"
	"minigem/compress"
	"minigem/hooks"
	"minigem/internal/terminal"
	"minigem/internal/text"
	"minigem/tools/workspace"
)

// showStatus puts the line under the prompt up to date.
func (t *Chat) showStatus() {
	r := t.runtime
	hidden := t.fixed
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
	s := terminal.Status{Mode: r.Policy.Mode().Flag(), Trouble: t.trouble.String(), Rest: []string{r.ModelName, place}}
	if used := int(t.used.Load()); used > 0 {
		if limit := compress.Limit(r.ModelName); limit > 0 {
			s.Rest = append(s.Rest, fmt.Sprintf("%d%% context left", max(100-100*used/limit, 0)))
		}
		s.Rest = append(s.Rest, text.Plural(used, "token"))
	}
	t.term.SetStatus(s)
}

// slowHook is how long the hooks of one event may take before the status says
// so.
const slowHook = time.Second

// hookTrouble counts what went wrong with hooks since the last prompt.
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

// String says what went wrong; empty: nothing.
func (h *hookTrouble) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var parts []string
	if h.failed > 0 {
		parts = append(parts, text.Plural(h.failed, "hook")+" failed")
	}
	if h.slow > 0 {
		parts = append(parts, text.Plural(h.slow, "slow hook"))
	}
	return strings.Join(parts, ", ")
}

// Emit implements event.Sink: it keeps how long the conversation is, in tokens
// of the model.
func (t *Chat) Emit(e event.Event) {
	switch e := e.(type) {
	case event.RoundFinished:
		if e.Usage != nil {
			t.used.Store(int64(e.Usage.Total))
		}
	case event.Compressed:
		t.used.Store(int64(e.After))
	}
}

// nextMode is Shift+Tab at the prompt.
func (t *Chat) nextMode() {
	t.runtime.NextMode()
	t.showStatus()
}

func (t *Chat) changeMode(_ context.Context, name string) error {
	if name != "" {
		if err := t.runtime.ChangeMode(name); err != nil {
			return err
		}
	}
	t.term.Print("The approval mode is " + t.runtime.Policy.Mode().Flag() + ".")
	return nil
}

func (t *Chat) modeNames() []string {
	names := []string{"default", "auto_edit", "plan"}
	if !t.runtime.Config.Settings.Security.DisableYoloMode {
		names = append(names, "yolo")
	}
	return names
}
