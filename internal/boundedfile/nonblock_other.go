//go:build !unix

package boundedfile

// nonblock is for named pipes, which do not appear among files on this system.
const nonblock = 0
