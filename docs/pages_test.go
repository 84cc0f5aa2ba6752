package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	maxLines = 300 // of a page
	maxWidth = 120 // of a line of prose
)

// generatedPages may be longer than maxLines, because a page from a table is searched,
// not read from the top.
var generatedPages = map[string]string{
	"EVENTS.md":   "the tables of each event come from the types of hooks/protocol",
	"LINT.md":     "hooks/author/lint writes it from its rules",
	"PROMISES.md": "docs/promises has its text",
}

// wideText lists the pages whose prose comes from strings that are not wrapped.
var wideText = map[string]string{
	"LINT.md":     "what rules say",
	"PACKAGES.md": "package comments, each in one line",
	"PROMISES.md": "promises, each in one line",
}

// allPages returns the documentation's files, relative to this folder.
func allPages(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob("*.md")
	require.NoError(t, err)
	return append(pages, "../README.md", "../CONTRIBUTING.md", "../examples/README.md")
}

// TestPagesAreShort limits the length of pages and the width of lines.
func TestPagesAreShort(t *testing.T) {
	t.Parallel()
	long, wide := map[string]bool{}, map[string]bool{}
	for _, name := range allPages(t) {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		if n := strings.Count(string(data), "\n"); n > maxLines {
			long[name] = true
			assert.Contains(t, generatedPages, name, "%s has %d lines: split it by subject", name, n)
		}
		for at, line := range prose(string(data)) {
			if utf8.RuneCountInString(line) > maxWidth {
				wide[name] = true
				assert.Contains(t, wideText, name, "%s:%d is wider than %d characters: %s", name, at+1, maxWidth, line)
			}
		}
	}
	for name := range generatedPages {
		assert.True(t, long[name], "%s is short now: take it out of generatedPages", name)
	}
	for name := range wideText {
		assert.True(t, wide[name], "%s has no wide lines now: take it out of wideText", name)
	}
}

// prose yields the lines of a page that are neither code nor table, by their index.
func prose(page string) map[int]string {
	lines := map[int]string{}
	code := false
	for i, line := range strings.Split(page, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
			continue
		}
		if !code && !strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "    ") {
			lines[i] = line
		}
	}
	return lines
}

var (
	anchored = regexp.MustCompile(`\]\(([^)#\s]*)#([^)\s]+)\)`)
	noAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestPagesLinkToHeadings checks the second half of links such as
// HOOKS.md#the-first-hook; archtest checks the first.
func TestPagesLinkToHeadings(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, name := range allPages(t) {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, m := range anchored.FindAllStringSubmatch(string(data), -1) {
			target, anchor := m[1], m[2]
			if strings.Contains(target, "://") || target != "" && !strings.HasSuffix(target, ".md") {
				continue
			}
			page := name
			if target != "" {
				page = filepath.Join(filepath.Dir(name), target)
			}
			linked, err := os.ReadFile(page)
			require.NoError(t, err, "%s links to %s", name, target)
			assert.Contains(t, headings(string(linked)), anchor, "%s links to a heading that %s does not have", name, page)
			seen++
		}
	}
	assert.Greater(t, seen, 30)
}

// headings returns the anchors of a page, as GitHub makes them.
func headings(page string) []string {
	var all []string
	code := false
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		_, title, isHeading := strings.Cut(strings.TrimSpace(line), "# ")
		if code || !isHeading || !strings.HasPrefix(line, "#") {
			continue
		}
		all = append(all, strings.ReplaceAll(noAnchor.ReplaceAllString(strings.ToLower(title), ""), " ", "-"))
	}
	return all
}

var mention = regexp.MustCompile(`\bdocs/([A-Z_]{3,}\.md)`)

// TestCodeNamesPages checks that every page named in code, help and comments exists.
func TestCodeNamesPages(t *testing.T) {
	t.Parallel()
	seen := 0
	err := filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		data, err := os.ReadFile(path)
		for _, m := range mention.FindAllStringSubmatch(string(data), -1) {
			assert.FileExists(t, m[1], "%s names it", path)
			seen++
		}
		return err
	})
	require.NoError(t, err)
	assert.Greater(t, seen, 20)
}

// TestIndexNamesEveryPage checks that docs/README.md leads to each page.
func TestIndexNamesEveryPage(t *testing.T) {
	t.Parallel()
	index, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for _, name := range allPages(t) {
		if filepath.Base(name) == name && name != "README.md" {
			assert.Contains(t, string(index), "("+name, "docs/README.md does not name %s", name)
		}
	}
}
