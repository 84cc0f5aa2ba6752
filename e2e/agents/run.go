package agents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"minigem/e2e/testbed"
	"minigem/internal/text"
)

// Names returns the names of all adapters.
func Names() []string {
	var names []string
	for _, a := range Adapters() {
		names = append(names, a.Name)
	}
	return names
}

// Choose returns the adapters that a list names. "all" means all of them, and minigem
// itself has none.
func Choose(list []string) ([]*Adapter, error) {
	var out []*Adapter
	for _, name := range list {
		known := name == "minigem"
		for _, a := range Adapters() {
			if a.Name != name && name != "all" {
				continue
			}
			if known = true; !slices.Contains(out, a) {
				out = append(out, a)
			}
		}
		if !known {
			return nil, errors.New(text.None("agent", name, Names(),
				": expected minigem, all, or some of "+strings.Join(Names(), ", ")))
		}
	}
	return out, nil
}

// ParseBins parses NAME=PATH.
func ParseBins(list []string) (map[string]string, error) {
	bins := map[string]string{}
	for _, b := range list {
		name, at, ok := strings.Cut(b, "=")
		if !ok || at == "" || !slices.Contains(Names(), name) {
			return nil, fmt.Errorf("%q is not NAME=PATH, with one of the names %s", b, strings.Join(Names(), ", "))
		}
		bins[name] = at
	}
	return bins, nil
}

// FindAll looks for agents concurrently, because some take seconds to report their
// version.
func (s Search) FindAll(ctx context.Context, all []*Adapter) []Installed {
	found := make([]Installed, len(all))
	testbed.InParallel(Jobs, len(all), func(i int) { found[i] = s.Find(ctx, all[i]) })
	return found
}

// Tester runs self-tests and cases.
type Tester struct {
	Search Search
	Self   string    // minigem's own program, which is the shim
	Cache  string    // a folder that is kept; empty: the user's cache
	Log    io.Writer // gets lines on the progress of a long run
}

func (t Tester) cache() string {
	if t.Cache != "" {
		return t.Cache
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	return filepath.Join(dir, "minigem", "agents")
}

// SelfTest tests an agent and logs that, because it takes a while.
func (t Tester) SelfTest(ctx context.Context, i Installed) SelfTest {
	if i.Problem == "" {
		fmt.Fprintf(t.Log, "self-test of %s %s\n", i.Adapter.Name, i.Version)
	}
	return i.SelfTest(ctx, t.Self, t.cache())
}

// Order says what to run: cases on agents.
type Order struct {
	Files   []string
	On      []string        // names of agents, or "all"
	Version string          // of minigem
	Options testbed.Options // for minigem itself
	More    []Column        // additional columns
	From    From
}

// Run reads all cases, looks for the agents, tests them, and runs the cases on them and on
// minigem. It starts nothing if a case is invalid or a named agent is missing.
func (t Tester) Run(ctx context.Context, o Order) (*Matrix, error) {
	chosen, err := Choose(o.On)
	if err != nil {
		return nil, fmt.Errorf("reading --on: %w", err)
	}
	cases, err := readCases(o.Files)
	if err != nil {
		return nil, err
	}
	found, err := t.found(ctx, chosen, slices.Contains(o.On, "all"))
	if err != nil {
		return nil, err
	}
	columns := []Column{{Name: "minigem", Version: o.Version, Options: o.Options}}
	for _, i := range found {
		st := t.SelfTest(ctx, i)
		c := Column{Name: i.Adapter.Name, Version: i.Version, New: !i.Measured(), Cannot: st.Cannot, Other: true,
			Options: o.Options}
		c.Options.Driver, c.Options.Chat = i.Driver(t.Self, t.cache(), st.Events), nil
		c.Options.Elsewhere, c.Options.Encloses, c.Options.Update = true, true, false
		c.Options.Timeout = max(o.Options.Timeout, i.Adapter.Limit())
		columns = append(columns, c)
		if ctx.Err() != nil {
			return nil, fmt.Errorf("no case was run: %w", ctx.Err())
		}
	}
	columns = append(columns, o.More...)
	clean, err := t.from(ctx, o.From, columns)
	defer clean()
	if err != nil {
		return nil, err
	}
	return t.run(ctx, cases, columns), nil
}

// readCases reads all cases, or reports what is wrong with each.
func readCases(files []string) ([]*testbed.Case, error) {
	var cases []*testbed.Case
	var errs []error
	for _, file := range files {
		c, err := testbed.ReadFile(file)
		if errs = append(errs, err); err == nil {
			cases = append(cases, c.Each()...)
		}
	}
	return cases, errors.Join(errs...)
}

// found returns the installed agents. It is an error if one that was named is missing.
func (t Tester) found(ctx context.Context, chosen []*Adapter, all bool) ([]Installed, error) {
	var found []Installed
	var missing []string
	for _, i := range t.Search.FindAll(ctx, chosen) {
		if i.Path == "" {
			missing = append(missing, fmt.Sprintf("  %s: %s", i.Adapter.Name, i.Problem))
			continue
		}
		found = append(found, i)
	}
	const where = "Agents are looked for in --agents-from and in PATH; \"minigem agents install FOLDER\" writes an npm " +
		"project with them"
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("no case was run: %w", ctx.Err())
	case len(chosen) > 0 && len(found) == 0:
		return nil, fmt.Errorf("none of these agents is here:\n%s\n%s", strings.Join(missing, "\n"), where)
	case len(missing) > 0 && !all:
		return nil, fmt.Errorf("some agents are not here:\n%s\n%s", strings.Join(missing, "\n"), where)
	case len(missing) > 0:
		fmt.Fprintf(t.Log, "not here:\n%s\n", strings.Join(missing, "\n"))
	}
	return found, nil
}

// Lines returns the lines of all agents, tested if test is set.
func (t Tester) Lines(ctx context.Context, all []*Adapter, test bool) []Line {
	var lines []Line
	for _, i := range t.Search.FindAll(ctx, all) {
		l := NewLine(i)
		if test && i.Problem == "" {
			st := t.SelfTest(ctx, i)
			l.SelfTest = &st
		}
		lines = append(lines, l)
	}
	return lines
}

// run runs cases on columns and logs the progress.
func (t Tester) run(ctx context.Context, cases []*testbed.Case, columns []Column) *Matrix {
	p := progress{w: t.Log, width: terminalWidth(t.Log), all: len(cases) * len(columns), cases: len(cases),
		byAgent: map[string]int{}}
	m := runMatrix(ctx, cases, columns, p.tell)
	p.end()
	return m
}
