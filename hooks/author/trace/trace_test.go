package trace_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/author/trace"
	"minigem/hooks/protocol"
)

const hostile = `</script><script>document.title="owned"</script><img src=x onerror="document.title='owned'"><!--`

// events returns n events with hostile texts in every field that can hold text.
func events(t testing.TB, n int) []json.RawMessage {
	t.Helper()
	began := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	var out []json.RawMessage
	for i := range n {
		at := began.Add(time.Duration(i) * 10 * time.Millisecond)
		line, err := protocol.Encode(hooks.Report{
			Seq: i + 1, Event: protocol.BeforeModel, Subject: hostile, Started: at, Duration: 5 * time.Millisecond, Input: hooks.Payload{[]byte(hostile)},
			Runs: []hooks.Run{{
				Hook:  hooks.Hook{Event: protocol.BeforeModel, Name: hostile, Command: hostile, Source: hooks.Source{File: hostile, Line: 3}},
				Stdin: hooks.Payload{[]byte("{}")}, Started: at, Exit: hooks.Exit{Stdout: []byte(hostile), Stderr: []byte(hostile)}, Warnings: []string{hostile}, Upstream: []hooks.Difference{{There: hostile}},
			}},
			Merge:    []hooks.Step{{Hook: hostile, What: hostile}},
			Effect:   hooks.Effect{Kind: hooks.EffectRewrite, Before: []byte(`{"content":"hello"}`), After: []byte(`{"content":"<b>hello</b>"}`)},
			Messages: []hooks.Message{{Hook: "h", Text: hostile}}, Warnings: []string{hostile},
		})
		require.NoError(t, err)
		out = append(out, line)
	}
	return out
}

func page(t testing.TB, title string, reports []json.RawMessage) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, trace.Write(&b, title, reports))
	return b.String()
}

// Nothing in a trace ends the element that holds it, and the page fetches nothing.
func TestNothingOfATraceIsMarkup(t *testing.T) {
	t.Parallel()
	html := page(t, hostile, events(t, 3))
	assert.Equal(t, 2, strings.Count(html, "</script>"), "the data's and the script's own")
	assert.NotContains(t, html, "<img")
	assert.NotContains(t, html, "<!--")
	assert.Regexp(t, `Content-Security-Policy" content="default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]+'; script-src 'sha256-[A-Za-z0-9+/=]+'`, html)
	assert.NotRegexp(t, `(src|href)=|url\(|@import|fetch\(|innerHTML|https?:`, regexp.MustCompile(`(?s)<script type="application/json".*?</script>|<title>.*?</title>|<h1>.*?</h1>`).ReplaceAllString(html, ""))
}

func TestDataAndDiff(t *testing.T) {
	t.Parallel()
	reports := events(t, 2)
	late := strings.Replace(string(reports[0]), `"seq":1,`, `"seq":1,"late":true,`, 1)
	html := page(t, "t", append(reports, json.RawMessage(late)))
	data := regexp.MustCompile(`(?s)id="data">(.*?)</script>`).FindStringSubmatch(html)[1]
	var shown struct {
		Events []struct {
			Report hooks.Report
			Diff   string
		}
	}
	require.NoError(t, json.Unmarshal([]byte(data), &shown))
	events := shown.Events
	require.Len(t, events, 2, "the late report replaces the first")
	assert.True(t, events[0].Report.Late)
	assert.Equal(t, hostile, string(events[1].Report.Runs[0].Exit.Stdout))
	assert.Equal(t, "@@ -1,3 +1,3 @@\n {\n-  \"content\": \"hello\"\n+  \"content\": \"<b>hello</b>\"\n }\n", events[0].Diff)
}

func TestRead(t *testing.T) {
	t.Parallel()
	line := string(events(t, 1)[0])
	got, skipped, err := trace.Read(strings.NewReader(line + "\n\nnot json\n{\"other\":1}\n" + line[:len(line)/2]))
	require.NoError(t, err)
	assert.Len(t, got, 1)
	assert.Equal(t, 3, skipped, "what was cut off too")
	_, _, err = trace.Read(strings.NewReader("{}\n"))
	require.ErrorContains(t, err, "there is no hook event in it")
	_, _, err = trace.Read(strings.NewReader(""))
	require.Error(t, err)
	require.Error(t, trace.Write(&strings.Builder{}, "t", []json.RawMessage{json.RawMessage("{")}))
}

func BenchmarkWrite(b *testing.B) {
	reports := events(b, 1000)
	for b.Loop() {
		page(b, "t", reports)
	}
}
