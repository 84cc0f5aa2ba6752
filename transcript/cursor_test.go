package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/llm"
)

func TestContentForms(t *testing.T) {
	t.Parallel()
	result := func(id string, response map[string]any) llm.Part {
		return llm.ToolResult{ID: id, Name: "n", Response: response}
	}
	cases := []struct {
		json string
		want []llm.Part
	}{
		{`"plain"`, []llm.Part{llm.Text{Text: "plain"}}},
		{`""`, nil},
		{`null`, nil},
		{`12`, nil},
		{``, nil},
		{` [ "a" , 1 , { "text" : "b" } , null , [ "c" ] ] `, []llm.Part{llm.Text{Text: "a"}, llm.Text{Text: "b"}}},
		{`{"text":"one part"}`, []llm.Part{llm.Text{Text: "one part"}}},
		{`"\ud83d\ude00 \ud83d \ude00 \ud83dA \/\b\f\r\t\"\\"`, []llm.Part{llm.Text{Text: "😀 � � �A /\b\f\r\t\"\\"}}},
		// parts with further fields go through llm
		{`{"text":"t","thought":true}`, []llm.Part{llm.Thought{Text: "t"}}},
		{`{"text":"t","thoughtSignature":"cw=="}`, []llm.Part{llm.Text{Text: "t", Signature: []byte("s")}}},
		{`{"thoughtSignature":"cw==","functionCall":{"name":"n","args":{"a":1}}}`, []llm.Part{llm.ToolCall{Name: "n", Args: map[string]any{"a": 1.0}, Signature: []byte("s")}}},
		{`{"inlineData":{"mimeType":"m","data":"cw=="}}`, []llm.Part{llm.Blob{MIMEType: "m", Data: []byte("s")}}},
		{`{"new":{"a":"}"}}`, []llm.Part{llm.Opaque{JSON: []byte(`{"new":{"a":"}"}}`)}}},
		{`{"text":1}`, []llm.Part{llm.Opaque{JSON: []byte(`{"text":1}`)}}},
		{`{}`, []llm.Part{llm.Opaque{JSON: []byte(`{}`)}}},
		// calls and results
		{`{"functionCall":{"id":"i","name":"n","args":{"a":[1,{"b":"\n"}],"c":null}}}`, []llm.Part{llm.ToolCall{ID: "i", Name: "n", Args: map[string]any{"a": []any{1.0, map[string]any{"b": "\n"}}, "c": nil}}}},
		{`{"functionCall":{"name":"n"}}`, []llm.Part{llm.ToolCall{Name: "n"}}},
		{`{"functionCall":{"name":7}}`, []llm.Part{llm.Opaque{JSON: []byte(`{"functionCall":{"name":7}}`)}}},
		{`{"functionResponse":{"id":"i","name":"n","response":{"output":"a\"b"}}}`, []llm.Part{result("i", map[string]any{"output": `a"b`})}},
		{`{"functionResponse":{"id":"i","name":"n","response":{},"parts":[]}}`, []llm.Part{result("i", map[string]any{})}},
		{`{"functionResponse":{"id":"i","name":"n","response":{"big":1e999}}}`, []llm.Part{result("i", map[string]any{"big": nil})}},
	}
	for _, c := range cases {
		assert.Equal(t, c.want, decodeContent(c.json), c.json)
	}
}

// The cursor decodes any value as encoding/json does, and can skip any value.
func FuzzCursor(f *testing.F) {
	for _, s := range []string{
		`{"a":"b\n\u00e9\"\\","c":[1,-2.5e3,{}],"\u0061":null}`, `[[],[[]],"\\\\",""]`, ` { "a" : [ true , false ] } `,
		`"\ud83d\ude00\ud83d\u0041\udc00"`, `-0`, `1e999`, `"` + strings.Repeat(`\"`, 40) + `"`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) || !json.Valid([]byte(s)) {
			return // encoding/json repairs bytes that are not UTF-8; a session keeps them
		}
		c := cursor{text: s}
		assert.Equal(t, strings.Trim(s, " \t\r\n"), c.skip())

		var want any
		err := json.Unmarshal([]byte(s), &want)
		c = cursor{text: s}
		got := c.value()
		assert.Empty(t, strings.Trim(s[c.at:], " \t\r\n"))
		if tooLarge := (*json.UnmarshalTypeError)(nil); errors.As(err, &tooLarge) {
			return
		}
		require.NoError(t, err)
		assert.Equal(t, want, got)
		if v, ok := want.(string); ok {
			assert.Equal(t, v, unescape(string(bytes.Trim([]byte(s), " \t\r\n")[1:len(strings.Trim(s, " \t\r\n"))-1])))
		}
	})
}
