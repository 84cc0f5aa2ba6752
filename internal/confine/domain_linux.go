//go:build amd64 || arm64 || riscv64

package confine

import (
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// A Domain is a thread that is restricted once and starts many processes. They share
// its restrictions, may signal each other, and end with it, even if they left their
// group or session. It is safe for concurrent use.
type Domain struct {
	// Limits lists what the domain cannot enforce on this machine, as parts of a
	// sentence. It is empty if everything is enforced.
	Limits []string
	rules  Rules
	work   chan func()
	scoped bool // a signal sent on the thread reaches only processes of the domain

	mu    sync.Mutex
	ended bool
	inner []*Domain
}

// Open makes a domain. It allows Attributes of r only if mounts can limit them to
// r.Write, which requires CAP_SYS_ADMIN. Otherwise Limits says so. The caller closes
// the domain.
func Open(r Rules) (*Domain, error) {
	d := &Domain{rules: r, work: make(chan func())}
	opened := make(chan error)
	go onOwnThread(func() {
		joinGroup(r.tasks())
		if r.Attributes {
			r.Own = true
		}
		if r.Attributes && !r.Mounted {
			if err := ownMounts(r.Write); err != nil {
				r.Attributes, r.Own = false, false
				d.Limits = append(d.Limits, "nothing may change the mode, owner or times of a file")
			}
		}
		err := Restrict(r)
		if err == nil {
			d.scoped = ABI() >= ABIOfScopes && !r.Signals && reachesNobody()
		}
		if !d.scoped {
			d.Limits = append(d.Limits, "what leaves its process group may run on")
		}
		opened <- err
		if err == nil {
			for do := range d.work {
				do()
			}
		}
	})
	if err := <-opened; err != nil {
		return nil, err
	}
	return d, nil
}

// reachesNobody reports whether the thread cannot signal process 1 and this process's
// parent, which are outside any domain.
func reachesNobody() bool {
	for _, pid := range []int{1, os.Getppid()} {
		if pid != 0 && pid != os.Getpid() && unix.Kill(pid, 0) != unix.EPERM {
			return false
		}
	}
	return true
}

// ownMounts gives the thread its own mounts, terminals and message queues: see [Mount].
func ownMounts(writable []string) error {
	if err := unix.Unshare(unix.CLONE_NEWNS | unix.CLONE_NEWIPC); err != nil {
		return err
	}
	return Mount(writable)
}

// Mount makes all files read-only in the thread's mount namespace except those below the
// given paths, which have no links, and gives it its own terminals.
func Mount(writable []string) error {
	apart := unix.MountAttr{Propagation: unix.MS_PRIVATE}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &apart); err != nil {
		return err
	}
	if err := OwnTerminals(); err != nil {
		return err
	}
	trees := make([]int, len(writable))
	for i, name := range writable {
		const flags = unix.OPEN_TREE_CLONE | unix.OPEN_TREE_CLOEXEC | unix.AT_RECURSIVE
		tree, err := unix.OpenTree(unix.AT_FDCWD, name, flags)
		if err != nil {
			return err
		}
		defer unix.Close(tree)
		trees[i] = tree
	}
	readOnly := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &readOnly); err != nil {
		return err
	}
	for i, name := range writable {
		if err := unix.MoveMount(trees[i], "", unix.AT_FDCWD, name, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
			return err
		}
	}
	// The working directory still belongs to the mounts below.
	dir, err := unix.Getwd()
	if err != nil {
		return err
	}
	return unix.Chdir(dir)
}

const terminals = "/dev/pts"

// OwnTerminals gives the calling thread, which has its own mounts, its own terminals: it
// must not read or write the user's. There may be none.
func OwnTerminals() error {
	err := unix.Mount("devpts", terminals, "devpts", 0, "newinstance,ptmxmode=0666")
	if err == nil {
		err = unix.Mount(terminals+"/ptmx", "/dev/ptmx", "", unix.MS_BIND, "")
	}
	if err == unix.ENOENT {
		return nil
	}
	return err
}

// Start calls begin on the thread of d, so that the process it starts is in the domain:
// see [Start]. If only is not nil, it restricts that process further: it may write only
// to these paths, and read no more than the other processes.
func (d *Domain) Start(only []string, begin func() error) error {
	if only != nil {
		r := Rules{Write: only, Read: d.rules.Read}
		in, err := Open(r)
		if err != nil {
			return err
		}
		d.mu.Lock()
		d.inner = append(d.inner, in)
		d.mu.Unlock()
		return in.Start(nil, begin)
	}
	err := errEnded
	d.do(func() { err = limited(d.rules.tasks(), begin) })
	return err
}

// joinGroup puts the calling thread, and what it starts, into a control group of a
// limited number of tasks. That also limits root, but not every machine allows it.
func joinGroup(most uint64) { _ = os.WriteFile(Group(most), []byte("0"), 0) }

// Group makes the control group of the given number of tasks, and returns the file to
// which those who join it write. Where there are no such groups, there is no such file.
func Group(most uint64) string {
	n := strconv.FormatUint(most, 10)
	dir := "/sys/fs/cgroup/pids/minigem-" + n
	_ = os.Mkdir(dir, 0o755)
	_ = os.WriteFile(dir+"/pids.max", []byte(n), 0)
	return dir + "/tasks"
}

var limiting sync.Mutex // the limits of this process

// limited calls begin while this process has a limit on the tasks of its user, which the
// process that begin starts inherits. The kernel does not apply it to root.
func limited(more uint64, begin func() error) error {
	limiting.Lock()
	defer limiting.Unlock()
	var now unix.Sysinfo_t
	var own unix.Rlimit
	if unix.Sysinfo(&now) == nil && unix.Getrlimit(unix.RLIMIT_NPROC, &own) == nil {
		_ = unix.Setrlimit(unix.RLIMIT_NPROC, &unix.Rlimit{Cur: min(own.Cur, uint64(now.Procs)+more), Max: own.Max})
		defer unix.Setrlimit(unix.RLIMIT_NPROC, &own)
	}
	return begin()
}

// do calls f on the thread, unless d has ended.
func (d *Domain) do(f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended {
		return
	}
	done := make(chan struct{})
	d.work <- func() {
		defer close(done)
		f()
	}
	<-done
}

// signal sends a signal to all processes of d. The kernel does so in one step, so a
// process that is about to start another receives it before there are two.
func (d *Domain) signal(sig unix.Signal) {
	if d.scoped {
		d.do(func() { _ = unix.Kill(-1, sig) }) // an error means that there are none
	}
	for _, in := range d.within() {
		in.signal(sig)
	}
}

// Left returns the command lines of the processes of d that are still running. It stops
// them while it looks, so that it misses none that start others as they end.
func (d *Domain) Left() []string {
	d.signal(unix.SIGSTOP)
	defer d.signal(unix.SIGCONT)
	return d.running()
}

func (d *Domain) running() []string {
	var out []string
	for _, in := range d.within() {
		out = append(out, in.running()...)
	}
	dir, err := os.Open("/proc")
	if err != nil || !d.scoped {
		return out
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	var pids []string
	d.do(func() {
		for _, name := range names {
			pid, err := strconv.Atoi(name)
			if err == nil && pid != os.Getpid() && pid != 1 && unix.Kill(pid, 0) == nil {
				pids = append(pids, name)
			}
		}
	})
	for _, pid := range pids {
		if line, runs := CommandLine("/proc/" + pid); runs {
			out = append(out, line)
		}
	}
	return out
}

func (d *Domain) within() []*Domain {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.inner)
}

// Close kills the remaining processes and ends the thread.
func (d *Domain) Close() {
	for _, in := range d.within() {
		in.Close()
	}
	d.signal(unix.SIGKILL)
	const rounds, pause = 200, 5 * time.Millisecond // for processes that the kernel cannot end at once
	for i := 0; i < rounds && len(d.running()) > 0; i++ {
		time.Sleep(pause)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.ended {
		d.ended = true
		close(d.work)
	}
}
