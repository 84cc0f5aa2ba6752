package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Session files and standard output are compared as text, record by record, so the order
// of keys counts too.

// A textDifference changes a recorded line to the expected one. An empty line drops it.
type textDifference struct {
	reason string
	apply  func(line string) string
}

// replacing returns a difference that replaces an expression.
func replacing(reason, expression, by string) textDifference {
	re := regexp.MustCompile(expression)
	return textDifference{reason, func(line string) string { return re.ReplaceAllString(line, by) }}
}

var acceptedRecords = []textDifference{
	replacing("what BeforeAgent adds goes with this prompt's requests and is not kept (docs/spec/contract.md 1)",
		`,\{"text":"<hook_context>[^"]*</hook_context>"\}`, ""),
	replacing("displayContent is what Gemini CLI's screen shows instead of content; here they never differ",
		`,"displayContent":\[[^\]]*\]`, ""),
}

var acceptedOutput = []textDifference{
	replacing("retried answers do not run into each other (docs/spec/faults.md 47)", `^draftfinal`, "draft\nfinal"),
}

// compareTranscripts compares the only session file in h with a recorded one.
func compareTranscripts(t *testing.T, recorded string, h home) {
	t.Helper()
	files := transcriptsIn(h.dir)
	require.Len(t, files, 1)
	require.NoError(t, checkTranscript(files[0]))
	data, err := os.ReadFile(files[0])
	require.NoError(t, err)
	got := h.scrub(string(data))
	assert.Equal(t, neutral(expected(t, recorded, acceptedRecords)), neutral(withoutAdditions(got)))
}

func compareOutput(t *testing.T, recorded, got string) {
	t.Helper()
	assert.Equal(t, neutral(expected(t, recorded, acceptedOutput)), neutral(got))
}

// expected returns a recorded file with the accepted differences applied.
func expected(t *testing.T, file string, differences []textDifference) string {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var b strings.Builder
	for line := range strings.Lines(string(data)) {
		for _, d := range differences {
			line = d.apply(line)
		}
		b.WriteString(line)
	}
	return b.String()
}

// withoutAdditions removes the records that Gemini CLI skips.
func withoutAdditions(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, `{"minigem":`) {
			b.WriteString(line)
		}
	}
	return b.String()
}

var (
	instants = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`)
	hashes   = regexp.MustCompile(`"projectHash":"[0-9a-f]{64}"`)
	ids      = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	callIDs  = regexp.MustCompile(`(\w+)_\d{13}_\d+`)
	toldTool = regexp.MustCompile(`"description":"(?:Writes a file: |Reads one file )(?:[^"\\]|\\.)*"`)
	argument = regexp.MustCompile(`"(args|parameters)":(\{[^{}]*\})`)
	times    = regexp.MustCompile(`("(?:duration_ms|totalLatencyMs|durationMs|totalDurationMs)": ?)\d+`)
)

// neutral replaces what differs from run to run: instants, durations, hashes, the process
// group. Ids become numbers in the order of their appearance. Arguments are parsed as an
// object, because their order means nothing. A failed call contains the tool's description
// for the model, which is in our own words.
func neutral(text string) string {
	text = instants.ReplaceAllString(text, "INSTANT")
	text = hashes.ReplaceAllString(text, `"projectHash":"HASH"`)
	text = pgid.ReplaceAllString(text, "Process Group PGID: 1")
	text = sessionContext.ReplaceAllString(text, "<session_context>...</session_context>")
	text = times.ReplaceAllString(text, "${1}0")
	text = toldTool.ReplaceAllString(text, `"description":"<description of the tool>"`)
	seen := map[string]string{}
	text = ids.ReplaceAllStringFunc(text, func(id string) string {
		if seen[id] == "" {
			seen[id] = fmt.Sprintf("ID-%d", len(seen)+1)
		}
		return seen[id]
	})
	text = callIDs.ReplaceAllString(text, "${1}_CALL")
	return argument.ReplaceAllStringFunc(text, func(s string) string {
		m := argument.FindStringSubmatch(s)
		var args map[string]any
		if json.Unmarshal([]byte(m[2]), &args) != nil {
			return s
		}
		return `"` + m[1] + `":` + compact(args)
	})
}
