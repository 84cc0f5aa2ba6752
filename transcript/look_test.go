package transcript

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A large file of another kind is refused before it is loaded. A large session is read,
// even with broken lines.
func TestLargeFilesOfAnotherKind(t *testing.T) {
	t.Parallel()
	const meta = `{"sessionId":"s","projectHash":"h","startTime":"2026-01-02T03:04:05Z"}` + "\n"
	long := strings.Repeat("x", 9<<20)
	message := func(text string) string { return `{"id":"1","type":"user","content":[{"text":"` + text + `"}]}` }
	for name, c := range map[string]struct {
		text string
		ok   bool
	}{
		"zeros":                       {strings.Repeat("\x00", 9<<20), false},
		"zeros after a session":       {meta + message("a") + "\n" + strings.Repeat("\x00", 9<<20), false},
		"lines of text":               {meta + strings.Repeat("a line of text\n", 1<<20), false},
		"a record without end":        {meta + message("a") + "\n" + `{"id":"2","type":"user","content":"` + long, false},
		"a large message":             {meta + message(long) + "\n", true},
		"a large message, at its end": {meta + message(long), true},
		"many messages":               {meta + strings.Repeat(message(long[:1000])+"\n", 10_000), true},
		"with a broken line": {meta + message(long) + "\n" + strings.Repeat("\x00", 1<<20) + "\n" + message("b") +
			"\n", true},
		"the older form":         {"{\n  \"sessionId\": \"s\",\n  \"messages\": [\n" + message(long) + "\n]\n}\n", true},
		"the older form, broken": {"{\n  \"sessionId\": \"s\",\n  \"messages\": [\n" + message(long) + "\n", true},
	} {
		path := filepath.Join(t.TempDir(), "s.jsonl")
		require.NoError(t, os.WriteFile(path, []byte(c.text), 0o600))
		f, err := os.Open(path)
		require.NoError(t, err)
		err = checkFormat(f, int64(len(c.text)))
		assert.Equal(t, c.ok, err == nil, "%s: %v", name, err)
		require.NoError(t, f.Close())
		_, err = Read(path)
		assert.Equal(t, c.ok, err == nil, "%s: %v", name, err)
	}
}
