//go:build unix

package policy

import (
	"strings"
	"testing"
	"time"
)

// FuzzJudge: the judge reads any line without a panic, and what it lets through
// runs nothing else in a real bash. In yolo mode nothing is run.
func FuzzJudge(f *testing.F) {
	for _, c := range carriers(f) {
		f.Add(c.with("canary evil"))
		f.Add(c.with("ls"))
	}
	for _, text := range texts {
		for _, evaluator := range evaluators {
			f.Add("x=" + text + "; " + evaluator)
		}
	}
	s, engines := newSandbox(f), judges(f)
	s.patience = 5 * time.Second // there are many lines, and few that run
	f.Fuzz(func(t *testing.T, line string) {
		for name, e := range engines {
			allowed := e.Check(shellCall(line)).Decision == Allow
			if !allowed || e.Mode() == ModeYolo || !runnable(line, e.Mode()) || !strings.Contains(line, "canary") && !strings.Contains(line, ">") {
				continue
			}
			if found := s.culprits(t, []string{line}, true); found != nil {
				t.Errorf("%s let this through, which ran something: %s", name, found[0])
			}
		}
	})
}
