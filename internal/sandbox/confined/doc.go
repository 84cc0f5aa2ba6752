// Package confined is the second half of the sandbox on Linux: minigem starts itself
// once more under another name, and that process restricts itself and becomes the
// command. It does so while packages are initialized, before most of minigem, because a
// command is waiting for it. That is why this package imports only system calls. If
// anything fails, it ends the process with exit code 126 and a line on standard error:
// a command runs confined or not at all.
package confined

// A process started from Self, with Name as its first argument, confines itself and
// becomes a command. The other arguments are steps, "--", the path of the command and
// its arguments. Each variable of the command's environment has an underscore before
// its name, so that none takes effect earlier.
const (
	Self = "/proc/self/exe" // minigem, even if its file was replaced meanwhile
	Name = "minigem-confined"
)

// The steps. Each is one letter, in some cases followed by a path without links.
const (
	Mounts    = 'm' // the process has its own user and mount namespaces
	NoNetwork = 'n' // it also has its own network namespace
	Writable  = 'w' // the path and everything below it may be changed
	Kept      = 'k' // except this path and everything below it
	Pinned    = 'p' // a directory between the two, which must not be renamed
)
