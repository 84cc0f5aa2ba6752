package archtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A citation is a page below docs, followed by what it refers to: numbers of sections
// or faults, a trap, or a heading in quotes. A bare reference to a section without a
// page counts as well, so that none is overlooked.
var (
	citation = regexp.MustCompile(`(?:[\w./-]*\b)?spec/([a-z-]+\.md)((?:,?\s+(?:and )?(?:\d+(?:\.\d+)?|T\d+|"[^"]+"))*)`)
	pageless = regexp.MustCompile(`\bcontract,? (?:sections? )?\d`)
	target   = regexp.MustCompile(`\d+(?:\.\d+)?|T\d+|"[^"]+"`)
	comment  = regexp.MustCompile(`\s*\n\s*(?://|#) ?`) // joins the lines of one comment
)

// TestCitations checks that what comments cite exists.
func TestCitations(t *testing.T) {
	t.Parallel()
	found := 0
	for path, text := range sources(t) {
		if !strings.Contains(text, "contract") && !strings.Contains(text, "spec/") {
			continue // most files: the expressions take their time
		}
		text = comment.ReplaceAllString(text, " ")
		assert.Empty(t, pageless.FindString(text), "%s cites a section without its page: write docs/spec/contract.md N", path)
		for _, c := range citation.FindAllStringSubmatch(text, -1) {
			found++
			assert.Empty(t, missing(t, c[0], c[1], c[2]), "%s cites %q", path, c[0])
		}
	}
	assert.Greater(t, found, 20, "the citations are found at all")
}

func TestCitationsThatLeadNowhere(t *testing.T) {
	t.Parallel()
	for _, cited := range []string{
		"spec/agent.md 2.1", "docs/spec/nothing.md", "docs/spec/contract.md 99", "docs/spec/faults.md T99", `docs/spec/faults.md, "No such heading"`,
	} {
		c := citation.FindStringSubmatch(cited)
		require.NotNil(t, c, cited)
		assert.NotEmpty(t, missing(t, c[0], c[1], c[2]), cited)
	}
}

// missing returns the part of a citation that does not exist, or "".
func missing(t *testing.T, cited, page, about string) string {
	t.Helper()
	if !strings.HasPrefix(cited, "docs/spec/") {
		return "docs/ in front of the page"
	}
	text, err := os.ReadFile(filepath.Join(root(t), "docs", "spec", page))
	if err != nil {
		return "the page"
	}
	for _, what := range target.FindAllString(about, -1) {
		name := regexp.QuoteMeta(strings.Trim(what, `"`))
		if !regexp.MustCompile(`(?m)^(#+ |\| )?` + name + `(\.? |$)`).Match(text) {
			return what
		}
	}
	return ""
}

// sources returns the files that may cite, with their text, except this test.
func sources(t *testing.T) map[string]string {
	t.Helper()
	texts, top := map[string]string{}, root(t)
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && d.Name() == ".git" {
				return filepath.SkipDir
			}
			return err
		}
		switch filepath.Ext(path) {
		case ".go", ".toml", ".txtar":
		default:
			return nil
		}
		if filepath.Base(path) == "citations_test.go" {
			return nil
		}
		data, err := os.ReadFile(path)
		texts[strings.TrimPrefix(path, top+string(filepath.Separator))] = string(data)
		return err
	})
	require.NoError(t, err)
	return texts
}
