package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLargeEdits: overwriting a file takes memory in proportion to its size, however many
// lines it has.
func TestLargeEdits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, sub := range []string{"home/.gemini", "project"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, sub), 0o700))
	}
	const size = 1 << 20
	file := filepath.Join(dir, "project", "lines.txt")
	require.NoError(t, os.WriteFile(file, []byte(strings.Repeat("\n", size)), 0o600))
	answers := home{dir: dir}.answersFile(t, `call write_file {"file_path": "lines.txt", "content": "`+strings.Repeat(`a\n`, size/2)+`"}`, "say Written.")
	out := runBounded(t, dir, "write_file", []int{0}, nil, append(answers, "--yolo", "-p", "write it")...)
	assert.Contains(t, out, "Written.")
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Len(t, data, size)
}
