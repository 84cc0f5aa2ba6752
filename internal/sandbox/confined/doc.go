// Package confined is the second half of the sandbox on Linux: minigem starts
// itself once more under another name, and that process restricts itself and
// becomes the command. It does so while packages are initialized, before most
// of minigem, because a command waits for it; so this package imports nothing
// but system calls. If anything fails it ends the process with 126 and a line
// on standard error: a command runs confined or not at all.
package confined

// A process started from Self, with Name as its first argument, confines itself
// and becomes a command. The other arguments are steps, "--", the path of the
// command and its arguments. Each variable of the command's environment has an
// underscore before its name, so that none of them takes effect before.
const (
	Self = "/proc/self/exe" // minigem, even if its file was replaced meanwhile
	Name = "minigem-confined"
)

// The steps: one letter each, some with a path without links.
const (
	Mounts    = 'm' // the process has namespaces of its own for users and mounts
	NoNetwork = 'n' // and for the network, unless it is allowed
	Writable  = 'w' // the path and everything below it may be changed
	Kept      = 'k' // but not this path and what is below it
	Pinned    = 'p' // a directory between the two, which must not be renamed
)
