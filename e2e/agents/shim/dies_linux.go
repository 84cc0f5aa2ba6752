package shim

import "syscall"

// dieTogether makes the kernel kill the hook if the shim is killed, as the agent intends.
func dieTogether() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
