//go:build unix && !linux

package shim

import "syscall"

// dieTogether does nothing: other systems have no such signal. Agents end the whole group.
func dieTogether() *syscall.SysProcAttr { return nil }
