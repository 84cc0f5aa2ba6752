package sandbox

import (
	"context"
	"os"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"minigem/internal/confine"
	"minigem/internal/sandbox/confined"
)

// begin detects what the kernel supports. In a container, or on a system that denies
// namespaces to its users, only Landlock is available.
func (s *Sandbox) begin(ctx context.Context) error {
	if confine.ABI() < confine.LeastABI {
		return ErrUnavailable
	}
	s.signals = confine.ABI() < confine.ABIOfScopes
	if s.try(ctx) == nil {
		return nil
	}
	s.partial = true
	return s.try(ctx)
}

func (s *Sandbox) confine(argv []string, attr *os.ProcAttr, r rules) ([]string, error) {
	args := []string{confined.Self, confined.Name}
	if !s.partial {
		args = append(args, string(confined.Mounts))
		if err := ownNamespaces(attr.Sys, r.network); err != nil {
			return nil, err
		}
	}
	if !r.network {
		args = append(args, string(confined.NoNetwork))
	}
	args = append(args, steps(r)...)
	for i, e := range attr.Env {
		attr.Env[i] = "_" + e
	}
	return slices.Concat(args, []string{"--"}, argv), nil
}

// steps returns the paths of r as steps, parents before children.
func steps(r rules) []string {
	var out []string
	add := func(step rune, paths []string) {
		for _, p := range paths {
			out = append(out, string(step)+p)
		}
	}
	add(confined.Writable, r.writable)
	add(confined.Pinned, r.pinned())
	add(confined.Kept, r.kept)
	slices.SortFunc(out, func(a, b string) int { return strings.Compare(a[1:]+"\x00"+a, b[1:]+"\x00"+b) })
	// Of two steps for one path the first one, which is stricter, wins: a folder that
	// is kept is not mounted again as writable.
	return slices.CompactFunc(out, func(a, b string) bool { return a[1:] == b[1:] })
}

// ownNamespaces gives the process its own user, mount and IPC namespaces, in which it may
// mount. User ids are the same as in this process.
func ownNamespaces(sys *syscall.SysProcAttr, network bool) error {
	sys.Cloneflags |= unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWIPC
	sys.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP}
	if !network {
		sys.Cloneflags |= unix.CLONE_NEWNET
		sys.AmbientCaps = append(sys.AmbientCaps, unix.CAP_NET_ADMIN)
	}
	if os.Geteuid() != 0 {
		sys.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
		sys.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
		return nil
	}
	sys.GidMappingsEnableSetgroups = true
	var err error
	if sys.UidMappings, err = sameIDs("/proc/self/uid_map"); err != nil {
		return err
	}
	sys.GidMappings, err = sameIDs("/proc/self/gid_map")
	return err
}

// sameIDs maps all ids that root has here to themselves.
func sameIDs(file string) ([]syscall.SysProcIDMap, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return parseIDs(string(text))
}
