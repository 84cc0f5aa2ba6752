package trace_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"minigem/hooks/author/trace"
)

// FuzzRead checks that each line of a trace is a report or counts as skipped, and that
// the page has no markup but its own.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		`{"seq":1,"event":"BeforeTool","runs":[{"stdout":"</script><img onerror=x>"}],"effect":{"before":{"a":1},"after":{"a":"</script>"}}}` + "\n", `{"seq":1,"event":"X"}` + "\n" + `{"seq":1,"event":"Y","runs":null}` + "\nnull\n\n", `[`, `{"seq":null}`,
		`{"seq":1,"event":"x","effect":5}`, `{"seq":1,"event":"x","effect":{"before":"` + "\\ud800" + `","after":[]}}`,
	} {
		f.Add([]byte(text))
	}
	var empty bytes.Buffer
	require.NoError(f, trace.Write(&empty, "t", nil))
	tags := bytes.Count(empty.Bytes(), []byte("<"))
	f.Fuzz(func(t *testing.T, data []byte) {
		reports, skipped, err := trace.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		require.LessOrEqual(t, len(reports)+skipped, strings.Count(string(data), "\n")+1)
		var page bytes.Buffer
		if trace.Write(&page, "t", reports) != nil {
			return
		}
		require.Equal(t, tags, bytes.Count(page.Bytes(), []byte("<")))
		require.LessOrEqual(t, page.Len(), empty.Len()+100*(len(data)+100))
	})
}
