//go:build !race

package thorough

// Race: the race detector is on. Tests take ten times as long then, and memory is
// many times what it is without.
const Race = false
