package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func (h home) installedFrom(t *testing.T, name string) (from struct{ Source, Type, Ref string }) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(h.read(t, "../.gemini/extensions/"+name+"/.gemini-extension-install.json")), &from))
	return from
}

// TestExtensionOfARef: an extension that was installed from a tag, annotated or not, or
// from a branch, stays on it and follows it when it moves.
func TestExtensionOfARef(t *testing.T) {
	t.Parallel()
	g := startGitServer(t)
	version := func(v string) map[string]string {
		return map[string]string{"gemini-extension.json": `{"name": "small", "version": "` + v + `"}`}
	}
	address := g.commit("small", version("1.0.0"))
	dir := filepath.Join(g.root, "small")
	g.git(dir, "tag", "-a", "-m", "the first", "v1")
	g.git(dir, "tag", "light")
	g.commit("small", version("1.1.0"))
	for _, ref := range []string{"v1", "light"} {
		h := newHome(t, nil)
		h.minigem(t, "", "extensions", "install", address, "--ref", ref, "--consent")
		assert.Equal(t, struct{ Source, Type, Ref string }{address, "git", ref}, h.installedFrom(t, "small"))
		assert.Contains(t, h.minigem(t, "", "extensions", "list"), "small 1.0.0")
		assert.Contains(t, h.minigem(t, "", "extensions", "update", "small"), "it is up to date")
		g.git(dir, "tag", "-f", ref, "HEAD")
		assert.Contains(t, h.minigem(t, "", "extensions", "update", "small"), "1.0.0 -> 1.1.0")
	}
	h := newHome(t, nil)
	o := h.run(t, run{Args: []string{"extensions", "install", address, "--ref", "v9", "--consent"}, Env: fileStorage})
	assert.Equal(t, 1, o.Code)
	assert.Contains(t, o.Stderr, "v9")
	assert.NoDirExists(t, h.dir+"/.gemini/extensions/small")
}

// TestExtensionMoves: an extension that names another address is updated from there, now
// and later, once the user agrees.
func TestExtensionMoves(t *testing.T) {
	t.Parallel()
	g := startGitServer(t)
	there := g.commit("there", map[string]string{"gemini-extension.json": `{"name": "mover", "version": "2.0.0"}`, "GEMINI.md": "From there.\n"})
	here := g.commit("here", map[string]string{"gemini-extension.json": `{"name": "mover", "version": "1.0.0", "migratedTo": "` + there + `"}`})
	h := newHome(t, nil)
	h.minigem(t, "", "extensions", "install", here, "--consent")
	o := h.run(t, run{Args: []string{"extensions", "update", "mover"}, Env: fileStorage})
	assert.Equal(t, 1, o.Code)
	assert.Contains(t, o.Stdout, there, "it is said where it comes from now")
	assert.Equal(t, here, h.installedFrom(t, "mover").Source)
	assert.Contains(t, h.minigem(t, "y\n", "extensions", "update", "mover"), "1.0.0 -> 2.0.0")
	assert.Equal(t, there, h.installedFrom(t, "mover").Source)
	_, log := h.asked(t, "say Done.")
	assert.Contains(t, string(log[0].Body), "From there.")
	g.commit("there", map[string]string{"gemini-extension.json": `{"name": "mover", "version": "2.1.0"}`})
	assert.Contains(t, h.minigem(t, "", "extensions", "update", "mover"), "2.0.0 -> 2.1.0")
	entries, err := os.ReadDir(h.dir + "/.gemini/extensions")
	require.NoError(t, err)
	assert.Len(t, entries, 2, "the extension, and which are enabled")
}
