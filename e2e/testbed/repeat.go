package testbed

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"minigem/hooks/author/replay"
	"minigem/internal/text"
)

// together merges the runs of a case into one result: the first that did not pass, or else
// the first.
func together(runs []Result) Result {
	if len(runs) == 1 {
		return runs[0]
	}
	r := runs[max(slices.IndexFunc(runs, func(r Result) bool { return !r.Passed() }), 0)]
	r.Runs = runs
	return r
}

// Repeated summarizes the runs of one case.
type Repeated struct {
	Name   string        `json:"name"`
	Runs   int           `json:"runs"`
	Failed int           `json:"failed"`
	Differ int           `json:"differ"` // runs in which hooks did something different from most runs
	P50    time.Duration `json:"-"`
	P95    time.Duration `json:"-"`
}

// Repetitions summarizes the cases that ran more than once.
func (s Summary) Repetitions() []Repeated {
	var out []Repeated
	for _, r := range s.Results {
		if len(r.Runs) == 0 || r.Broken != nil || r.Skipped != "" {
			continue
		}
		x := Repeated{Name: r.Case.Name, Runs: len(r.Runs)}
		var took []time.Duration
		same := map[string]int{}
		most := 0
		for _, run := range r.Runs {
			took = append(took, run.Took)
			if !run.Passed() {
				x.Failed++
			}
			did := run.did()
			same[did]++
			most = max(most, same[did])
		}
		x.Differ = len(r.Runs) - most
		x.P50, x.P95 = replay.Percentile(took, 50), replay.Percentile(took, 95)
		out = append(out, x)
	}
	return out
}

// did describes what hooks did in a run, without times and ids. The lines are sorted,
// because concurrent hooks finish in any order.
func (r Result) did() string {
	if r.Record == nil {
		return ""
	}
	lines := []string{fmt.Sprint(r.Passed())}
	for _, rep := range r.Record.Reports {
		for _, run := range rep.Runs {
			lines = append(lines, fmt.Sprint(rep.Event, rep.Subject, run.Hook.ID(), run.Skipped != "", exitOf(run),
				effectOf(rep), r.Record.shorten(rep.Verdict.Reason)))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// hookTimes returns the durations of each hook's runs, by event and name.
func (s Summary) hookTimes() (names []string, times map[string][]time.Duration) {
	times = map[string][]time.Duration{}
	for _, r := range s.Results {
		runs := r.Runs
		if len(runs) == 0 {
			runs = []Result{r}
		}
		for _, one := range runs {
			if one.Record == nil {
				continue
			}
			for rep, run := range started(one.Record) {
				name := string(rep.Event) + " " + oneLine(run.Hook.Label(), 60)
				names = insert(names, name)
				times[name] = append(times[name], run.Exit.Duration)
			}
		}
	}
	slices.Sort(names)
	return names, times
}

// repetitions returns a table of the cases and hooks that ran more than once, or "" if
// none did.
func (s Summary) repetitions() string {
	all := s.Repetitions()
	if len(all) == 0 {
		return ""
	}
	rows := [][]string{{"runs", "failed", "differ", "p50", "p95", "case"}}
	for _, x := range all {
		rows = append(rows, []string{fmt.Sprint(x.Runs), of(x.Failed, x.Runs), of(x.Differ, x.Runs), took(x.P50), took(x.P95),
			text.VisibleLine(x.Name)})
	}
	names, times := s.hookTimes()
	if len(names) > 0 {
		rows = append(rows, []string{"runs", "", "", "p50", "p95", "hook"})
	}
	for _, name := range names {
		rows = append(rows, []string{fmt.Sprint(len(times[name])), "", "", took(replay.Percentile(times[name], 50)),
			took(replay.Percentile(times[name], 95)), text.VisibleLine(name)})
	}
	text.Align(rows)
	var b strings.Builder
	for _, row := range rows {
		b.WriteString(strings.Join(row, "  ") + "\n")
	}
	return b.String()
}

func of(n, all int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%d of %d", n, all)
}
