package main

import (
	"minigem/internal/app"
	"minigem/internal/boundedfile"
	"minigem/internal/exit"
)

// readInput reads a file that the user named; - is stdin.
func readInput(sys *app.System, path string) ([]byte, error) {
	if path == "-" {
		data, err := boundedfile.ReadAll(sys.Stdin, "stdin", boundedfile.Kept)
		if err != nil {
			return nil, exit.Errorf(exit.Input, "reading stdin: %w", err)
		}
		return data, nil
	}
	data, err := boundedfile.ReadNamed(app.Absolute(sys, path), boundedfile.Kept)
	if err != nil {
		return nil, exit.Errorf(exit.Input, "reading the input: %w", err)
	}
	return data, nil
}
