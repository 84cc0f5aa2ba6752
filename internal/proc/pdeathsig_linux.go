package proc

import "syscall"

func diesWithThread(attr *syscall.SysProcAttr) bool { return attr != nil && attr.Pdeathsig != 0 }
