package jsonc_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks/jsonc"
)

func TestParseErrorsNameThePlace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, data, want string }{
		{"missing value", "{\n  \"a\": ,\n}", "settings.json:2:8: "},
		{"unclosed", `{"a": [1, 2`, "settings.json:1:12: "},
		{"two values", "{}\n{}", "settings.json:2:1: "},
		{"bare word", "{\n\n a: 1}", "settings.json:3:2: "},
		{"UTF-16", "\xff\xfe{\x00}\x00", "settings.json:1:1: the file is UTF-16"},
		{"too many values", "{\"a\": [1\n" + strings.Repeat(",1", 100_000), "settings.json:2:39997: more than 20000 values"},
		{"brackets without end", strings.Repeat("[", 200_000), "settings.json:1:201: objects and lists nested more than 200 deep"},
	} {
		_, err := jsonc.Parse("settings.json", []byte(c.data))
		var syntax *jsonc.SyntaxError
		require.ErrorAs(t, err, &syntax, c.name)
		assert.True(t, strings.HasPrefix(err.Error(), c.want), "%s: %s", c.name, err)
	}
}

func TestBytesAreUnchanged(t *testing.T) {
	t.Parallel()
	for _, data := range []string{
		"{}", "{}\n", "\xef\xbb\xbf{\"a\": 1}\n", "// c\n{\r\n\t\"a\" : [ 1,2 , ], /* x */\r\n}\r\n// end", "[1]", "3",
		strings.Repeat("[", jsonc.MaxDepth) + strings.Repeat("]", jsonc.MaxDepth),
	} {
		doc, err := jsonc.Parse("f", []byte(data))
		require.NoError(t, err, data)
		assert.Equal(t, data, string(doc.Bytes()))
	}
}

func TestNodes(t *testing.T) {
	t.Parallel()
	doc, err := jsonc.Parse("f", []byte("// one\n{\n  \"a\": \"x\\u00e9\", // two\n  \"n\": 1.5,\n  \"list\": [\"p\",\n    2, \"q\"],\n  \"a\": true\n}"))
	require.NoError(t, err)
	root := doc.Root()
	assert.Equal(t, 2, root.Line())
	assert.True(t, root.Get("a").IsTrue(), "the last of two counts")
	assert.Equal(t, 7, root.Get("a").Line())
	assert.True(t, root.Members()[0].Shadowed)
	assert.Equal(t, "xé", root.Members()[0].Value.Text())
	f, ok := root.Get("n").Float()
	assert.True(t, ok)
	assert.Equal(t, 1.5, f)
	assert.Equal(t, []string{"p", "q"}, root.Get("list").Strings())
	assert.Equal(t, 6, root.Get("list").Elements()[2].Line())
	assert.False(t, root.Get("a", "b", "c").Exists())
	assert.Equal(t, `["p",2,"q"]`, strings.Join(strings.Fields(string(root.Get("list").Standard())), ""))
}

func TestWhatStrictReadersRefuse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		data           string
		comment, comma int
	}{
		{"{\"a\": \"//, /* */\",\n \"b\": [1, 2]}", 0, 0},
		{"{\n\"a\": 1, // b,\n\"c\": 2 /* d, */ }", 2, 0},
		{"{\n\"a\": [1,\n2,\n], }", 0, 3},
		{"/* one,\ntwo */ [1 // ,\n, ]", 1, 3},
		{"[] //", 1, 0},
		{"[/**/]", 1, 0},
	} {
		doc, err := jsonc.Parse("f", []byte(c.data))
		require.NoError(t, err)
		assert.Equal(t, []int{c.comment, c.comma}, []int{doc.Comment, doc.TrailingComma}, c.data)
	}
	doc, err := jsonc.Parse("f", []byte("\xef\xbb\xbf[]"))
	require.NoError(t, err)
	assert.True(t, doc.BOM)
}

func TestBadUTF8IsLocated(t *testing.T) {
	t.Parallel()
	doc, err := jsonc.Parse("f", []byte("{\n\"a\": \"x\xffy\"}"))
	require.NoError(t, err)
	assert.Equal(t, 2, doc.BadUTF8)
	assert.Equal(t, "x\uFFFDy", doc.Root().Get("a").Text())
}

func TestAppend(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, before, want string }{
		{"nothing there", "", "{\n  \"o\": {\n    \"l\": [\n      \"x\"\n    ]\n  }\n}\n"},
		{"empty object", "{}", "{\n  \"o\": {\n    \"l\": [\n      \"x\"\n    ]\n  }\n}"},
		{"beside others, tabs", "{\n\t\"a\": 1 // why\n}\n", "{\n\t\"a\": 1, // why\n\t\"o\": {\n\t\t\"l\": [\n\t\t\t\"x\"\n\t\t]\n\t}\n}\n"},
		{"one line", `{"o": {"l": ["a"]}}`, `{"o": {"l": ["a", "x"]}}`},
		{"empty array", "{\n  \"o\": {\"l\": []}\n}", "{\n  \"o\": {\"l\": [\n    \"x\"\n  ]}\n}"},
		{"trailing commas stay", "{\n  \"o\": {\n    \"l\": [\n      \"a\",\n    ],\n  },\n}", "{\n  \"o\": {\n    \"l\": [\n      \"a\",\n      \"x\",\n    ],\n  },\n}"},
		{"comment after the last", "{\"o\": {\"l\": [\n  \"a\" // slow\n]}}", "{\"o\": {\"l\": [\n  \"a\", // slow\n  \"x\"\n]}}"},
		{"comment in an empty one", "{\n  \"o\": {\n    // none yet\n  }\n}", "{\n  \"o\": {\n    // none yet\n    \"l\": [\n      \"x\"\n    ]\n  }\n}"},
		{"carriage returns", "{\r\n  \"a\": 1\r\n}\r\n", "{\r\n  \"a\": 1,\r\n  \"o\": {\r\n    \"l\": [\r\n      \"x\"\r\n    ]\r\n  }\r\n}\r\n"},
	} {
		doc, err := jsonc.Parse("f", []byte(c.before))
		require.NoError(t, err, c.name)
		require.NoError(t, doc.Append("x", "o", "l"), c.name)
		assert.Equal(t, c.want, string(doc.Bytes()), c.name)
		_, err = jsonc.Parse("f", doc.Bytes())
		assert.NoError(t, err, c.name)
	}
}

func TestAppendRefusesWhatIsInTheWay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ data, want string }{
		{`[1]`, "the file is an array: not an object"},
		{`{"o": "text"}`, "o is a string: not an object"},
		{`{"o": {"l": 3}}`, "o.l is a number, not an array"},
	} {
		doc, err := jsonc.Parse("f", []byte(c.data))
		require.NoError(t, err)
		assert.EqualError(t, doc.Append("x", "o", "l"), c.want)
	}
}

func TestSet(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, before string
		value        any
		want         string
	}{
		{"new", "{\n  \"a\": 1\n}", "v", "{\n  \"a\": 1,\n  \"o\": {\n    \"k\": \"v\"\n  }\n}"},
		{"replacing another", `{"o": {"k": [1, 2], /* c */ "z": 0}}`, true, `{"o": {"k": true, /* c */ "z": 0}}`},
		{"an object", "{\n  \"o\": {\n    \"k\": null // c\n  }\n}", map[string]int{"n": 1}, "{\n  \"o\": {\n    \"k\": {\n      \"n\": 1\n    } // c\n  }\n}"},
	} {
		doc, err := jsonc.Parse("f", []byte(c.before))
		require.NoError(t, err, c.name)
		require.NoError(t, doc.Set(c.value, "o", "k"), c.name)
		assert.Equal(t, c.want, string(doc.Bytes()), c.name)
	}
}

func TestRemoveStrings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, before, want string
		n                  int
	}{
		{"the only one", `{"l": ["x"]}`, `{"l": []}`, 1},
		{"first of a line", `{"l": ["x", "a"]}`, `{"l": ["a"]}`, 1},
		{"last of a line", `{"l": ["a", "x"]}`, `{"l": ["a"]}`, 1},
		{"twice", `{"l": ["x", "a", "x"]}`, `{"l": ["a"]}`, 2},
		{"a line of its own", "{\"l\": [\n  \"a\", // about a\n  \"x\", // about x\n  \"b\" // about b\n]}", "{\"l\": [\n  \"a\", // about a\n  \"b\" // about b\n]}", 1},
		{"the last line", "{\"l\": [\n  \"a\", // about a\n  \"x\"\n]}", "{\"l\": [\n  \"a\" // about a\n]}", 1},
		{"comment above stays", "{\"l\": [\n  // kept\n  \"x\",\n  \"b\"\n]}", "{\"l\": [\n  // kept\n  \"b\"\n]}", 1},
		{"trailing comma stays", "{\"l\": [\n  \"a\",\n  \"x\",\n]}", "{\"l\": [\n  \"a\",\n]}", 1},
		{"other types are left", `{"l": [1, "x"]}`, `{"l": [1]}`, 1},
		{"not there", `{"l": ["a"]}`, `{"l": ["a"]}`, 0},
		{"no array", `{"l": "x"}`, `{"l": "x"}`, 0},
	} {
		doc, err := jsonc.Parse("f", []byte(c.before))
		require.NoError(t, err, c.name)
		assert.Equal(t, c.n, doc.RemoveStrings(func(s string) bool { return s == "x" }, "l"), c.name)
		assert.Equal(t, c.want, string(doc.Bytes()), c.name)
	}
}
