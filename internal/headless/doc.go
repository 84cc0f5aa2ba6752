// Package headless is what a run without a terminal says, as text, as JSON or as
// a stream of JSON, and the exit code that its end has.
package headless
