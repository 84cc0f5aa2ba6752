// Package confined is the second half of the sandbox on Linux: minigem starts
// itself once more under another name, and what starts so holds itself back and
// becomes the command. It happens while packages are initialized, before most of
// minigem is, because a command waits for it; so this package imports nothing
// but system calls. It ends the process with 126 and a line on standard error
// where anything fails: a command runs confined or not at all.
package confined

// A process that was started from Self, with Name as its first argument, confines
// itself and becomes a command. The other arguments are steps, "--", the path of
// the command and its arguments. Each variable of the command's environment has an
// underscore before its name, so that none of them has a meaning before.
const (
	Self = "/proc/self/exe" // minigem, even where its file was replaced meanwhile
	Name = "minigem-confined"
)

// The steps, each one letter and, where it has one, a path without links.
const (
	Mounts    = 'm' // the process has namespaces of its own for users and mounts
	NoNetwork = 'n' // and for the network, where it has any
	Writable  = 'w' // what lies at and below the path may be changed
	Kept      = 'k' // but not what lies at and below this one
	Pinned    = 'p' // a directory between the two, which stays where it is
)
