//go:build unix && !linux

package shim

import "syscall"

// dieTogether: no other system has such a thing. Agents end the group.
func dieTogether() *syscall.SysProcAttr { return nil }
