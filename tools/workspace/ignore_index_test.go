package workspace

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRulesAreFound checks that, of thousands of rules, only the few whose letters
// occur in a path are compared with it. It counts comparisons, however long they take.
func TestRulesAreFound(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"name%d", "*.e%d", "/top%d", "dir/f%d", "a%d/**", "**/b%d/x", "*mid%d*", "pre%d*", "[ab]c%d", "dir%d/", "!keep%d", `\#%d`, "q?%d"} {
		var file bytes.Buffer
		for i := range 5000 {
			fmt.Fprintf(&file, line+"\n", 10000+i)
		}
		s := newRuleSet(file.Bytes())
		require.Len(t, s.rules, 5000)
		compared := 0
		count := func(i int32) bool { compared++; return false }
		for i := range 1000 {
			name := fmt.Sprintf("file%d.go", i)
			s.names.last(name, -1, count)
			s.paths.last("src/deep/"+name, -1, count)
		}
		assert.LessOrEqual(t, compared, 5000, "%s: one in a thousand", line)
	}
}

// FuzzIgnore checks that, for any ignore file, the index finds the same rules as a
// search through all of them, that comments change nothing, and that the last matching
// line wins.
func FuzzIgnore(f *testing.F) {
	for _, seed := range [][2]string{
		{"*.log\n!a.log\n/x/**/y\ndist/\na\\ \n[!a]b*\n**/c\nd/**\n\\#e\n", "x/q/y"}, {"\ufeffa\r\n{b,c}\n[\n[]]\n[a\n*\\\n", "{b,c}"}, {"a**b\n?\n**\n/\n//\n!\n", "a/b"}, {"*a*b*c*\nab[c-\n", "xaxbxc"}, {"[[:alpha:]]z\n[^\\]]q\n", "az"}, {"**/**/x/**/*\n", "a/x/b"},
	} {
		f.Add([]byte(seed[0]), seed[1], true)
		f.Add([]byte(seed[0]), seed[1], false)
	}
	f.Fuzz(func(t *testing.T, data []byte, path string, isDir bool) {
		path = strings.Trim(path, "/")
		if path == "" || strings.Contains(path, "//") || len(path) > 200 || len(data) > 4000 {
			return
		}
		name := path[strings.LastIndexByte(path, '/')+1:]
		rules := parseRules(data)
		require.LessOrEqual(t, len(rules), bytes.Count(data, []byte("\n"))+1)
		plain := &ruleSet{rules: rules}
		fast := newRuleSet(append(append([]byte(nil), data...), strings.Repeat("\n\\#no path has this", fewRules+1)...))
		require.Equal(t, plain.judge(path, name, isDir), fast.judge(path, name, isDir), "%q", data)
		for line, want := range map[string]verdict{"\n*\n": ignored, "\n!*\n": kept, "\n# *\n": plain.judge(path, name, isDir)} {
			last := newRuleSet([]byte(string(data) + line))
			if last != nil {
				require.Equal(t, want, last.judge(path, name, isDir), "%q", data)
			}
		}
	})
}
