package main

import "context"

// runInteractive is the chat in the terminal.
func runInteractive(_ context.Context, _ *system, _ *flags) error {
	return exitf(exitInput, "there is no prompt: the chat is not built yet, so give one with -p (minigem --help has examples)")
}
