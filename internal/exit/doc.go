// Package exit defines the exit codes of minigem, which are those of Gemini
// CLI, and the error that carries one.
package exit
