package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNothingPrintsTheSecretsOfAWebhook checks that every command that shows hooks hides
// the values of an http hook's query and headers, also without a name, and that stored
// data about it has none of them.
func TestNothingPrintsTheSecretsOfAWebhook(t *testing.T) {
	t.Parallel()
	hook := `{"hooks": {"BeforeTool": [{"hooks": [{"type": "http", "url": "http://127.0.0.1:1/x?token=s3cr3t&s3cr3t",
  "headers": {"Authorization": "Bearer s3cr3t"}}]}], "AfterAgent": [{"hooks": [{"type": "http", "name": "told", "url": "https://me:s3cr3t@hooks.example/"}]}]}}`
	for _, place := range []string{".gemini/settings.json", "~/.gemini/settings.json"} {
		w := newHookWorld(t, map[string]string{place: hook, "model.responses": writesOnce})
		for _, command := range []string{
			"hooks list", "hooks list --json", "hooks explain", "hooks explain --json", "hooks explain BeforeTool", "hooks lint", "hooks lint --format json", "hooks lint --for claude",
			"hooks fire BeforeTool", "hooks fire BeforeTool --json", "hooks fire BeforeTool --for all", "trust", "trust --status", "hooks migrate --to claude",
			"--yolo --debug --fake-responses " + w.path("model.responses") + " --hook-trace " + w.path("trace.jsonl") + " -p write",
			"--yolo --fake-responses " + w.path("model.responses") + " --hook-trace " + w.path("trace.html") + " -p write",
		} {
			got := w.run(command)
			assert.NotContains(t, got.out+got.err, "s3cr3t", command)
		}
		assert.Contains(t, w.read("trace.jsonl"), "http://127.0.0.1:1/x?token=***&***")
		var read int
		look := func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Base(path) == "settings.json" {
				return err
			}
			data, err := os.ReadFile(path)
			read++
			assert.NotContains(t, string(data), "s3cr3t", path)
			return err
		}
		require.NoError(t, filepath.WalkDir(w.project, look))
		require.NoError(t, filepath.WalkDir(w.home, look))
		assert.Greater(t, read, 3)
	}
}
