//go:build race

package thorough

// Race reports whether the race detector is on. Tests then take ten times as long, and
// use many times as much memory.
const Race = true
