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

// aRun returns the page of a run with a passed and a failed case, in which every text
// is hostile.
func aRun(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, trace.WriteRun(&b, hostile, trace.Run{
		Summary: hostile, Covered: 66, Coverage: []trace.Cover{{Hook: hostile, Event: hostile, Did: hostile, Failed: hostile}},
		Mutants: []trace.Mutant{{Class: hostile, Hook: hostile, Where: hostile, What: hostile, Cases: []string{hostile}}, {Noticed: true}},
		Cases: []trace.Case{
			{Name: "first " + hostile, Title: hostile, Outcome: "passed", Reports: events(t, 4), Checks: []trace.Check{{Command: hostile, Passed: true, Says: hostile, Vacuous: hostile}}},
			{Name: "second", Outcome: "failed", Why: hostile, Failures: []trace.Failure{{Where: hostile, Command: hostile, Expected: hostile, Actual: hostile, Detail: hostile}}, Checks: []trace.Check{{Command: "fired"}}},
		},
	}))
	return b.String()
}

// Nothing in a run becomes markup, and the page fetches nothing.
func TestNothingOfARunIsMarkup(t *testing.T) {
	t.Parallel()
	html := aRun(t)
	assert.Equal(t, 2, strings.Count(html, "</script>"), "the data's and the script's own")
	assert.NotContains(t, html, "<img")
	assert.NotRegexp(t, `(src|href)=|url\(|@import|fetch\(|innerHTML`, regexp.MustCompile(`(?s)<script type="application/json".*?</script>|<title>.*?</title>|<h1>.*?</h1>`).ReplaceAllString(html, ""))
}

// The page of a run shows hooks with their times, coverage, mutants and cases, failed
// ones first. An opened case shows its events.
func TestRunInABrowser(t *testing.T) {
	t.Parallel()
	b := browse(t, aRun(t))
	assert.Equal(t, `["Hooks","Coverage: 66%","Mutants: 1 of 2 noticed","Cases"]`, b.is("[...document.querySelectorAll('h2')].map((h) => h.textContent)"))
	assert.Equal(t, `["failed","passed"]`, b.is("[...document.querySelectorAll('.case .effect')].map((e) => e.textContent)"))
	assert.Equal(t, `["BeforeModel","4","4 pass"]`, b.is("['event', 'runs', 'decisions'].map((n) => document.querySelector('#sums td[data-agent=' + n + ']').textContent)"))
	assert.Equal(t, "true", b.is("[...document.querySelectorAll('.plot i')].some((i) => i.offsetHeight > 20)"))
	b.is("document.querySelectorAll('.case')[1].open = true")
	b.becomes("4", "document.querySelectorAll('.case details').length")
	b.is("document.querySelectorAll('.case')[0].open = true")
	b.becomes("true", "document.querySelectorAll('.case')[0].textContent.includes('\\u2717 fired')")
	b.is("document.getElementById('effects').click()")
	b.becomes(`"1 of 2 shown"`, "document.getElementById('shown').textContent")
	assert.Equal(t, "0", b.is("document.querySelectorAll('img').length"))
	assert.Empty(t, b.complaints())
	require.Len(t, b.requests(), 1)
}

// story returns a trace of a session: a prompt, words of the model, and a denied call.
func story(t *testing.T) []json.RawMessage {
	t.Helper()
	var out []json.RawMessage
	for i, e := range []struct {
		event          protocol.Event
		subject, input string
		reason         string
	}{
		{protocol.BeforeAgent, "", `{"prompt": "Write the\n key"}`, ""},
		{protocol.AfterModel, "", `{"llm_response": {"text": "I write it."}}`, ""},
		{protocol.BeforeTool, "write_file", `{"tool_input": {"file_path": "key.pem"}}`, "keys are not yours"},
	} {
		r := hooks.Report{
			Seq: i + 1, Event: e.event, Subject: e.subject, Started: time.Unix(1e9, int64(i)), Duration: time.Millisecond, Input: hooks.Payload{[]byte(e.input)},
			Runs: []hooks.Run{{Hook: hooks.Hook{Event: e.event, Name: "guard", Source: hooks.Source{File: "/p/settings.json", Line: 7}}, Started: time.Unix(1e9, 0)}},
		}
		if e.reason != "" {
			r.Verdict, r.Effect, r.Runs[0].Decision = hooks.Verdict{Decision: hooks.Deny, Reason: e.reason}, hooks.Effect{Kind: hooks.EffectDeny}, hooks.Deny
		}
		line, err := protocol.Encode(r)
		require.NoError(t, err)
		out = append(out, line)
	}
	return out
}

// Each row summarizes its event: the prompt, the model's words, why a call was denied.
// On wide and narrow screens, in light and dark, the event, tool and hook are visible,
// and nothing is wider than the screen.
func TestStoryInABrowser(t *testing.T) {
	t.Parallel()
	b := browse(t, page(t, "t", story(t)))
	grounds := map[string]bool{}
	for _, width := range []int{1280, 390} {
		for _, scheme := range []string{"light", "dark"} {
			b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}, nil)
			b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
			b.becomes(`["Write the key","I write it.","keys are not yours"]`, "[...document.querySelectorAll('.story')].map((e) => e.textContent)")
			const seen = `[...document.querySelectorAll('main details')].at(-1).querySelectorAll('.event, .subject, .hooks, .story')`
			assert.Equal(t, `["BeforeTool","write_file","guard","keys are not yours"]`, b.is("[..."+seen+`].filter((e) => e.checkVisibility() && e.offsetWidth > 20).map((e) => e.textContent)`), "%d %s", width, scheme)
			assert.Equal(t, "true", b.is("document.documentElement.scrollWidth <= innerWidth"), "%d %s", width, scheme)
			grounds[b.is("getComputedStyle(document.body).backgroundColor")] = true
		}
	}
	assert.Len(t, grounds, 2, "light and dark")
	assert.Equal(t, `["BeforeAgent","AfterModel","BeforeTool"]`, b.is("[...document.querySelectorAll('#sums td[data-agent=event]')].map((e) => e.textContent)"))
	assert.Equal(t, `["1 pass","1 pass","1 deny"]`, b.is("[...document.querySelectorAll('#sums td[data-agent=decisions]')].map((e) => e.textContent)"))
	b.is("[...document.querySelectorAll('main details')].at(-1).open = true")
	b.becomes(`["/p/settings.json:7","file:///p/settings.json"]`, "[document.querySelector('a.where')?.textContent, document.querySelector('a.where')?.href]")
	assert.Empty(t, b.complaints())
}
