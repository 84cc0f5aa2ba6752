package shim

import "syscall"

// dieTogether: a shim that is killed takes its hook along, as the agent means it.
func dieTogether() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
