//go:build unix

package policy

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"minigem/internal/confine"
)

// FuzzJudge checks that the engine reads any line without a panic, and that a line that
// it allows runs nothing else in a real bash. In yolo mode nothing is run.
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
	s := newSandbox(f)
	s.patience = 5 * time.Second // there are many lines, and few that run
	engines, confined := judges(f, s), s
	confined.rules = &confine.Rules{Hidden: []string{filepath.Join(s.dir, "work", ".env")}}
	if confine.Supported() != nil {
		f.Skip(confine.Supported())
	}
	f.Fuzz(func(t *testing.T, line string) {
		for name, e := range engines {
			v := e.Check(in(filepath.Join(s.dir, "work"), line))
			if v.Decision != Allow || e.Mode() == ModeYolo || !runnable(line, e.Mode()) || !strings.Contains(line, "canary") &&
				!strings.Contains(line, ">") {
				continue
			}
			by := s
			if v.OnlyReads {
				by = confined
			}
			if found := by.culprits(t, []string{line}, true); found != nil {
				t.Errorf("%s let this through, which ran something: %s", name, found[0])
			}
		}
	})
}
