package text

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	words := []string{"systemMessage", "tool_input", "deny", "allow", "read_file", "allowedFunctionNames", "BeforeToolSelection", "BeforeTool", "rewind", "resume", "settings"}
	for typed, want := range map[string]string{
		"sytemMessage": "systemMessage", "system_message": "systemMessage", "toolInput": "tool_input", "DENY": "deny", "dney": "deny",
		"alow": "allow", "allowedFunctions": "allowedFunctionNames", "readfile": "read_file", "beforetol": "BeforeTool", "rew": "rewind",
		"setings": "settings", "BeforeTools": "BeforeTool", "": "", "x": "", "reject": "", "somethingElse": "", strings.Repeat("deny", 20): "",
	} {
		assert.Equal(t, want, Nearest(typed, words), "%q", typed)
	}
	assert.Equal(t, "ab1", Nearest("abx", []string{"ab1", "ab2"}), "the first of two that are as near")
	assert.Empty(t, Nearest("a", nil))
	assert.Equal(t, `; did you mean "deny"?`, DidYouMean("deny"))
	assert.Empty(t, DidYouMean(""))
}

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"", "ab", 2}, {"kitten", "sitting", 3}, {"ab", "ba", 1}, {"deny", "dney", 1}, {"ca", "abc", 3}} {
		assert.Equal(t, c.want, Distance(c.a, c.b), "%q %q", c.a, c.b)
		assert.Equal(t, c.want, Distance(c.b, c.a), "%q %q", c.b, c.a)
	}
}

func TestPlural(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]struct {
		n    int
		noun string
	}{
		"0 hooks": {0, "hook"}, "1 hook": {1, "hook"}, "2 hooks": {2, "hook"}, "1 match": {1, "match"}, "2 matches": {2, "match"},
		"2 retries": {2, "retry"}, "2 days": {2, "day"}, "1 retry": {1, "retry"},
	} {
		assert.Equal(t, want, Plural(c.n, c.noun))
	}
}

func TestInside(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		dir, path, rel string
		inside         bool
	}{
		{"/a", "/a", ".", true}, {"/a", "/a/b", "b", true}, {"/a", "/a/b/../c", "c", true}, {"/", "/x", "x", true}, {"a", "a/b", "b", true},
		{"/a", "/ab", "", false}, {"/a", "/", "", false}, {"/a", "/a/..", "", false}, {"/a", "/a/../b", "", false}, {"/a", "b", "", false}, {"a", "/a", "", false},
		{"/a", "/a/..b", "..b", true},
	} {
		rel, ok := Below(filepath.FromSlash(c.dir), filepath.FromSlash(c.path))
		assert.Equal(t, c.inside, ok, "%s in %s", c.path, c.dir)
		assert.Equal(t, c.rel, filepath.ToSlash(rel), "%s in %s", c.path, c.dir)
		assert.Equal(t, c.inside, Inside(filepath.FromSlash(c.dir), filepath.FromSlash(c.path)))
	}
}
