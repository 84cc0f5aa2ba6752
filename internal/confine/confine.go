// Package confine restricts one process, and all that it starts, by the kernel:
// what it may write and read, which servers it reaches, which processes it may
// signal. What is asked for and cannot be enforced is an error; nothing is
// dropped silently. It imports nothing of the project, and starts nothing
// itself.
package confine

import (
	"cmp"
	"errors"
	"sync"
)

// Rules say what a confined process may do. With the zero value it may read and execute
// what this process may, write only to /dev/null and to descriptors that it is given,
// and reach no server, no other process and no terminal.
//
// Whatever the rules say, the process gains no privileges (sudo has no effect), cannot
// trace processes outside or read their environment, and cannot put characters into a
// terminal's input.
type Rules struct {
	// Write lists the files and directories, with everything below them, that may be
	// changed. They must exist. A link means its target.
	Write []string
	// Read lists the files and directories, with everything below them, that may be
	// read and executed in addition to Write. They must exist, too. If nil, everything
	// may be read.
	Read []string
	// Hidden lists files and directories that may not be read although what surrounds
	// them may. They must not be links. Files that later appear next to a hidden one
	// cannot be read either. If it is not nil, names of files can be seen everywhere.
	Hidden []string
	// Execute lists the programs that may be executed. They must exist. If nil, every
	// program may be that can be read. See [Programs].
	Execute []string
	// Attributes allows changing the modes, owners, times and attributes of files. The
	// kernel cannot limit that to Write: it applies to every file of the user that no
	// read-only mount protects. Attributes also allows the ioctls of devices and file
	// systems.
	Attributes bool
	// Own allows shared memory, semaphores and message queues, and with Attributes all
	// terminals. It is for a process that already has its own IPC namespace and
	// [OwnTerminals].
	Own bool
	// Mounted says that mounts limit Attributes already: [Open] makes none. Package worker
	// makes them.
	Mounted bool
	// Signals allows sending signals to processes outside, and changing their
	// priorities and limits. Without it, the process only reaches processes that it
	// started, or before Linux 6.12 no process at all.
	Signals bool
	Network Network
	// Ports are the ports that [TCPPorts] may connect to.
	Ports []uint16
	// Tasks limits the processes and threads of all domains with the same number, where
	// the kernel lets this process limit them: as root in a pids cgroup of version 1, and
	// otherwise to that many more than the machine now has. 0 means 4,096.
	Tasks uint64
}

// Tasks is the limit on tasks where [Rules] name none.
const Tasks = 4096

func (r Rules) tasks() uint64 { return cmp.Or(r.Tasks, Tasks) }

// Network says which sockets a process may have. Connected pairs are always allowed.
type Network int

const (
	// NoNetwork allows no socket that leads outside.
	NoNetwork Network = iota
	// TCPPorts allows TCP connections to Rules.Ports, which requires Linux 6.7. The
	// kernel does not check the address, so keeping traffic on this machine requires a
	// network namespace.
	TCPPorts
	// OwnNetwork allows Internet sockets but no Unix sockets. It is for a process that
	// already has its own network namespace.
	OwnNetwork
	// OpenNetwork allows every socket that has a file or an address. From Linux 6.12
	// on, abstract Unix sockets outside cannot be reached.
	OpenNetwork
)

// Versions of Landlock, as [ABI] returns them.
const (
	LeastABI    = 3 // Linux 6.2, the first one that restricts truncate
	abiOfTCP    = 4 // Linux 6.7
	ABIOfScopes = 6 // Linux 6.12, the first one that restricts signals and Unix sockets without a file
)

// Check returns an error if r cannot be enforced on this machine.
func Check(r Rules) error { return Start(r, func() error { return nil }) }

// Supported returns an error if this machine cannot enforce the zero [Rules]. It keeps
// the result of the first call.
var Supported = sync.OnceValue(func() error { return Check(Rules{}) })

// UnconfinedVar names an environment variable. If it is set, tests of hooks run as on a
// machine that cannot confine them.
const UnconfinedVar = "MINIGEM_TEST_UNCONFINED"

// Enclose is [Open] for tests of hooks, whose calls a hook was meant to refuse. If it
// fails, the calls are not run but answered with the error, and results that depend on
// them are unknown. why is the value of [UnconfinedVar]; Enclose fails unless it is empty.
func Enclose(why string, r Rules) (*Domain, error) {
	err := errors.New(why)
	if why == "" {
		var d *Domain
		if d, err = Open(r); err == nil {
			return d, nil
		}
	}
	return nil, errors.New("this machine cannot confine it (" + err.Error() + ")")
}

type failure struct {
	doing string
	err   error
}

func (f failure) Error() string { return f.doing + ": " + f.err.Error() }
func (f failure) Unwrap() error { return f.err }

// Failed returns "doing: err", wrapping err. It replaces fmt.Errorf because package fmt
// is unwanted in programs that restrict themselves before initialization.
func Failed(doing string, err error) error { return failure{doing, err} }
