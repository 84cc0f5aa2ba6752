package transcript

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzReadMeta checks that the first line of a session's file says the same as the
// whole file, or is an error that names the file.
func FuzzReadMeta(f *testing.F) {
	for _, text := range []string{`{"sessionId":"s","projectHash":"h","startTime":"2026-01-02T03:04:05Z"}` + "\n" + `{"$rewindTo":"a"}`, `{"sessionId":5}`, `null`, ``, "\n", `{"startTime":{},"kind":[]}` + "\n"} {
		f.Add([]byte(text))
	}
	path := filepath.Join(f.TempDir(), "s.jsonl")
	f.Fuzz(func(t *testing.T, data []byte) {
		require.NoError(t, os.WriteFile(path, data, 0o600))
		meta, err := ReadMeta(path)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		require.LessOrEqual(t, len(meta.SessionID), 3*len(data))
		again, err := ReadMeta(path)
		require.NoError(t, err)
		require.Equal(t, meta, again)
	})
}
