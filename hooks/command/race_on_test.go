//go:build race

package command_test

// raceDetector: memory is many times what it is without.
const raceDetector = true
