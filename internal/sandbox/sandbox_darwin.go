package sandbox

import (
	"context"
	"os"
)

const sandboxExec = "/usr/bin/sandbox-exec"

func (s *Sandbox) begin(ctx context.Context) error {
	if _, err := os.Stat(sandboxExec); err != nil {
		return ErrUnavailable
	}
	s.signals = true
	return s.try(ctx)
}

func (s *Sandbox) confine(argv []string, _ *os.ProcAttr, r rules) ([]string, error) {
	return append([]string{sandboxExec, "-p", r.profile()}, argv...), nil
}
