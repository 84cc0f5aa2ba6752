//go:build unix && !linux

package proc

import "golang.org/x/sys/unix"

const getTermios = unix.TIOCGETA
