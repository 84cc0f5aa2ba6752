package jsonc_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks/jsonc"
)

// FuzzEdits checks that, for any file, an edit changes only what it reports, and keeps
// every comment.
func FuzzEdits(f *testing.F) {
	for _, data := range []string{
		"{}", "", "{\"o\": {\"l\": [\"a\", \"x\", /* c */ \"x\" // d\n, ]},}", "{\r\n\t\"l\": 1 // e\r\n}", "{\"o\": {\"l\": [// f\n]/*g*/}}", "{\"o\":{},\"o\":{\"l\":[[\"x\"]]}}//",
		"{\"n\": 1" + strings.Repeat("0", 400) + ", \"o\": {\"l\": [1e999]}}",
	} {
		f.Add([]byte(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := jsonc.Parse("f", data)
		if err != nil || doc.BadUTF8 > 0 {
			return
		}
		before := doc.Root().Get("o", "l").Strings()
		rest := without(t, doc)
		if doc.Append("x", "o", "l") != nil {
			return
		}
		grown, err := jsonc.Parse("f", doc.Bytes())
		require.NoError(t, err, "%q", doc.Bytes())
		assert.Equal(t, append(slices.Clone(before), "x"), grown.Root().Get("o", "l").Strings())
		assert.Equal(t, rest, without(t, grown), "%q", grown.Bytes())
		assert.Equal(t, bytes.Count(data, []byte("/*")), bytes.Count(grown.Bytes(), []byte("/*")))

		grown.RemoveStrings(func(s string) bool { return s == "x" }, "o", "l")
		shrunk, err := jsonc.Parse("f", grown.Bytes())
		require.NoError(t, err, "%q", grown.Bytes())
		assert.NotContains(t, shrunk.Root().Get("o", "l").Strings(), "x")
		assert.Equal(t, rest, without(t, shrunk), "%q", shrunk.Bytes())
	})
}

// without returns the document's values apart from the strings of o.l.
func without(t *testing.T, doc *jsonc.Doc) any {
	t.Helper()
	var v any
	d := json.NewDecoder(bytes.NewReader(doc.Root().Standard()))
	d.UseNumber() // keeps numbers of any size as written
	require.NoError(t, d.Decode(&v))
	root, ok := v.(map[string]any)
	if !ok {
		return v
	}
	if root["o"] == nil {
		root["o"] = map[string]any{}
	}
	o, ok := root["o"].(map[string]any)
	if !ok {
		return root
	}
	list, ok := o["l"].([]any)
	if !ok && o["l"] != nil {
		return root
	}
	o["l"] = slices.DeleteFunc(slices.Clone(list), func(e any) bool { _, s := e.(string); return s })
	if len(o["l"].([]any)) == 0 {
		o["l"] = nil
	}
	return root
}
