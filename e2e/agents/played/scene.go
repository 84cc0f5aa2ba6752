package played

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"minigem/e2e/agents"
	"minigem/e2e/testbed"
	"minigem/hooks"
	tables "minigem/hooks/agents"
)

// scene is what is played: an agent, in a session. It keeps what cannot be said
// of that.
type scene struct {
	agent   *tables.Agent
	adapter *agents.Adapter
	setup   testbed.Setup

	mu     sync.Mutex
	cannot []string // why what happened cannot be said, each once
}

// Cannot are reasons why what happened is not what the agent would have done.
func (s *scene) Cannots() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.cannot)
}

// unknown keeps why something cannot be played.
func (s *scene) unknown(format string, args ...any) {
	why := fmt.Sprintf(format, args...)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.cannot, why) {
		s.cannot = append(s.cannot, why)
	}
}

// Mode is minigem's approval mode in which the agent is played.
func (s *scene) Mode() string {
	if s.confirms() {
		return "yolo"
	}
	return s.setup.Mode
}

// confirms: somebody has to confirm calls that change anything, nobody is there,
// and a hook may do so.
func (s *scene) confirms() bool { return s.setup.Mode == "default" && s.agent.ID != "gemini" }

// readOnly reports whether what a kind of tool does needs no confirmation.
func readOnly(kind string) bool {
	return slices.Contains([]string{"read", "search", "find", "list"}, kind)
}

// agentOf is the agent as which a hook is treated: those of Copilot CLI with
// events in PascalCase have rules of their own.
func (s *scene) agentOf(h hooks.Hook) *tables.Agent {
	if a, err := tables.Find(h.Dialect); err == nil {
		return a
	}
	return s.agent
}

// place is where a file of an adapter's pattern stands.
func (s *scene) place(name string) string {
	if rest, ok := strings.CutPrefix(name, "home/"); ok {
		return filepath.Join(s.setup.Home, filepath.FromSlash(rest))
	}
	return filepath.Join(s.setup.Workspace, filepath.FromSlash(name))
}
