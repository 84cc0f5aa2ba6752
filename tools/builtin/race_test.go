//go:build race

package builtin

// raceDetector: the tests run ten times slower.
const raceDetector = true
