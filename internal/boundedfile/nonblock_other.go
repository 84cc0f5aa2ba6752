//go:build !unix

package boundedfile

// nonblock is for named pipes, which have no place among files here.
const nonblock = 0
