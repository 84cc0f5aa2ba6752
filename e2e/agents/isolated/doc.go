// Package isolated is the step between minigem and an agent under test on Linux: the first
// process of namespaces of their own, in which the only network is the loopback device and
// the only server the fake model. It hands the sockets on which it listens to minigem,
// starts the agent, waits for it, and reports what the agent left running. When it exits,
// the kernel ends all of that. It imports only the package that confines, and knows
// nothing of agents.
package isolated

import "time"

// Self and Name are the path and the first argument that start minigem as that process.
// The other arguments are the path of the socket on which minigem waits, the file that
// replaces /etc/resolv.conf, parts of command lines of processes that the agent is known
// to leave running (one a line), the rules for the agent as JSON, and the program with its
// arguments.
const (
	Self = "/proc/self/exe"
	Name = "minigem-isolated"
)

// Port is the fake model's port inside, on 127.0.0.1. Nothing else listens there.
const Port = 8089

// Hello is the message that the sockets are sent with.
const Hello = "sockets"

// Grace is how long processes that an agent started may take to exit after it.
const Grace = 2 * time.Second
