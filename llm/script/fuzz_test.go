package script_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"minigem/llm/script"
)

// FuzzParse checks that a script yields answers or an error that names the line, and
// that a script survives writing and reading.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		`{"method":"generateContentStream","response":[{"candidates":[{"content":{"role":"model","parts":[{"text":"Hi"}]},"finishReason":"STOP"}]}]}` + "\n",
		"\n" + `{"method":"countTokens","response":{"totalTokens":7}}` + "\r\n" + `{"method":"embedContent","response":null}`,
		`{"method":"generateContent","fault":{"status":503}}`, `{"method":"generateContent","response":null}`, `{"method":5}`, `null`, `{"method":"x","response":[]}`,
		`{"method":"generateContent","response":{"candidates":[null,{"content":{"parts":[null,{"functionCall":{"name":"x","args":[]}}]}}],"usageMetadata":{"totalTokenCount":1e99}}}`,
	} {
		f.Add([]byte(text))
	}
	place := regexp.MustCompile(`/a\.responses:(\d+): `)
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := script.Parse("/a.responses", bytes.NewReader(data))
		if err != nil {
			require.Regexp(t, place, err.Error())
			return
		}
		require.LessOrEqual(t, len(entries), strings.Count(string(data), "\n")+1)
		var once, twice bytes.Buffer
		require.NoError(t, script.Write(&once, entries))
		again, err := script.Parse("/b", bytes.NewReader(once.Bytes()))
		require.NoError(t, err, "%s", once.Bytes())
		require.NoError(t, script.Write(&twice, again))
		require.Equal(t, once.String(), twice.String())
	})
}
