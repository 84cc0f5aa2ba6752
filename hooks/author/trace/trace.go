// Package trace makes one page of a trace of hook events: a timeline, and
// for each event what hooks read, printed and changed. The page needs nothing
// but itself: no request leaves it, and a policy in it forbids any. What hooks
// printed is data to it, never markup.
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

	"minigem/internal/page"
)

var (
	//go:embed page.css
	own string // style
	//go:embed page.js
	script string
)

// Event is one report in its JSON form, and what its effect changed, as a
// unified diff.
type event struct {
	Report json.RawMessage `json:"report"`
	Diff   string          `json:"diff,omitempty"`
}

// maxDiff bounds what is compared: above it the page shows both sides.
const maxDiff = 512 << 10

// Read reads a trace, JSON lines. Lines that are not a report are skipped and
// counted; an empty trace is an error.
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
		return nil, skipped, errors.New("there is no hook event in it: it should be what --hook-trace writes, a line of JSON each")
	}
	return reports, skipped, nil
}

func isReport(line []byte) bool {
	var r struct {
		Seq   *int              `json:"seq"`
		Event string            `json:"event"`
		Runs  []json.RawMessage `json:"runs"`
	}
	return json.Unmarshal(line, &r) == nil && r.Seq != nil && r.Event != ""
}

// Write writes the page. A report of the same number as an earlier one takes its
// place, as late ones do.
func Write(w io.Writer, title string, reports []json.RawMessage) error {
	events := make([]event, 0, len(reports))
	at := map[int]int{}
	for _, r := range reports {
		var head struct {
			Seq    int `json:"seq"`
			Effect struct {
				Before, After json.RawMessage
			} `json:"effect"`
		}
		if err := json.Unmarshal(r, &head); err != nil {
			return fmt.Errorf("reading a hook report: %w", err)
		}
		e := event{Report: r, Diff: difference(head.Effect.Before, head.Effect.After)}
		if i, seen := at[head.Seq]; seen {
			events[i] = e
			continue
		}
		at[head.Seq] = len(events)
		events = append(events, e)
	}
	data, err := json.Marshal(events) // < > & become escapes: no text ends the element
	if err != nil {
		return fmt.Errorf("writing the trace page: %w", err)
	}
	style := page.Base + own
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
<label><input id="effects" type="checkbox"> only what changed something</label>
<button id="open" type="button">open all</button><button id="close" type="button">close all</button><span id="shown" role="status"></span></form></header>
<main id="events"></main>
<noscript>This page needs JavaScript. The trace as JSON lines can be read without.</noscript>
<script type="application/json" id="data">%s</script>
<script>%s</script>
</body>
</html>
`, policy, html.EscapeString(title), style, html.EscapeString(title), data, script)
	if err != nil {
		return fmt.Errorf("writing the trace page: %w", err)
	}
	return nil
}

// difference is a unified diff of two JSON values; empty where there are not
// two, or where they are too large.
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

func laidOut(v json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, v, "", "  ") != nil {
		return string(v) + "\n"
	}
	return b.String() + "\n"
}
