package elsewhere_test

import (
	"sync"

	"minigem/hooks"
	"minigem/hooks/elsewhere"
	"minigem/hooks/hookstest"
	"minigem/hooks/protocol"
	"minigem/llm"
)

// reports collects an engine's reports after Compare.
type reports struct {
	mu  sync.Mutex
	all []hooks.Report
}

func (r *reports) add(rep hooks.Report) {
	elsewhere.Compare(&rep)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, rep)
}

func (r *reports) last() hooks.Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all[len(r.all)-1]
}

// engine returns an engine with hooks for ev whose names are also their commands.
func engine(ev protocol.Event, scripts map[string]hookstest.Script, names ...string) (*hooks.Engine, *hookstest.Runner, *reports) {
	r, rep := &hookstest.Runner{Scripts: scripts}, &reports{}
	e := &hooks.Engine{Runner: r, Origin: hookstest.Origin, Report: rep.add}
	for _, n := range names {
		e.Config.Hooks = append(e.Config.Hooks, hooks.Hook{Event: ev, Name: n, Command: n})
	}
	return e, r, rep
}

func writeFile() hooks.ToolUse {
	return hooks.ToolUse{Call: llm.ToolCall{ID: "write_file__1", Name: "write_file", Args: map[string]any{"file_path": "a"}}}
}
