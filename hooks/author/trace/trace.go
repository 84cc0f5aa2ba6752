// Package trace makes an HTML page of a trace of hook events ([Write]) or of a run of test
// cases ([WriteRun]): a timeline, and for each event what hooks read, printed and changed.
//
// The page is self-contained, and its Content-Security-Policy forbids every request. What
// hooks printed is data in it, never markup. The events are reports in the JSON form of
// docs/EVENTS.md, as --hook-trace writes them.
package trace

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/tidwall/gjson"

	"minigem/internal/page"
)

// The parts of the page, which needs no network.
var (
	//go:embed page.css
	own string // style
	//go:embed page.js
	script string
)

// event is a report in its JSON form, a unified diff of what its effect changed, and a
// one-line story: the prompt, the model's words or the call.
type event struct {
	Report json.RawMessage `json:"report"`
	Diff   string          `json:"diff,omitempty"`
	Story  string          `json:"story,omitempty"`
}

// Run is a run of test cases, for [WriteRun].
type Run struct {
	// Summary is the result in a sentence.
	Summary string `json:"summary"`
	// Cases are in the order of the run.
	Cases []Case `json:"cases"`
	// Covered is the coverage of the hooks in percent.
	Covered int `json:"covered"`
	// Coverage has a row for each hook and event; nil if it was not measured.
	Coverage []Cover `json:"coverage,omitempty"`
	// Mutants lists planted faults; nil if none was planted.
	Mutants []Mutant `json:"mutants,omitempty"`
}

// Case is one case of a [Run].
type Case struct {
	// Name is the path of the file without its extension, with slashes.
	Name string `json:"name"`
	// Title is the comment at the top of the case; may be empty.
	Title string `json:"title,omitempty"`
	// Outcome is "passed", "failed", "broken" or "skipped".
	Outcome string `json:"outcome"`
	// Why says why the case is broken or was skipped.
	Why string `json:"why,omitempty"`
	// TookMs is the duration in milliseconds.
	TookMs int64 `json:"took_ms"`
	// Failures is empty unless Outcome is "failed".
	Failures []Failure `json:"failures,omitempty"`
	// Checks lists all assertions, passed ones included.
	Checks []Check `json:"checks,omitempty"`
	// Events is made from Reports by [WriteRun].
	Events []event `json:"events,omitempty"`

	// Reports are the case's hook events in their JSON form.
	Reports []json.RawMessage `json:"-"`
}

// Failure is something that was not as a case expects.
type Failure struct {
	// Where is "file:line".
	Where string `json:"where"`
	// Command is the line of the case that failed; may be empty.
	Command string `json:"command,omitempty"`
	// Expected and Actual are shown as texts; Expected may be empty.
	Expected string `json:"expected,omitempty"`
	// Actual is what was found instead.
	Actual string `json:"actual"`
	// Detail is further output; may be empty.
	Detail string `json:"detail,omitempty"`
}

// Check is an assertion of a case.
type Check struct {
	// Command is the line of the case.
	Command string `json:"command"`
	// Passed says that the assertion holds.
	Passed bool `json:"passed"`
	// Says is the result of an assertion that measures something; else empty.
	Says string `json:"says,omitempty"`
	// Vacuous says why the assertion would also hold without the hook; empty if it would
	// not.
	Vacuous string `json:"vacuous,omitempty"`
}

// Cover is what the cases reached of one hook.
type Cover struct {
	// Hook is the hook's ID.
	Hook string `json:"hook"`
	// Event is the event of the hook.
	Event string `json:"event"`
	// Ran counts the runs of the hook.
	Ran int `json:"ran"`
	// Passed counts the runs that changed nothing.
	Passed int `json:"passed"`
	// Did lists the effects that it was seen to have; empty if none was.
	Did string `json:"did,omitempty"`
	// Failed lists how it was seen to fail, such as "exit 1, timed out".
	Failed string `json:"failed,omitempty"`
}

// Mutant is a fault that was planted, and whether a case noticed it.
type Mutant struct {
	// Class is one of the classes of package mutate.
	Class string `json:"class"`
	// Hook is empty if the fault is in a program.
	Hook string `json:"hook,omitempty"`
	// Where is "file:line".
	Where string `json:"where"`
	// What describes the fault; see package mutate.
	What string `json:"what"`
	// Noticed says that some case failed because of the fault.
	Noticed bool `json:"noticed"`
	// Cases lists the cases that noticed it, or that were run with it.
	Cases []string `json:"cases"`
}

// maxDiff bounds what is compared: above it the page shows both sides.
const maxDiff = 512 << 10

// Read reads a trace, one report per line, of at most 256 MiB each. Lines that are not
// reports are skipped and counted. A trace without any report is an error. Blank lines
// do not count. The reports are copies of their lines.
func Read(r io.Reader) (reports []json.RawMessage, skipped int, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), 256<<20)
	for lines.Scan() {
		line := bytes.TrimSpace(lines.Bytes())
		switch {
		case len(line) == 0:
		case !isReport(line):
			skipped++
		default:
			reports = append(reports, bytes.Clone(line))
		}
	}
	if err := lines.Err(); err != nil {
		return nil, skipped, fmt.Errorf("reading the trace: %w", err)
	}
	if len(reports) == 0 {
		return nil, skipped,
			errors.New("there is no hook event in it: it should be what --hook-trace writes, a line of JSON each")
	}
	return reports, skipped, nil
}

// isReport reports whether a line of a trace is a report of hooks.
func isReport(line []byte) bool {
	var r struct {
		Seq   *int              `json:"seq"`
		Event string            `json:"event"`
		Runs  []json.RawMessage `json:"runs"`
	}
	return json.Unmarshal(line, &r) == nil && r.Seq != nil && r.Event != ""
}

// Write writes the page of a trace. A report with the number of an earlier one replaces
// it, as late reports do. It is an error if a report cannot be parsed.
func Write(w io.Writer, title string, reports []json.RawMessage) error {
	events, err := eventsOf(reports)
	if err != nil {
		return err
	}
	return write(w, title, "only what changed something", struct {
		Events []event `json:"events"`
	}{events})
}

// WriteRun writes the page of a run of cases. It sets the Events of r.Cases. It is an
// error if a report of a case cannot be parsed.
func WriteRun(w io.Writer, title string, r Run) error {
	for i := range r.Cases {
		var err error
		if r.Cases[i].Events, err = eventsOf(r.Cases[i].Reports); err != nil {
			return err
		}
	}
	return write(w, title, "only what failed", struct {
		Run Run `json:"run"`
	}{r})
}

// eventsOf returns the events of a trace in order. A later report of an event replaces
// the first one.
func eventsOf(reports []json.RawMessage) ([]event, error) {
	events := make([]event, 0, len(reports))
	at := map[int]int{}
	for _, r := range reports {
		var head struct {
			Seq    int    `json:"seq"`
			Event  string `json:"event"`
			Input  string `json:"input"`
			Effect struct {
				Before, After json.RawMessage
			} `json:"effect"`
		}
		if err := json.Unmarshal(r, &head); err != nil {
			return nil, fmt.Errorf("reading a hook report: %w", err)
		}
		e := event{Report: r, Diff: difference(head.Effect.Before, head.Effect.After), Story: story(head.Event, head.Input)}
		if i, seen := at[head.Seq]; seen {
			events[i] = e
			continue
		}
		at[head.Seq] = len(events)
		events = append(events, e)
	}
	return events, nil
}

// mostStory bounds the line of an event, in bytes.
const mostStory = 400

// told lists the fields of an event's input that summarize it.
var told = map[string][]string{
	"BeforeAgent": {"prompt"}, "AfterAgent": {"prompt_response"}, "AfterModel": {"llm_response.text"},
	"Notification": {"message"},
	"BeforeTool":   {"tool_input"}, "PermissionRequest": {"tool_input"}, "PostToolUseFailure": {"error"},
	"AfterTool": {"tool_response.llmContent"},
}

// story summarizes an event in one line.
func story(event, input string) string {
	for _, path := range told[event] {
		if s := strings.Join(strings.Fields(gjson.Get(input, path).String()), " "); s != "" {
			return strings.ToValidUTF8(s[:min(len(s), mostStory)], "")
		}
	}
	return ""
}

// write writes a page that shows the data in about.
func write(w io.Writer, title, only string, about any) error {
	data, err := json.Marshal(about) // json.Marshal escapes < > and &, so no text can end the element
	if err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	style := page.Base + page.Table + own
	policy := page.Policy(style, script)
	_, err = fmt.Fprintf(w, `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>%s</title>
<style>%s</style>
</head>
<body>
<header><h1>%s</h1><p id="summary"></p>
<form id="filters"><input id="text" type="search" placeholder="Filter (/): event, tool, hook, text" aria-label="Filter">
<label><input id="effects" type="checkbox"> %s</label>
<button id="open" type="button">open all</button>
<button id="close" type="button">close all</button>
<span id="shown" role="status"></span></form></header>
<section id="sums"></section>
<main id="events"></main>
<noscript>This page needs JavaScript. The trace as JSON lines can be read without.</noscript>
<script type="application/json" id="data">%s</script>
<script>%s</script>
</body>
</html>
`, policy, html.EscapeString(title), style, html.EscapeString(title), only, data, script)
	if err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

// difference returns a unified diff of two JSON values. It is empty if one is missing
// or both are too large together.
func difference(before, after json.RawMessage) string {
	if len(before) == 0 || len(after) == 0 || len(before)+len(after) > maxDiff {
		return ""
	}
	text := udiff.Unified("before", "after", laidOut(before), laidOut(after))
	lines := strings.Split(text, "\n")
	if len(lines) > 2 && strings.HasPrefix(lines[0], "---") {
		lines = slices.Clone(lines[2:])
	}
	return strings.Join(lines, "\n")
}

// laidOut indents JSON, so that differences are by lines.
func laidOut(v json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, v, "", "  ") != nil {
		return string(v) + "\n"
	}
	return b.String() + "\n"
}
