// Package headless runs one prompt without a terminal ([Run]): it writes the output, as
// text, as JSON or as a stream of JSON, and decides the exit code.
package headless
