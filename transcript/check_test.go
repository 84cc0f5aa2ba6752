package transcript

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// A file in several pieces is read as one: order, replacement and line numbers do not
// depend on where it is cut.
func TestReadPieces(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	var texts, warnings []string
	number := 0
	add := func(line string) {
		number++
		b.WriteString(line)
	}
	say := func(i int, text string) string {
		return fmt.Sprintf(`{"id":"u%d","timestamp":"2026-01-02T03:04:05.006Z","type":"user","content":[{"text":%q}]}`+"\n",
			i, text)
	}
	add(`{"sessionId":"s"}` + "\n")
	padding := strings.Repeat("wörter\t", 3000)
	for i := range 300 {
		text := fmt.Sprint(i, padding[:len("wörter\t")*(i*37%3000)])
		texts = append(texts, text)
		add(say(i, text))
		switch i % 50 {
		case 7:
			add("\n")
		case 13:
			add(`{"id":"broken` + "\n")
			warnings = append(warnings, fmt.Sprintf("f.jsonl:%d: broken record, skipped", number))
		case 21:
			add("[]\n")
			warnings = append(warnings, fmt.Sprintf("f.jsonl:%d: not a JSON object, skipped", number))
		}
	}
	texts[3], texts[250] = "the fourth again", "the last again"
	add(say(3, texts[3]))
	add(say(250, texts[250]))
	add(`{"id":"torn`)
	warnings = append(warnings, fmt.Sprintf("f.jsonl:%d: the last record was cut short, skipped", number))
	require.Greater(t, b.Len(), 3<<20)

	f := readText(b.String())
	require.Len(t, f.Messages, len(texts))
	for i, m := range f.Messages {
		assert.Equal(t, userMessage(fmt.Sprint("u", i), texts[i]), m)
	}
	var got []string
	for _, w := range f.Warnings {
		got = append(got, w.String())
	}
	assert.Equal(t, warnings, got)
}

// JSON that is nested deeper than a stack allows is not valid.
func TestDepth(t *testing.T) {
	t.Parallel()
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	assert.True(t, valid(nested(maxDepth)))
	assert.False(t, valid(nested(maxDepth+1)))
	assert.False(t, valid(nested(10_000_000)))
}

// The check and the library agree about everything that is not too deep.
func FuzzValid(f *testing.F) {
	pad := strings.Repeat(" ", 512)
	for _, s := range []string{
		`{"a":"b\n\u00e9\"\\"}`, `{"a":"\x"}`, `{"a":"\u00g0"}`, `["a" "b"]`, `"a`, `"a\`, "\"\x01\"", "\"seven..\x1f\"",
		"\"\x7f\xff\xfe\xa2\xdc\"",
		`"longer than eight bytes\\"`, `"longer than eight bytes\"`, `{"a":1}{"b":2}`, `[1,"",{}]`, ``,
	} {
		f.Add(s)
		f.Add(pad + s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		assert.Equal(t, gjson.Valid(s), valid(s), "%q", s)
		assert.Equal(t, gjson.Valid(pad+s), valid(pad+s), "%q", s)
	})
}
