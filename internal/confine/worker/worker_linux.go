//go:build amd64 || arm64 || riscv64

package worker

import (
	"encoding/json"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"minigem/internal/confine"
)

// forwarded lists the signals that a worker gets too.
var forwarded = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}

// Run runs minigem with these arguments as a worker, and returns its exit code. The worker
// may read and write what r says, change modes there, and connect to Internet addresses.
// Its home and its temporary files are in top; of env it has what holds no key. It ends
// with this process.
func Run(r confine.Rules, top string, env, args []string) (int, error) {
	if confine.Supported() != nil {
		return 0, ErrUnable
	}
	r.Attributes, r.Network = true, confine.OwnNetwork
	group := confine.Group(confine.Tasks)
	if _, err := os.Stat(group); err == nil { // the domains of cases join it
		r.Write = append(r.Write, group)
	}
	rules, err := os.Create(filepath.Join(top, "rules")) // too long for an argument
	if err == nil {
		err = errors.Join(json.NewEncoder(rules).Encode(r), rules.Close())
	}
	if err != nil {
		return 0, err
	}
	env = append(environment(env), "HOME="+top, "TMPDIR="+top)
	runtime.LockOSThread() // the worker gets a signal when this thread ends
	defer runtime.UnlockOSThread()
	var code int
	for _, name := range []string{mounted, plain} {
		sys := &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
		if name == mounted {
			Namespaces(sys, unix.CLONE_NEWPID|unix.CLONE_NEWNS|unix.CLONE_NEWIPC, unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP)
		}
		code, err = run(append([]string{self, helper, name, rules.Name()}, args...), env, sys)
		if err == nil && code != unable {
			return code, nil
		}
	}
	return code, errors.Join(errors.New("nothing was run, because it cannot be confined"), err)
}

// run runs minigem, forwards signals to it, and returns its exit code.
func run(args, env []string, sys *syscall.SysProcAttr) (int, error) {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, forwarded...)
	defer close(signals)
	defer signal.Stop(signals)
	p, err := os.StartProcess(self, args, &os.ProcAttr{
		Env: env, Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}, Sys: sys,
	})
	if err != nil {
		return 0, err
	}
	go func() {
		for s := range signals {
			_ = syscall.Kill(-p.Pid, s.(syscall.Signal)) // it may have exited
		}
	}()
	return Reap(p.Pid)
}

// Namespaces lets a process have namespaces of its own, and capabilities in them. User ids
// are the same as in this process.
func Namespaces(sys *syscall.SysProcAttr, flags uintptr, capabilities ...uintptr) {
	sys.Cloneflags = flags
	if uid, gid := os.Getuid(), os.Getgid(); uid != 0 {
		sys.Cloneflags |= unix.CLONE_NEWUSER
		sys.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		sys.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
		sys.AmbientCaps = capabilities
	}
}

func init() {
	if len(os.Args) < 4 || os.Args[0] != self || os.Args[1] != helper {
		return
	}
	code, err := become(os.Args[2], os.Args[3], os.Args[4:])
	if err != nil {
		code = unable
	}
	os.Exit(code)
}

// become starts a worker and waits for it, or without mounts becomes it.
func become(name, rules string, args []string) (int, error) {
	runtime.LockOSThread() // capabilities belong to a thread
	var r confine.Rules
	file, err := os.Open(rules)
	if err == nil {
		err = json.NewDecoder(file).Decode(&r)
	}
	if err != nil {
		return 0, err
	}
	args = append([]string{name}, args...)
	if name == plain {
		if err := confine.Restrict(r); err != nil {
			return 0, err
		}
		return 0, unix.Exec(self, args, os.Environ())
	}
	if err := confine.Mount(r.Write); err != nil {
		return 0, err
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return 0, err
	}
	r.Own = true
	_, _ = os.FindProcess(os.Getpid()) // makes package os test for pidfd support, which uses a signal
	code := 0
	err = confine.Start(r, func() (err error) {
		code, err = run(args, os.Environ(), &syscall.SysProcAttr{Setpgid: true})
		return err
	})
	return code, err
}

// Reap returns the exit code of a process when it ends, and reaps what ends before it:
// the kernel gives orphans to the first process of a namespace.
func Reap(pid int) (int, error) {
	for {
		var status unix.WaitStatus
		ended, err := unix.Wait4(-1, &status, 0, nil)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return 0, err
		case ended == pid && status.Signaled():
			return 128 + int(status.Signal()), nil
		case ended == pid && status.Exited():
			return status.ExitStatus(), nil
		}
	}
}
