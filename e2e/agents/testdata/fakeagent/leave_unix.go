//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// leave lets c outlive the session that starts it.
func leave(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
