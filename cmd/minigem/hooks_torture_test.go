package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/exit"
)

// Torture finds a guard whose failure does not block, and its settings are fixed.
func TestHooksTorture(t *testing.T) {
	t.Parallel()
	needsConfinement(t)
	w := guardedWorld(t)
	require.NoError(t, os.WriteFile(w.path("guard.sh"), []byte("#!/bin/sh\ncase $(cat) in *x_unknown*) exit 1;; *.env*) echo no >&2; exit 2;; esac\n"), 0o700))
	const torture = "hooks torture guard --run unknown --set tool_input.file_path=.env"
	got := w.run(torture)
	assert.Equal(t, 1, got.code, got.err)
	assert.Contains(t, got.out, "guard refuses its payload undisturbed; 1 trial\n  fail-open      unknown arguments: exit status 1")
	assert.Contains(t, got.out, "\"onError\": \"block\" in .gemini/settings.json:4 (--fix)\n")
	assert.Contains(t, w.run(torture+" --json").out, `"class": "fail-open"`)
	fixed := w.run(torture + " --fix")
	assert.Equal(t, 1, fixed.code)
	assert.Contains(t, fixed.out, "\nAdded \"onError\": \"block\" in .gemini/settings.json:4\n")
	assert.Contains(t, w.read(".gemini/settings.json"), `"command": "./guard.sh", "onError": "block"}`)
	assert.Contains(t, w.read(".gemini/settings.json"), "// who guards")
	assert.NotContains(t, w.run(torture).out, "fail-open")
	assert.Contains(t, w.run("hooks torture guard --run twice").out, "allows its payload undisturbed; 1 trial\n  it survived all of them\n\nIt seems to refuse other payloads. Name one with --set")

	require.NoError(t, os.WriteFile(w.path("guard.sh"), []byte("#!/bin/sh\ncat >/dev/null\n"), 0o700))
	assert.Equal(t, said{"guard allows its payload undisturbed; 1 trial\n  it survived all of them\n", "", 0}, w.run("hooks torture guard --run twice"))
	for _, args := range []string{"hooks torture", "hooks torture nobody", "hooks torture guard --run (", "hooks torture guard --run nosuch", "hooks torture guard --set x", "hooks torture guard --tool glob"} {
		assert.Equal(t, exit.Input, w.run(args).code, args)
	}
}
