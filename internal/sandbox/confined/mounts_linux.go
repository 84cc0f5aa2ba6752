//go:build amd64 || arm64 || riscv64

package confined

import (
	"golang.org/x/sys/unix"

	"minigem/internal/confine"
)

// mount makes the whole file system read-only for this process, except what may be
// changed. It first copies what is mounted there, so that its mount options are kept.
func (p *plan) mount() error {
	apart := unix.MountAttr{Propagation: unix.MS_PRIVATE}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &apart); err != nil {
		return confine.Failed("parting its mounts", err)
	}
	for i := range p.paths {
		if err := p.paths[i].copy(); err != nil {
			return confine.Failed("copying the mount of "+p.paths[i].name, err)
		}
	}
	if err := confine.OwnTerminals(); err != nil {
		return confine.Failed("making its own terminals", err)
	}
	readOnly := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &readOnly); err != nil {
		return confine.Failed("making all read-only", err)
	}
	for _, at := range p.paths {
		if err := unix.MoveMount(at.tree, "", unix.AT_FDCWD, at.name, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
			return confine.Failed("mounting "+at.name, err)
		}
		unix.Close(at.tree)
	}
	// The working directory still belongs to the mounts below.
	dir, err := unix.Getwd()
	if err == nil {
		err = unix.Chdir(dir)
	}
	if err != nil {
		return confine.Failed("entering the working directory", err)
	}
	return nil
}

// copy copies what is mounted at and below a path, read-only if it must not be changed.
func (at *path) copy() error {
	var err error
	at.tree, err = unix.OpenTree(unix.AT_FDCWD, at.name, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if err != nil || at.step != Kept {
		return err
	}
	readOnly := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	return unix.MountSetattr(at.tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &readOnly)
}

// Loopback starts 127.0.0.1 in the network namespace of the process.
func Loopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	device, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	device.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, device)
}
