package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/confine"
	"minigem/internal/exit"
)

// Attacking a guard that searches for the word makes a case of the spellings that got
// through, which fails until the guard is better.
func TestHooksAttack(t *testing.T) {
	t.Parallel()
	needsConfinement(t)
	w := guardedWorld(t)
	require.NoError(t, os.WriteFile(w.path("guard.sh"), []byte("case $(cat) in *hunter2hunter2*) echo no >&2; exit 2;; esac\n"), 0o700))
	untrusted := w.run("hooks attack guard --text hunter2hunter2", "GEMINI_CLI_TRUST_WORKSPACE=false")
	assert.Equal(t, exit.Input, untrusted.code)
	assert.Contains(t, untrusted.err, "the hook guard does not run: ")

	got := w.run("hooks attack BeforeTool guard --text hunter2hunter2 --write tests/attack.txtar")
	assert.Equal(t, 1, got.code, got.err)
	assert.Regexp(t, `^guard held 3 of \d+ spellings of hunter2hunter2 \(\d%\)\n`, got.out)
	assert.Contains(t, got.out, "0 of 6 harmless look-alikes were refused\n")
	assert.Equal(t, 0, w.run("hooks attack guard --text hunter2hunter2 --min 3").code)
	assert.Contains(t, w.run("hooks attack guard --text hunter2hunter2 --json").out, `"held": false`)
	assert.Equal(t, got.out, w.run("hooks attack "+w.path("guard.sh")+" --text hunter2hunter2").out, "by its script")
	require.NoError(t, os.WriteFile(w.path("other.sh"), []byte("#!/bin/sh\nexit 2\n"), 0o600))
	assert.Contains(t, w.run("hooks attack "+w.path("other.sh")+" --text hunter2hunter2").err, "other.sh is not executable: chmod +x ")
	require.NoError(t, os.Chmod(w.path("other.sh"), 0o700))
	assert.Regexp(t, `other.sh held (\d+) of (\d+) spellings`, w.run("hooks attack "+w.path("other.sh")+" --text hunter2hunter2").out)
	assert.Contains(t, w.run("hooks test "+w.path("tests")).out, "decision=deny times=")
	require.NoError(t, os.WriteFile(w.path("guard.sh"), []byte("echo no >&2; exit 2\n"), 0o700))
	better := w.run("hooks test " + w.path("tests"))
	assert.Equal(t, 0, better.code, better.out)

	require.NoError(t, os.WriteFile(w.path(".gemini/settings.json"), []byte(`{"hooks": {"BeforeTool": [{"matcher": "web_fetch", "hooks": [{"type": "command", "name": "guard", "command": "./guard.sh"}]}]}}`), 0o600))
	elsewhere := w.run("hooks attack guard --command env")
	assert.Equal(t, exit.Input, elsewhere.code, elsewhere.out)
	assert.Regexp(t, `guard never runs for this attack: it runs for web_fetch.*try --url`, elsewhere.err)

	require.NoError(t, os.WriteFile(w.path(".gemini/settings.json"), []byte(`{"hooks": {"BeforeTool": [{"matcher": "write_file|replace", "hooks": [{"type": "command", "name": "guard", "command": "./guard.sh"}]}]}}`), 0o600))
	assert.Contains(t, w.run("hooks attack guard --path migrations/a.sql").err, "try --text if it guards what is written, or a case if it guards where: write PATH TEXT in -- model --, and ! tool-ran write")

	for _, args := range []string{"hooks attack", "hooks attack guard", "hooks attack guard --text a --path b", "hooks attack guard --command a|b", "hooks attack guard --url example.com", "hooks attack Nowhere guard --text a", "hooks attack gard --text a", "hooks attack guard --text a --min 200"} {
		assert.Equal(t, exit.Input, w.run(args).code, args)
	}
}

func needsConfinement(t *testing.T) {
	t.Helper()
	if err := confine.Supported(); err != nil {
		t.Skip(err)
	}
}

// TestNothingIsTriedUnconfined checks that, if the kernel cannot confine hooks, they
// are not run on what they should refuse, and nothing passes.
func TestNothingIsTriedUnconfined(t *testing.T) {
	t.Parallel()
	w := guardedWorld(t)
	require.NoError(t, os.WriteFile(w.path("guard.sh"), []byte("#!/bin/sh\ntouch ran\necho no >&2; exit 2\n"), 0o700))
	require.NoError(t, os.WriteFile(w.path("s.jsonl"), []byte(claudeSession), 0o600))
	const why = "not run: this machine cannot confine it (a test says so)"
	for _, line := range []string{"attack guard --text hunter2", "torture guard", "replay s.jsonl"} {
		got := w.run("hooks "+line, confine.UnconfinedVar+"=a test says so")
		assert.Equal(t, said{"", "minigem: the hook was " + why + "\n", exit.Failed}, got, line)
		assert.NoFileExists(t, w.path("ran"), line)
	}
	require.NoError(t, os.WriteFile(w.path("holds.txtar"), []byte("use .gemini\nuse guard.sh\nprompt x\n"+
		"holds guard 'git push --force'\n-- model --\ntext Hi.\n"), 0o600))
	got := w.run("hooks test "+w.path("holds.txtar"), confine.UnconfinedVar+"=a test says so")
	assert.Equal(t, exit.Failed, got.code, "what depends on it is not green")
	assert.Contains(t, got.out+got.err, "the hook was not attacked: this machine cannot confine it (a test says so)")
}
