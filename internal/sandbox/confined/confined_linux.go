//go:build amd64 || arm64 || riscv64

package confined

import (
	"errors"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"minigem/internal/confine"
)

func init() {
	args, ok := arguments()
	if !ok {
		return
	}
	err := become(args)
	message := "minigem: the command was not run, because it cannot be confined: " + err.Error() + "\n"
	_, _ = unix.Write(2, []byte(message)) // there is nowhere else to report
	unix.Exit(126)
}

// arguments returns the arguments of a process that is to become a command. Package os,
// which knows them, is not initialized yet.
func arguments() (args []string, ok bool) {
	fd, err := unix.Open("/proc/self/cmdline", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, false
	}
	defer unix.Close(fd)
	const begin = Self + "\x00" + Name + "\x00"
	buf := make([]byte, len(begin))
	if n, err := unix.Read(fd, buf); err != nil || string(buf[:n]) != begin {
		return nil, false
	}
	var rest []byte
	for chunk := make([]byte, 64<<10); ; {
		n, err := unix.Read(fd, chunk)
		if n <= 0 || err != nil {
			break
		}
		rest = append(rest, chunk[:n]...)
	}
	return strings.Split(strings.TrimSuffix(string(rest), "\x00"), "\x00"), true
}

// plan is what the arguments ask for.
type plan struct {
	mounts, noNetwork bool
	paths             []path // parents before children
	command           []string
}

type path struct {
	step byte
	name string
	tree int // with mounts: a copy of what is mounted at the path
}

func read(args []string) (plan, error) {
	var p plan
	for i, a := range args {
		switch {
		case a == "--" && len(args) > i+1:
			p.command = args[i+1:]
			return p, nil
		case a == string(Mounts):
			p.mounts = true
		case a == string(NoNetwork):
			p.noNetwork = true
		case len(a) > 1 && strings.IndexByte(string([]byte{Writable, Kept, Pinned}), a[0]) >= 0 && a[1] == '/':
			p.paths = append(p.paths, path{step: a[0], name: a[1:], tree: -1})
		default:
			return p, errors.New("the restrictions are missing")
		}
	}
	return p, errors.New("the command is missing")
}

// become returns only if it fails.
func become(args []string) error {
	p, err := read(args)
	if err != nil {
		return err
	}
	if p.mounts {
		if err := p.mount(); err != nil {
			return err
		}
		if p.noNetwork {
			if err := Loopback(); err != nil {
				return confine.Failed("starting the loopback device", err)
			}
		}
	}
	if err := confine.Restrict(p.rules()); err != nil {
		return err
	}
	env := syscall.Environ()
	for i, e := range env {
		env[i] = strings.TrimPrefix(e, "_")
	}
	return confine.Failed("running "+p.command[0], unix.Exec(p.command[0], p.command, env))
}

// rules returns the rules that need no mounts. They also drop the capabilities that
// mounting needed.
func (p *plan) rules() confine.Rules {
	r := confine.Rules{Attributes: true, Own: p.mounts, Signals: confine.ABI() < confine.ABIOfScopes,
		Network: confine.OpenNetwork}
	// It already has the terminal that it was given, and /dev/stdout opens it once more.
	for _, fd := range []string{"/dev/stdin", "/dev/stdout", "/dev/stderr"} {
		var stat unix.Stat_t
		if unix.Stat(fd, &stat) == nil && stat.Mode&unix.S_IFMT == unix.S_IFCHR {
			r.Write = append(r.Write, fd)
		}
	}
	for _, at := range p.paths {
		if at.step == Writable {
			r.Write = append(r.Write, at.name)
		}
	}
	switch {
	case p.noNetwork && p.mounts:
		r.Network = confine.OwnNetwork
	case p.noNetwork:
		r.Network = confine.NoNetwork
	}
	return r
}
