//go:build !linux || !(amd64 || arm64 || riscv64)

package worker

import "minigem/internal/confine"

// Run always returns ErrUnable.
func Run(confine.Rules, string, []string, []string) (int, error) { return 0, ErrUnable }
