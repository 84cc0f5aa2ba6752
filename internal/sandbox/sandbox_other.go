//go:build !linux && !darwin

package sandbox

import (
	"context"
	"os"
)

func (s *Sandbox) begin(context.Context) error { return ErrUnavailable }

func (s *Sandbox) confine([]string, *os.ProcAttr, rules) ([]string, error) {
	return nil, ErrUnavailable
}
