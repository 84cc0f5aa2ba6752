package testbed

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"minigem/hooks/author/mutate"
	"minigem/hooks/author/trace"
	"minigem/hooks/config"
	"minigem/internal/boundedfile"
	"minigem/internal/text"
)

// Mutant is a fault injected into a hook or its settings entry, and whether a case noticed
// it.
type Mutant struct {
	trace.Mutant // its cases are those that have it

	file     string // relative to the folder of a case
	from, to []byte // its content, with homeless for that folder
	in       []int  // indexes of the cases that have it
}

// Mutation is the result of mutation testing a suite.
type Mutation struct {
	Mutants []Mutant `json:"mutants"`
}

// Noticed counts the mutants that a case noticed.
func (m Mutation) Noticed() int {
	n := 0
	for _, x := range m.Mutants {
		if x.Noticed {
			n++
		}
	}
	return n
}

// Percent returns the share of mutants that were noticed, rounded down.
func (m Mutation) Percent() int {
	if len(m.Mutants) == 0 {
		return 0
	}
	return 100 * m.Noticed() / len(m.Mutants)
}

// Mutate runs the cases in files once unchanged, and then with each mutant of the hooks
// that they configure, until a case fails. Only copies in the folder of a case are
// mutated. It returns an error if an unchanged case fails or if there is nothing to
// mutate. done, if not nil, is called with the number of finished mutants.
func (s *Suite) Mutate(ctx context.Context, files []string, done func(n, of int)) (Mutation, error) {
	var m Mutation
	var mu sync.Mutex
	found := map[int][]Mutant{}
	base := *s
	base.Report = nil
	base.Run.Update, base.Run.Keep, base.Run.Strict, base.Count = false, "", false, 0
	base.each = func(i int, o *Options) {
		var before snapshot
		o.prepared = func(p *place) (err error) {
			before, err = p.snapshot()
			return err
		}
		o.played = func(p *place, r *Record) {
			all := before.mutants(p, r)
			mu.Lock()
			defer mu.Unlock()
			found[i] = all
		}
	}
	sum := base.RunFiles(ctx, files)
	if ctx.Err() != nil {
		return m, ctx.Err()
	}
	if red := sum.red(); red != "" {
		return m, fmt.Errorf(
			"%s already fails, so it cannot notice anything: minigem hooks test says why; fix it first", red)
	}
	for i, r := range sum.Results {
		for _, x := range found[i] {
			m.add(i, r.Case.Name, x)
		}
	}
	if len(m.Mutants) == 0 {
		return m, errors.New("there is nothing to break: none of the cases configures a hook that minigem can read")
	}
	base.each = nil
	return m, m.run(ctx, &base, sum.Results, done)
}

// red returns the name of the first case that did not pass, or "".
func (s Summary) red() string {
	for _, r := range s.Results {
		if !r.Passed() {
			return r.Case.Name
		}
	}
	return ""
}

// add records a mutant of case i, merging it with an equal one of another case.
func (m *Mutation) add(i int, name string, x Mutant) {
	at := slices.IndexFunc(m.Mutants, func(y Mutant) bool {
		return x.file == y.file && bytes.Equal(x.from, y.from) && bytes.Equal(x.to, y.to)
	})
	if at < 0 {
		at = len(m.Mutants)
		m.Mutants = append(m.Mutants, x)
	}
	m.Mutants[at].in = append(m.Mutants[at].in, i)
	m.Mutants[at].Cases = append(m.Mutants[at].Cases, name)
}

// run tries the mutants, as many at a time as there are jobs.
func (m *Mutation) run(ctx context.Context, s *Suite, results []Result, done func(n, of int)) error {
	var mu sync.Mutex
	finished := 0
	InParallel(s.workers(len(m.Mutants)), len(m.Mutants), func(i int) {
		m.Mutants[i].try(ctx, s.Run, results)
		mu.Lock()
		defer mu.Unlock()
		if finished++; done != nil {
			done(finished, len(m.Mutants))
		}
	})
	return ctx.Err()
}

// try runs a mutant's cases, quickest first, until one fails.
func (x *Mutant) try(ctx context.Context, o Options, results []Result) {
	o.prepared = func(p *place) error {
		return os.WriteFile(filepath.Join(p.top, x.file), p.at(x.to), 0o755)
	}
	slices.SortStableFunc(x.in, func(a, b int) int { return cmp.Compare(results[a].Took, results[b].Took) })
	for _, i := range x.in {
		if ctx.Err() != nil {
			return
		}
		if r := Run(ctx, results[i].Case, o); !r.Passed() && ctx.Err() == nil {
			x.Noticed = true
			return
		}
	}
}

// snapshot holds the files of a case before it runs, by their paths in its folder.
type snapshot map[string][]byte

// homeless replaces the path of a case's folder, which differs from run to run.
const homeless = "\x00case\x00"

func (p *place) homeless(data []byte) []byte {
	return bytes.ReplaceAll(data, []byte(p.top), []byte(homeless))
}

func (p *place) at(data []byte) []byte {
	return bytes.ReplaceAll(data, []byte(homeless), []byte(p.top))
}

// Limits on what a snapshot keeps.
const (
	mostFiles   = 2000
	mostOfAFile = 256 << 10
)

func (p *place) snapshot() (snapshot, error) {
	s := snapshot{}
	err := filepath.WalkDir(p.top, func(path string, e fs.DirEntry, err error) error {
		if err != nil || len(s) >= mostFiles || !e.Type().IsRegular() {
			return err
		}
		info, err := e.Info()
		if err != nil || info.Size() > mostOfAFile {
			return err
		}
		data, err := boundedfile.Read(path, boundedfile.Kept)
		s[path] = data
		return err
	})
	return s, err
}

// mutants returns the mutants of the settings and of the hook programs that the case
// configured.
func (s snapshot) mutants(p *place, r *Record) []Mutant {
	var settings, programs []string
	for _, h := range r.Config.Hooks {
		if h.Untrusted != "" || h.Disabled != "" {
			continue
		}
		settings = append(settings, h.Source.File)
		programs = append(programs, config.FilesNamed(h, p.workspace, map[string]string{"HOME": p.home})...)
	}
	var all []Mutant
	for _, file := range unique(settings) {
		if data, ok := s[file]; ok {
			found, _ := mutate.Settings(file, data) // the engine parsed it before
			all = append(all, p.mutants(r, file, data, found)...)
		}
	}
	for _, file := range unique(programs) {
		if data, ok := s[file]; ok && !slices.Contains(settings, file) {
			all = append(all, p.mutants(r, file, data, mutate.Program(data))...)
		}
	}
	return all
}

func unique(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

func (p *place) mutants(r *Record, file string, data []byte, found []mutate.Mutant) []Mutant {
	var all []Mutant
	for _, m := range found {
		where := strings.TrimSuffix(r.shorten(fmt.Sprintf("%s:%d)", filepath.ToSlash(file), m.Line)), ")")
		all = append(all, Mutant{
			Mutant: trace.Mutant{Class: m.Class, Hook: m.Hook, Where: where, What: m.What},
			file:   strings.TrimPrefix(file, p.top), from: p.homeless(data), to: p.homeless(m.Text),
		})
	}
	return all
}

// String describes the surviving mutants and the score.
func (m Mutation) String() string {
	var b strings.Builder
	survived := map[string][]Mutant{}
	for _, x := range m.Mutants {
		if !x.Noticed {
			survived[x.Class] = append(survived[x.Class], x)
		}
	}
	if len(survived) > 0 {
		b.WriteString("no case noticed\n")
	}
	for _, class := range mutate.Classes {
		for _, x := range survived[class] {
			what := x.What
			if x.Hook != "" {
				what = x.Hook + ": " + what
			}
			fmt.Fprintf(&b, "  %-8s  %s  %s  (%s)\n", class, text.VisibleLine(x.Where), text.VisibleLine(oneLine(what, 160)),
				text.Plural(len(x.Cases), "case"))
		}
	}
	fmt.Fprintf(&b, "%d of %s noticed, %d%%\n", m.Noticed(), text.Plural(len(m.Mutants), "mutant"), m.Percent())
	return b.String()
}
