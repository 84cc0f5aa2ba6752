//go:build !linux

package proc

import "syscall"

func diesWithThread(*syscall.SysProcAttr) bool { return false }
