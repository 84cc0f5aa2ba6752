package acp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTelemetry checks that an editor's session writes the same telemetry as a run,
// under its own id, before the program ends.
func TestTelemetry(t *testing.T) {
	t.Parallel()
	outfile := filepath.Join(t.TempDir(), "telemetry.log")
	e := startEditor(t, `{"telemetry": {"enabled": true, "target": "local", "outfile": "`+filepath.ToSlash(outfile)+`"}}`, says("Hi."))
	id := e.session()
	e.prompt(id, "hello")
	require.NoError(t, e.hang())
	data, err := os.ReadFile(outfile)
	require.NoError(t, err)
	for _, want := range []string{
		`"event.name": "gemini_cli.config"`, `"event.name": "gemini_cli.user_prompt"`, `"prompt": "hello"`,
		`"event.name": "gemini_cli.api_response"`, `"session.id": "` + string(id) + `"`, `"scopeMetrics"`,
	} {
		assert.Contains(t, string(data), want)
	}
	assert.NotContains(t, strings.TrimSpace(string(data)), "}{")
}
