// Package confine restricts one process, and all that it starts, by the kernel:
// what it may write and read, which servers it reaches, which processes it may
// signal. What is asked for and cannot be enforced is an error; nothing is
// dropped silently. It imports nothing of the project, and starts nothing
// itself.
package confine

import (
	"errors"
	"sync"
)

// Rules say what a confined process may do. The zero value may read and execute
// what this process may, write nothing but /dev/null and to the descriptors
// that it is given, and reach no server, no other process and no terminal.
//
// Whatever the rules say, the process gets no new privileges (sudo adds none),
// cannot trace processes outside or read their environment, and cannot put
// characters into the input of a terminal.
type Rules struct {
	// Write are files, and directories with all that is below them, that may be
	// changed. They must exist. A link counts as what it leads to.
	Write []string
	// Read are files, and directories with all that is below them, that may be
	// read and executed, besides those of Write; they must exist, too. nil:
	// everything.
	Read []string
	// Hidden are files and directories that may not be read although all else
	// may. They must not be links. It cannot be given together with Read.
	// Files that come to lie beside a hidden one later cannot be read either.
	Hidden []string
	// Attributes allows changing modes, owners, times and attributes of files.
	// The kernel cannot keep that to Write: it is possible for every file of
	// the user's that no read-only mount protects. It also allows the ioctls
	// of devices and file systems, and shared memory and message queues.
	Attributes bool
	// Signals allows signals to processes outside, and changing their priorities
	// and limits. Without it, the process
	// reaches only those that it started; before Linux 6.12, no process at all.
	Signals bool
	Network Network
	// Ports are those that [TCPPorts] may connect to.
	Ports []uint16
}

// Network says which sockets a process may have. Connected pairs are allowed
// always.
type Network int

const (
	// NoNetwork allows no socket that leads outside.
	NoNetwork Network = iota
	// TCPPorts allows TCP connections to Rules.Ports, which needs Linux 6.7.
	// The kernel does not look at the address: what must not leave the machine
	// needs a network namespace.
	TCPPorts
	// OwnNetwork allows Internet sockets, and no Unix ones: it is for a process
	// that already has its own network namespace.
	OwnNetwork
	// OpenNetwork allows every socket that has a file or an address. From Linux
	// 6.12 on, abstract Unix sockets outside are not reached.
	OpenNetwork
)

// Versions of Landlock, as [ABI] returns them.
const (
	LeastABI    = 3 // Linux 6.2, the first one that restricts truncate
	abiOfTCP    = 4 // Linux 6.7
	ABIOfScopes = 6 // Linux 6.12, the first one that restricts signals and Unix sockets without a file
)

// Check reports why r cannot be enforced on this machine; nil: it can be.
func Check(r Rules) error { return Start(r, func() error { return nil }) }

// Supported reports why this machine cannot enforce the zero [Rules]; nil: it
// can. The answer of the first call is kept.
var Supported = sync.OnceValue(func() error { return Check(Rules{}) })

// UnconfinedVar is a variable of the environment. If it is set, what is tested runs as
// on a machine that cannot confine it.
const UnconfinedVar = "MINIGEM_TEST_UNCONFINED"

// Enclose is [Open] for what is tested: calls that a hook was meant to refuse. If it
// fails, they are answered with the error and not run, and what depends on them
// cannot be said. why is what [UnconfinedVar] says; if it is not empty, it fails.
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

// Failed returns "doing: err", wrapping err. It is fmt.Errorf without package fmt,
// which is not wanted where programs restrict themselves before they are initialized.
func Failed(doing string, err error) error { return failure{doing, err} }
