package app

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
	"minigem/internal/exit"
)

// hookTrace writes what every hook event did to a file, as one JSON line per event, or
// as a single page at the end if the file's name ends in .html. The reports already
// mask secrets.
type hookTrace struct {
	mu   sync.Mutex
	file *os.File
	lost error // why the trace is incomplete; nothing is written after it

	asPage bool
	kept   []json.RawMessage // the events for the page
}

func openHookTrace(path string) (*hookTrace, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the hook trace: %w", err)
	}
	return &hookTrace{file: f, asPage: strings.EqualFold(filepath.Ext(path), ".html")}, nil
}

func (t *hookTrace) report(r hooks.Report) {
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

func (t *hookTrace) close() error {
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

// reporters returns a function that passes hook reports to all receivers: the given
// one, telemetry, the session's file and the trace.
func (r *Runtime) reporters() (func(hooks.Report), error) {
	listeners := []func(hooks.Report){r.noteHooks, r.telemetry.Hook}
	if r.front.Reports != nil {
		listeners = append(listeners, r.front.Reports)
	}
	if r.Flags.HookTrace != "" {
		t, err := openHookTrace(r.Flags.HookTrace)
		if err != nil {
			return nil, exit.With(exit.Input, err)
		}
		r.closers = append(r.closers, t.close)
		listeners = append(listeners, t.report)
	}
	return func(rep hooks.Report) {
		for _, l := range listeners {
			l(rep)
		}
	}, nil
}

// HookNote is what the session's file records of a hook event that had an effect.
type HookNote struct {
	Hook struct {
		Event   protocol.Event `json:"event"`
		Subject string         `json:"subject,omitempty"`
		Agent   string         `json:"agent,omitempty"` // set for a subagent
		Ran     []string       `json:"ran"`
		Effect  string         `json:"effect"`
		Reason  string         `json:"reason,omitempty"`
		Millis  int64          `json:"ms"`
	} `json:"hook"`
}

// noteHooks records hook activity in the session's file.
func (r *Runtime) noteHooks(rep hooks.Report) {
	if r.Session == nil || rep.Late {
		return
	}
	var n HookNote
	for _, run := range rep.Runs {
		if run.Ran() {
			n.Hook.Ran = append(n.Hook.Ran, run.Hook.ID())
		}
	}
	if n.Hook.Ran == nil {
		return
	}
	n.Hook.Agent = rep.Agent.Type
	n.Hook.Event, n.Hook.Subject, n.Hook.Effect = rep.Event, rep.Subject, rep.Effect.Kind
	n.Hook.Reason, n.Hook.Millis = rep.Verdict.Reason, rep.Duration.Milliseconds()
	r.Session.Note(n)
}
