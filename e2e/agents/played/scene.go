package played

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"minigem/e2e/agents"
	"minigem/e2e/testbed"
	"minigem/hooks"
	tables "minigem/hooks/agents"
)

// scene is an agent that is played in a session. It collects what cannot be played.
type scene struct {
	agent   *tables.Agent
	adapter *agents.Adapter
	setup   testbed.Setup

	mu     sync.Mutex
	cannot []string // why the outcome is unknown, without duplicates
}

// Cannots returns the reasons why the outcome may differ from the agent's.
func (s *scene) Cannots() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.cannot)
}

// unknown records why something cannot be played.
func (s *scene) unknown(format string, args ...any) {
	why := fmt.Sprintf(format, args...)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.cannot, why) {
		s.cannot = append(s.cannot, why)
	}
}

// Mode returns the approval mode in which minigem plays the agent.
func (s *scene) Mode() string {
	if s.confirms() {
		return "yolo"
	}
	return s.setup.Mode
}

// confirms reports whether calls that change anything need a confirmation, which only a
// hook can give.
func (s *scene) confirms() bool { return s.setup.Mode == "default" && s.agent.ID != "gemini" }

// Protects returns the part of rel for which the agent's file tools refuse it, or "".
func (s *scene) Protects(rel string) string {
	return regexp.MustCompile(s.agent.Play.Protects).FindString(filepath.ToSlash(rel))
}

// readOnly reports whether tools of this kind need no confirmation.
func readOnly(kind string) bool {
	return slices.Contains([]string{"read", "search", "find", "list"}, kind)
}

// agentOf returns the agent whose rules apply to a hook. Copilot CLI has separate rules
// for hooks with events in PascalCase.
func (s *scene) agentOf(h hooks.Hook) *tables.Agent {
	if a, err := tables.Find(h.Dialect); err == nil {
		return a
	}
	return s.agent
}

// place returns the path of a file in an adapter's pattern.
func (s *scene) place(name string) string {
	return testbed.FileOf(s.setup.Workspace, s.setup.Home, name)
}
