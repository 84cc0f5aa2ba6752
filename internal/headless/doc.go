// Package headless writes the output of a run without a terminal, as text, as
// JSON or as a stream of JSON, and decides its exit code.
package headless
