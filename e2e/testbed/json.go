package testbed

import (
	"bytes"
	"encoding/json"
	"io"
	"time"

	"minigem/hooks/author/replay"
	"minigem/internal/text"
)

// jsonFormat writes one JSON object with the summary.
type jsonFormat struct{ w io.Writer }

func (jsonFormat) Result(Result) {}

// jsonRun is the JSON form of a run.
type jsonRun struct {
	Passed  int           `json:"passed"`
	Failed  int           `json:"failed"`
	Broken  int           `json:"broken"`
	Skipped int           `json:"skipped"`
	TookMs  int64         `json:"took_ms"`
	Shuffle uint64        `json:"shuffle,omitempty"`
	Cases   []jsonCase    `json:"cases"`
	Hooks   []jsonHook    `json:"hooks"`
	Repeats []jsonRepeats `json:"repeats,omitempty"`
}

type jsonCase struct {
	Name     string    `json:"name"`
	File     string    `json:"file"`
	Row      string    `json:"row,omitempty"`
	Title    string    `json:"title,omitempty"`
	Outcome  string    `json:"outcome"` // passed, failed, broken or skipped
	Why      string    `json:"why,omitempty"`
	TookMs   int64     `json:"took_ms"`
	Failures []Failure `json:"failures,omitempty"`
	Vacuous  []string  `json:"vacuous,omitempty"` // assertions that prove nothing
	Notes    []string  `json:"notes,omitempty"`   // what was ignored, allowed or left running
}

type jsonHook struct {
	Hook  string  `json:"hook"` // event and name
	Runs  int     `json:"runs"`
	P50Ms float64 `json:"p50_ms"`
	P95Ms float64 `json:"p95_ms"`
}

type jsonRepeats struct {
	Repeated
	P50Ms int64 `json:"p50_ms"`
	P95Ms int64 `json:"p95_ms"`
}

func (f jsonFormat) Summary(s Summary) {
	out := jsonRun{TookMs: s.Took.Milliseconds(), Shuffle: s.Shuffle, Cases: []jsonCase{}, Hooks: []jsonHook{}}
	out.Passed, out.Failed, out.Broken, out.Skipped = s.Counts()
	for _, r := range s.Results {
		out.Cases = append(out.Cases, r.json())
	}
	names, times := s.hookTimes()
	for _, name := range names {
		out.Hooks = append(out.Hooks, jsonHook{name, len(times[name]), milliseconds(replay.Percentile(times[name], 50)),
			milliseconds(replay.Percentile(times[name], 95))})
	}
	for _, x := range s.Repetitions() {
		out.Repeats = append(out.Repeats, jsonRepeats{x, x.P50.Milliseconds(), x.P95.Milliseconds()})
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	_ = e.Encode(out) // everything in it can be JSON
	// CI systems may look for commands in a log; the escape means the same in JSON
	data := hashCommand().ReplaceAll(text.JSON(b.Bytes()), []byte(`#\u0023$1`))
	_, _ = f.w.Write(data) // write errors surface when the writer is closed
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func (r Result) json() jsonCase {
	c := jsonCase{Name: r.Case.Name, File: r.Case.Path, Row: r.Case.Row, Title: r.Case.Title, Outcome: "passed",
		TookMs:   r.Took.Milliseconds(),
		Failures: r.Failures, Notes: r.notes()}
	switch {
	case r.Broken != nil:
		c.Outcome, c.Why = "broken", r.Broken.Error()
	case r.Skipped != "":
		c.Outcome, c.Why = "skipped", r.Skipped
	case !r.Passed():
		c.Outcome = "failed"
	}
	for _, k := range r.Checks {
		if k.Vacuous != "" {
			c.Vacuous = append(c.Vacuous, k.Where+": "+k.Vacuity())
		}
	}
	return c
}
