package jsonc_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks/jsonc"
)

func TestReplaceRenameRemove(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in string
		change   func(n jsonc.Node) bool
		want     string
	}{
		// values
		{"a number", "{\"a\": 3 /* s */, \"b\": 1}", func(n jsonc.Node) bool { return n.Get("a").Replace(3000.0) == nil }, "{\"a\": 3000 /* s */, \"b\": 1}"},
		{"a string", `{"a": "x"}`, func(n jsonc.Node) bool { return n.Get("a").Replace("<y>\n") == nil }, `{"a": "<y>\n"}`},
		{"another type", `{"a": "5"}`, func(n jsonc.Node) bool { return n.Get("a").Replace(5) == nil }, `{"a": 5}`},
		{"an object is not plain", `{"a": {}}`, func(n jsonc.Node) bool { return n.Get("a").Replace(5) != nil }, `{"a": {}}`},
		{"nothing is not plain", `{}`, func(n jsonc.Node) bool { return n.Get("a").Replace(5) != nil }, `{}`},
		{"an array is not a value", `{"a": 1}`, func(n jsonc.Node) bool { return n.Get("a").Replace([]int{}) != nil }, `{"a": 1}`},
		// names
		{"renamed", "{ // one\n  \"a\" /*x*/: 1, // two\n}", func(n jsonc.Node) bool { return n.Rename("a", "b") }, "{ // one\n  \"b\" /*x*/: 1, // two\n}"},
		{"the name is taken", `{"a": 1, "b": 2}`, func(n jsonc.Node) bool { return !n.Rename("a", "b") }, `{"a": 1, "b": 2}`},
		{"no such name", `{"a": 1}`, func(n jsonc.Node) bool { return !n.Rename("c", "b") }, `{"a": 1}`},
		// members
		{"the first", "{\n  \"a\": 1,\n  // of b\n  \"b\": 2\n}", func(n jsonc.Node) bool { return n.Remove("a") }, "{\n  // of b\n  \"b\": 2\n}"},
		{"the last", "{\n  \"a\": 1,\n  \"b\": 2\n}", func(n jsonc.Node) bool { return n.Remove("b") }, "{\n  \"a\": 1\n}"},
		{"the last with a comma", "{\n  \"a\": 1,\n  \"b\": 2,\n}", func(n jsonc.Node) bool { return n.Remove("b") }, "{\n  \"a\": 1,\n}"},
		{"the only one", `{"a": 1}`, func(n jsonc.Node) bool { return n.Remove("a") }, `{}`},
		{"on one line", `{"a": 1, "b": 2, "c": 3}`, func(n jsonc.Node) bool { return n.Remove("b") }, `{"a": 1, "c": 3}`},
		{"a comment above stays", "{\n  // about both\n  \"a\": 1,\n  \"b\": 2\n}", func(n jsonc.Node) bool { return n.Remove("a") }, "{\n  // about both\n  \"b\": 2\n}"},
		{"nothing", `[1]`, func(n jsonc.Node) bool { return !n.Remove("a") }, `[1]`},
	} {
		doc, err := jsonc.Parse("f", []byte(c.in))
		require.NoError(t, err, c.name)
		assert.True(t, c.change(doc.Root()), c.name)
		assert.Equal(t, c.want, string(doc.Bytes()), c.name)
	}
}
