//go:build amd64 || arm64 || riscv64

package confine

import (
	"errors"
	"runtime"

	"golang.org/x/sys/unix"
)

// Start calls begin on a thread that is restricted by r and ends afterwards. The
// process that begin starts is thus confined, and this one is not. begin must start it
// on the calling goroutine. It must not use Pdeathsig, which would kill the process as
// soon as the thread ends. If begin was not called, the error says what could not be
// enforced.
func Start(r Rules, begin func() error) error {
	done := make(chan error, 1)
	go onOwnThread(func() {
		err := Restrict(r)
		if err == nil {
			err = begin()
		}
		done <- err
	})
	return <-done
}

// onOwnThread calls do on a thread that ends afterwards. The main thread cannot end,
// and to other processes it represents this process. If called there, it is kept busy
// while another thread does the work.
func onOwnThread(do func()) {
	runtime.LockOSThread()
	if unix.Gettid() != unix.Getpid() {
		do()
		return // and the thread ends, because it is still locked
	}
	done := make(chan struct{})
	go onOwnThread(func() {
		defer close(done)
		do()
	})
	<-done
	runtime.UnlockOSThread()
}

// Restrict restricts the calling thread, which cannot be undone. It is for a program
// that is about to execute another. Other callers use [Start].
func Restrict(r Rules) error {
	version := ABI()
	switch {
	case version < LeastABI:
		return errors.New("the kernel has no Landlock, or one older than Linux 6.2")
	case r.Network == TCPPorts && version < abiOfTCP:
		return errors.New("the kernel's Landlock knows no TCP ports before Linux 6.7")
	}
	if err := dropPrivileges(r); err != nil {
		return Failed("dropping privileges", err)
	}
	if err := landlock(r, version); err != nil {
		return err
	}
	if err := install(program(r, version)); err != nil {
		return Failed("filtering system calls", err)
	}
	return nil
}

// kept returns the capabilities that root keeps: those for reading what only others may
// read, and with Attributes those over owners and permissions of files and over its own
// processes. CAP_PERFMON would reveal the environment of every process.
func kept(r Rules) uint64 {
	if !r.Attributes {
		return 1 << unix.CAP_DAC_OVERRIDE
	}
	return 1<<unix.CAP_CHOWN | 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_FOWNER | 1<<unix.CAP_FSETID |
		1<<unix.CAP_KILL | 1<<unix.CAP_SETGID | 1<<unix.CAP_SETUID | 1<<unix.CAP_NET_BIND_SERVICE
}

// dropPrivileges gives up capabilities, and makes sure that no program can add any.
func dropPrivileges(r Rules) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	keep := kept(r)
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		if keep&(1<<c) == 0 {
			// A user without privileges has no capabilities and cannot get any.
			_ = unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData
	if err := unix.Capget(&header, &sets[0]); err != nil {
		return err
	}
	for i := range sets {
		part := uint32(keep >> (32 * i))
		sets[i].Effective &= part
		sets[i].Permitted &= part
		sets[i].Inheritable = 0
	}
	return unix.Capset(&header, &sets[0])
}
