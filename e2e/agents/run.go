package agents

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"minigem/e2e/testbed"
)

// Names are those of all adapters.
func Names() []string {
	var names []string
	for _, a := range Adapters() {
		names = append(names, a.Name)
	}
	return names
}

// Choose are the adapters of the names in a list; "all" is all of them, and
// minigem itself has none.
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
			return nil, fmt.Errorf("there is no agent %q: expected minigem, all, or some of %s", name, strings.Join(Names(), ", "))
		}
	}
	return out, nil
}

// ParseBins reads NAME=PATH.
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

// FindAll looks for agents side by side: some take seconds to tell their
// version.
func (s Search) FindAll(ctx context.Context, all []*Adapter) []Installed {
	found := make([]Installed, len(all))
	var wg sync.WaitGroup
	slots := make(chan struct{}, Jobs)
	for i, a := range all {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			found[i] = s.Find(ctx, a)
		})
	}
	wg.Wait()
	return found
}

// Tester runs self-tests and cases.
type Tester struct {
	Search Search
	Self   string    // minigem's own program, which is the shim
	Cache  string    // a folder that stays; empty: that of the user
	Log    io.Writer // is told how far a long run is
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

// SelfTest tests an agent, and says so: that takes a while.
func (t Tester) SelfTest(ctx context.Context, i Installed) SelfTest {
	if i.Problem == "" {
		fmt.Fprintf(t.Log, "self-test of %s %s\n", i.Adapter.Name, i.Version)
	}
	return i.SelfTest(ctx, t.Self, t.cache())
}

// Columns are minigem and the agents, each tested. o are the options for
// minigem itself.
func (t Tester) Columns(ctx context.Context, version string, o testbed.Options, all []*Adapter) []Column {
	columns := []Column{{Name: "minigem", Version: version, Options: o}}
	for _, i := range t.Search.FindAll(ctx, all) {
		st := t.SelfTest(ctx, i)
		c := Column{Name: i.Adapter.Name, Version: i.Version, New: !i.Measured(), Cannot: st.Cannot, Other: true, Options: o}
		c.Options.Driver, c.Options.Chat = i.Driver(t.Self, t.cache(), st.Events), nil
		c.Options.Elsewhere, c.Options.Update, c.Options.Timeout = true, false, max(o.Timeout, i.Adapter.Limit())
		columns = append(columns, c)
	}
	return columns
}

// Lines are those of all agents, tested where that is wanted.
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

// Run runs cases on columns.
func (t Tester) Run(ctx context.Context, files []string, columns []Column) *Matrix {
	began := time.Now()
	return RunMatrix(ctx, files, columns, func(c *Cell, done, all int) {
		left := time.Since(began) / time.Duration(done) * time.Duration(all-done)
		fmt.Fprintf(t.Log, "%d/%d  %-8s %-7s %s  (%s left)\n", done, all, c.Agent, c.State, c.Case, left.Round(time.Second))
	})
}
