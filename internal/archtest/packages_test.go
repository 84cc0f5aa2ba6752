package archtest

import (
	"flag"
	"fmt"
	"go/doc"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write docs/PACKAGES.md")

// TestPackagesPage checks that docs/PACKAGES.md matches the package comments.
func TestPackagesPage(t *testing.T) {
	t.Parallel()
	page := filepath.Join(root(t), "docs", "PACKAGES.md")
	want := packagesPage(t)
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(want), 0o644))
	}
	have, err := os.ReadFile(page)
	require.NoError(t, err)
	assert.Equal(t, want, string(have), "go generate ./docs writes it anew")
}

func packagesPage(t *testing.T) string {
	comments := map[string]string{} // first sentences, by folder
	eachSource(t, func(s *source) {
		if s.file.Doc != nil && !strings.HasSuffix(s.path, "_test.go") {
			comments[s.dir] = new(doc.Package).Synopsis(s.file.Doc.Text())
		}
	})
	folders := map[string][]string{} // folders, by the first part of their name
	for dir := range load(t) {
		top, _, _ := strings.Cut(dir, "/")
		if comments[dir] == "" {
			assert.Contains(t, []string{"e2e", "internal/archtest"}, dir, "it has no package comment")
			continue
		}
		folders[top] = append(folders[top], dir)
	}
	var b strings.Builder
	b.WriteString("# Packages\n\n<!-- Generated from package comments by go generate ./docs. -->\n\n" +
		"[ARCHITECTURE.md](ARCHITECTURE.md) shows how they fit together.\n")
	for _, top := range []string{"cmd", "agent", "llm", "hooks", "tools", "session", "transcript", "compress", "notify",
		"e2e", "internal", "examples", "docs"} {
		fmt.Fprintf(&b, "\n## %s\n\n", top)
		slices.Sort(folders[top])
		for _, dir := range folders[top] {
			_, what, _ := strings.Cut(strings.TrimPrefix(comments[dir], "Package "), " ")
			if strings.HasPrefix(comments[dir], "Command ") {
				_, what, _ = strings.Cut(what, " ")
			}
			fmt.Fprintf(&b, "- [%s](../%s) %s\n", dir, dir, what)
		}
		delete(folders, top)
	}
	assert.Empty(t, folders, "a top folder that the page does not know")
	return b.String()
}
