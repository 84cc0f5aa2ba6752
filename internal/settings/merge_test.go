package settings

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks/jsonc"
)

func tree(t testing.TB, text string) *node {
	t.Helper()
	n, err := (&reader{}).parse([]byte(text))
	require.NoError(t, err)
	return n
}

func TestMergeFollowsTheStrategyOfEachKey(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ low, high, want string }{
		// Objects key by key, all else replaced
		{`{"a":{"x":1,"y":2}}`, `{"a":{"y":3,"z":4}}`, `{"a":{"x":1,"y":3,"z":4}}`},
		{`{"tools":{"allowed":["a"]}}`, `{"tools":{"allowed":["b"]}}`, `{"tools":{"allowed":["b"]}}`},
		{`{"a":[1]}`, `{"a":{"x":1}}`, `{"a":{"x":1}}`},
		{`{"a":1}`, `{}`, `{"a":1}`},
		// United, each once
		{`{"tools":{"exclude":["a","b"]}}`, `{"tools":{"exclude":["b","c"]}}`, `{"tools":{"exclude":["a","b","c"]}}`},
		{`{"hooksConfig":{"disabled":["a"]}}`, `{"hooksConfig":{"disabled":["b"]}}`, `{"hooksConfig":{"disabled":["a","b"]}}`},
		{`{"mcp":{"excluded":["a"]}}`, `{"mcp":{"excluded":["b"]}}`, `{"mcp":{"excluded":["a","b"]}}`},
		{`{"policyPaths":["a"]}`, `{"policyPaths":["a"]}`, `{"policyPaths":["a"]}`},
		// What both allow
		{`{"mcp":{"allowed":["a","b"]}}`, `{"mcp":{"allowed":["b","c"]}}`, `{"mcp":{"allowed":["b"]}}`},
		{`{}`, `{"mcp":{"allowed":["b"]}}`, `{"mcp":{"allowed":["b"]}}`},
		// Joined, twice the same twice
		{`{"context":{"includeDirectories":["a"]}}`, `{"context":{"includeDirectories":["a"]}}`, `{"context":{"includeDirectories":["a","a"]}}`},
		{`{"hooks":{"BeforeTool":[{"m":1}]}}`, `{"hooks":{"BeforeTool":[{"m":1}],"AfterTool":[2]}}`, `{"hooks":{"BeforeTool":[{"m":1},{"m":1}],"AfterTool":[2]}}`},
		// Servers as a whole
		{`{"mcpServers":{"a":{"command":"x","env":{"K":"1"}},"b":{}}}`, `{"mcpServers":{"a":{"url":"u"}}}`, `{"mcpServers":{"a":{"url":"u"},"b":{}}}`},
	} {
		low, high := tree(t, c.low), tree(t, c.high)
		assert.JSONEq(t, c.want, string(merge(low, high).json()), "%s + %s", c.low, c.high)
		assert.JSONEq(t, c.low, string(low.json()), "the lower tree is left alone")
		assert.JSONEq(t, c.high, string(high.json()), "the higher tree is left alone")
	}
}

func TestExpand(t *testing.T) {
	t.Parallel()
	env := map[string]string{"A": "1", "EMPTY": "", "Q": `a"b\`, "NESTED": "$A", "_x9": "u"}
	lookup := func(k string) (string, bool) { v, ok := env[k]; return v, ok }
	for _, c := range []struct{ in, want string }{
		{"$A", "1"}, {"${A}", "1"}, {"x$A.y", "x1.y"}, {"$A$A", "11"}, {"${A:-2}", "1"}, {"$_x9", "u"},
		// Not set: as written, or the default
		{"$NO", "$NO"}, {"${NO}", "${NO}"}, {"$AB", "$AB"}, {"${NO:-d}", "d"}, {"${NO:-}", ""}, {"${NO:-a b/c:d}", "a b/c:d"},
		// Set but empty
		{"$EMPTY", ""}, {"${EMPTY:-d}", "d"},
		// No reference
		{"$", "$"}, {"$$", "$$"}, {"${", "${"}, {"${}", "${}"}, {"${A", "${A"}, {"$1", "$1"}, {"${A B}", "${A B}"}, {"cost: 5$", "cost: 5$"}, {"$(A)", "$(A)"},
		// Once only
		{"$NESTED", "$A"}, {"${NO:-$A}", "$A"},
	} {
		assert.Equal(t, c.want, Expand(c.in, lookup), c.in)
	}

	n := tree(t, `{"$A":"$A","list":["$Q"],"n":1,"hooks":{"E":[{"command":"$A"}]},"deep":{"hooks":"$A"}}`)
	expand(n, lookup)
	assert.JSONEq(t, `{"$A":"1","list":["a\"b\\"],"n":1,"hooks":{"E":[{"command":"$A"}]},"deep":{"hooks":"1"}}`, string(n.json()))
}

func TestHooksReachTheirReaderUntouched(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.env["SECRET"] = "s3cret"
	const text = "{\n  \"hooks\": {\"BeforeTool\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"echo $SECRET ${SECRET:-x}\"}]}]}\n}"
	m.write(t, LayerUser, text)
	m.write(t, LayerWorkspace, text)
	l := m.load(t)
	assert.Equal(t, text, string(l.Files[1].Data))
	assert.NotContains(t, string(l.Settings.Hooks["BeforeTool"]), "s3cret")
	var list []any
	require.NoError(t, json.Unmarshal(l.Settings.Hooks["BeforeTool"], &list))
	assert.Len(t, list, 2, "the user's and the workspace's")
}

// FuzzMerge merges two arbitrary files.
func FuzzMerge(f *testing.F) {
	for _, seed := range [][2]string{
		{`{}`, `{}`},
		{`{"tools":{"exclude":["a"]}}`, `{"tools":{"exclude":["b"],"core":[]}}`},
		{`{"mcpServers":{"s":{"env":{"A":"$B"}}}}`, `{"mcpServers":{"s":{"url":"u"}}}`},
		{`{"hooks":{"E":[1]}}`, `{"hooks":{"E":{"a":2}}}`},
		{`{"TOOLS":5,"tools":null,"general":{"disableAutoUpdate":true}}`, `{"experimental":{"cliHelpAgentSettings":{"enabled":0}},"agents":7}`},
		{"\xef\xbb\xbf{//c\n\"a\":\"\\ud800\",}", `{"context":{"fileName":"x"}}`},
		{`{"a":`, `[1]`},
	} {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
	standard := defaults()
	before := string(standard.json())
	f.Fuzz(func(t *testing.T, low, high []byte) {
		l := &Loaded{}
		var trees []*node
		for _, data := range [][]byte{low, high} {
			n, err := l.digest(&File{Layer: LayerUser, Path: "/f", Data: data}, func(k string) (string, bool) { return k, len(k) == 1 })
			if err != nil {
				var syntax *jsonc.SyntaxError
				require.ErrorAs(t, err, &syntax)
				require.Positive(t, syntax.Line)
				return
			}
			trees = append(trees, n)
		}
		merged := mergeTrees(trees)
		_, err := decode(merged)
		require.NoError(t, err, "what the checker passes is decoded")
		require.True(t, json.Valid(merged.json()))
		require.Equal(t, before, string(standard.json()), "the defaults are left alone")
		again := mergeTrees([]*node{trees[0], trees[1], {kind: object}})
		require.Equal(t, string(merged.json()), string(again.json()), "an empty layer changes nothing")
		l.tree = merged
		for _, e := range l.Entries() {
			require.True(t, json.Valid(e.Value), e.Key)
		}
	})
}

// large returns the ways in which a settings file can be large. Each makes a file of n
// items.
func large() map[string]func(n int) string {
	many := func(n int, item string) string { return strings.TrimSuffix(strings.Repeat(item+",", n), ",") }
	numbered := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format+",", i)
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	return map[string]func(n int) string{
		"keys":      func(n int) string { return "{" + numbered(n, `"k%d":1`) + "}" },
		"one key":   func(n int) string { return "{" + many(n, `"k":1`) + "}" },
		"union":     func(n int) string { return `{"tools":{"exclude":[` + numbered(n, `"t%d"`) + "]}}" },
		"intersect": func(n int) string { return `{"mcp":{"allowed":[` + numbered(n, `"t%d"`) + "]}}" },
		"hooks":     func(n int) string { return `{"hooks":{"BeforeTool":[` + many(n, "{}") + "]}}" },
		"servers":   func(n int) string { return `{"mcpServers":{` + numbered(n, `"s%d":{}`) + "}}" },
		"variables": func(n int) string { return `{"ui":{"theme":"` + strings.Repeat("${a:-", n) + `"}}` },
	}
}

// digestTwice reads a file and merges it with itself.
func digestTwice(t testing.TB, data string) {
	l := &Loaded{}
	tree, err := l.digest(&File{Data: []byte(data)}, func(string) (string, bool) { return "", false })
	require.NoError(t, err)
	mergeTrees([]*node{tree, tree})
}

// TestMemoryIsLinear checks that eight times the input allocates about eight times as
// much, including garbage, rather than 64 times. BenchmarkLarge shows the time.
func TestMemoryIsLinear(t *testing.T) {
	for name, make := range large() { // not parallel: others allocate too
		cost := func(n int) uint64 {
			var before, after runtime.MemStats
			data := make(n)
			runtime.ReadMemStats(&before)
			digestTwice(t, data)
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc
		}
		small, large := cost(1200), cost(9600)
		assert.Less(t, large, 20*small, name)
	}
}

// BenchmarkLarge shows that the time per item is the same in a file eight times as
// large.
func BenchmarkLarge(b *testing.B) {
	for name, make := range large() {
		for _, n := range []int{1200, 9600} {
			data := make(n)
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				for b.Loop() {
					digestTwice(b, data)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/item")
			})
		}
	}
}

// The warnings about one file fit on a screen.
func TestWarningsAreCounted(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{1: "", 20: "", 21: "", 22: "and 2 more warnings about this file, from here on", 500: "and 480 more warnings about this file, from here on"} {
		text := "{" + strings.Repeat("\n\"ui\": {},", n) + "\n\"ui\": {}}"
		l := &Loaded{}
		_, err := l.digest(&File{Path: "/f", Data: []byte(text)}, func(string) (string, bool) { return "", false })
		require.NoError(t, err)
		require.Len(t, l.Warnings, min(n, 21), n)
		last := l.Warnings[len(l.Warnings)-1]
		assert.Equal(t, min(n, 21)+2, last.Origin.Line, "%d: %v", n, last)
		if want != "" {
			assert.Equal(t, want, last.Text)
		}
	}
}
