package archtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/thorough"
)

// TestAgentInItsOwnModule resolves the example outside this tree, with only the
// go.mod that docs/LIBRARY.md shows, so it cannot import anything that only this module
// may import. The example's own tests run in its folder. With MINIGEM_THOROUGH they
// also run here, which compiles all of its imports again.
func TestAgentInItsOwnModule(t *testing.T) {
	t.Parallel()
	top, dir := root(t), t.TempDir()
	for _, name := range []string{"main.go", "main_test.go"} {
		copyFile(t, filepath.Join(top, "examples", "agent", name), filepath.Join(dir, name))
	}
	copyFile(t, filepath.Join(top, "go.sum"), filepath.Join(dir, "go.sum"))
	mod, err := os.ReadFile(filepath.Join(top, "go.mod"))
	require.NoError(t, err)
	own := regexp.MustCompile(`(?m)^module .*$`).ReplaceAllString(string(mod), "module example.com/own")
	own += "\nrequire minigem v0.0.0\n\nreplace minigem => " + top + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(own), 0o644))

	goCommand := func(args ...string) string {
		command := exec.Command("go", args...)
		command.Dir = dir
		command.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=", "GOWORK=off")
		out, err := command.CombinedOutput()
		require.NoError(t, err, string(out))
		return string(out)
	}
	assert.Contains(t, goCommand("list", "-mod=mod", "-deps", "-test", "./..."), "minigem/agent\n")
	if thorough.Asked() {
		assert.Contains(t, goCommand("test", "-mod=mod", "-trimpath", "./..."), "example.com/own")
	}
}

// TestLibraryShowsTheExample checks that what docs/LIBRARY.md quotes is in the example,
// and that the example is as short as the page says.
func TestLibraryShowsTheExample(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root(t), "docs", "LIBRARY.md"))
	require.NoError(t, err)
	code, err := os.ReadFile(filepath.Join(root(t), "examples", "agent", "main.go"))
	require.NoError(t, err)
	assert.LessOrEqual(t, strings.Count(string(code), "\n"), 62)
	quoted := 0
	for _, block := range regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		for line := range strings.Lines(block[1]) {
			if line = strings.TrimSpace(line); line != "" && line != "..." {
				quoted++
				assert.Contains(t, string(code), line)
			}
		}
	}
	assert.Greater(t, quoted, 20)
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(to, data, 0o644))
}
