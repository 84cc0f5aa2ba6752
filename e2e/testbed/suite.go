package testbed

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"minigem/internal/text"
)

// Suite is a set of cases and how to run them.
type Suite struct {
	Paths  []string       // case files, and folders to search for them; nil: the working directory
	Match  *regexp.Regexp // only cases with a matching name; nil for all
	Shard  Shard
	Jobs   int // cases at a time, fewer if descriptors are scarce; 0: one per processor
	Run    Options
	Report func(Result) // called with each result in the order of the cases; may be nil

	Count   int    // how often each case runs; 0 means once
	Shuffle uint64 // seed of the order in which cases run; 0: by name

	each func(i int, o *Options) // changes the options of a case; may be nil
	part bool                    // some cases that may prove open hooks are not run

	hooks int // the most hooks of a case
}

// Shard selects part I of N equal parts of a suite, counting from 1. The zero Shard is the
// whole suite.
type Shard struct{ I, N int }

// ParseShard parses "i/n".
func ParseShard(s string) (Shard, error) {
	a, b, ok := strings.Cut(s, "/")
	i, err1 := strconv.Atoi(a)
	n, err2 := strconv.Atoi(b)
	if !ok || err1 != nil || err2 != nil || i < 1 || n < i {
		return Shard{}, fmt.Errorf("the shard is %q: expected one such as 1/4", s)
	}
	return Shard{i, n}, nil
}

// AnyOrder asks for a shuffle with a random seed.
const AnyOrder = "any"

// ParseShuffle parses a seed for Suite. The seed is 0 if s is empty.
func ParseShuffle(s string) (uint64, error) {
	switch s {
	case "":
		return 0, nil
	case AnyOrder:
		return rand.Uint64N(1_000_000) + 1, nil
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("the seed of --shuffle is %q: expected a number from 1", s)
	}
	return n, nil
}

// Exit codes of the command that runs a suite.
const (
	ExitPassed = 0
	ExitFailed = 1
	ExitBroken = 42 // a case file cannot be run, or there is none
)

// Summary is the outcome of a suite.
type Summary struct {
	Results []Result // in the order in which the cases ran
	Took    time.Duration
	Shuffle uint64 // see Suite
}

// Counts returns the number of results of each kind.
func (s Summary) Counts() (passed, failed, broken, skipped int) {
	for _, r := range s.Results {
		switch {
		case r.Broken != nil:
			broken++
		case r.Skipped != "":
			skipped++
		case !r.Passed():
			failed++
		default:
			passed++
		}
	}
	return passed, failed, broken, skipped
}

// ExitCode returns ExitBroken if a case file is broken, ExitFailed if a case failed or all
// were skipped, which proves nothing, else ExitPassed.
func (s Summary) ExitCode() int {
	passed, failed, broken, skipped := s.Counts()
	switch {
	case broken > 0:
		return ExitBroken
	case failed > 0 || passed == 0 && skipped > 0:
		return ExitFailed
	}
	return ExitPassed
}

// Find returns the case files of the suite, in the order of Paths and then of names. It
// returns an error if there are none.
func (s *Suite) Find() ([]string, error) {
	paths := s.Paths
	if len(paths) == 0 {
		paths = []string{"."}
	}
	var files []string
	for _, path := range paths {
		found, err := casesIn(path)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	all := len(files)
	if s.Match != nil {
		files = slices.DeleteFunc(files, func(f string) bool { return !s.Match.MatchString(filepath.ToSlash(f)) })
	}
	if len(files) == 0 && all > 0 {
		return nil, fmt.Errorf("none of %s matches %q", text.Plural(all, "case"), s.Match)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("there is no case in %s: a case is a file *.txtar", strings.Join(paths, ", "))
	}
	if s.Shard.N > 1 {
		var part []string
		for i, f := range files {
			if i%s.Shard.N == s.Shard.I-1 {
				part = append(part, f)
			}
		}
		files = part
	}
	return files, nil
}

// casesIn returns the case files at or below path. It skips node_modules and folders whose
// names begin with ".", except .gemini, where hooks have their cases.
func casesIn(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("there are no cases at %s: name *.txtar files, or folders with such files (%w)", path, err)
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	top, err := real(path)
	if err != nil {
		return nil, err
	}
	var files []string
	err = filepath.WalkDir(path, func(at string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := e.Name()
		hidden := strings.HasPrefix(name, ".") && name != ".gemini" || name == "node_modules"
		if e.IsDir() && at != path && (hidden || isKept(at)) {
			return filepath.SkipDir
		}
		if !e.IsDir() && filepath.Ext(name) == ".txtar" {
			if target, err := real(at); e.Type()&fs.ModeSymlink != 0 && (err != nil || !inside(target, top)) {
				return fmt.Errorf("%s is a link that leads out of %s: name its target instead", at, path)
			}
			files = append(files, at)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("looking for cases: %w", err)
	}
	return files, nil
}

// A job is a case to run, or the reason why it cannot run.
type job struct {
	c      *Case
	broken error
}

// jobs parses files. A table yields a job for each row.
func (s *Suite) jobs(files []string) []job {
	var all []job
	for _, file := range files {
		c, err := ReadFile(file)
		if err != nil {
			all = append(all, job{named(file), err})
			continue
		}
		s.hooks = max(s.hooks, len(c.portable)+bytes.Count(txtar.Format(c.source), []byte(`"type"`)))
		for _, each := range c.Each() {
			all = append(all, job{c: each})
		}
	}
	return all
}

// heapRoom is allocated while cases run, and never touched. A case drops much more than it
// keeps, and the garbage collector starts when the heap has doubled. Without this room it
// ran every few MiB and took an eighth of the time.
const heapRoom = 32 << 20

// RunFiles runs the cases in files, Jobs at a time. Results come in the order of
// files and of rows. When ctx ends, the cases that have not begun are left out.
func (s *Suite) RunFiles(ctx context.Context, files []string) Summary {
	began := time.Now()
	room := make([]byte, heapRoom)
	defer runtime.KeepAlive(room)
	todo := s.jobs(files)
	if s.Shuffle != 0 {
		r := rand.New(rand.NewPCG(s.Shuffle, 0))
		r.Shuffle(len(todo), func(i, j int) { todo[i], todo[j] = todo[j], todo[i] })
	}
	times := max(s.Count, 1)
	runs := make([]Result, len(todo)*times)
	done := make([]chan struct{}, len(runs))
	for i := range done {
		done[i] = make(chan struct{})
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		InParallel(s.workers(len(runs)), len(runs), func(i int) {
			runs[i] = s.one(ctx, i, todo[i/times])
			close(done[i])
		})
	})
	settle := sync.OnceFunc(func() {
		all := make([]*Result, len(runs))
		for i := range runs {
			<-done[i]
			all[i] = &runs[i]
		}
		Settle(all, s.Run.Strict)
	})
	results := make([]Result, len(todo))
	for i := range todo {
		for j := range times {
			<-done[i*times+j]
		}
		if slices.ContainsFunc(runs[i*times:(i+1)*times], Result.open) {
			settle()
		}
		results[i] = together(runs[i*times : (i+1)*times])
		if s.Report != nil {
			s.Report(results[i])
		}
	}
	wg.Wait()
	return Summary{Results: results, Took: time.Since(began), Shuffle: s.Shuffle}
}

// InParallel calls do with the numbers below n in their order, at most workers at a time.
func InParallel(workers, n int, do func(i int)) {
	var wg sync.WaitGroup
	next := make(chan int)
	for range min(workers, n) {
		wg.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
}

// workers returns how many of n runs are executed at a time.
func (s *Suite) workers(n int) int {
	return min(cmp.Or(max(s.Jobs, 0), runtime.GOMAXPROCS(0)), mostJobs(s.hooks), n)
}

func (s *Suite) one(ctx context.Context, i int, j job) Result {
	switch {
	case ctx.Err() != nil:
		return Result{Case: j.c, Skipped: interrupted}
	case j.broken != nil:
		return Result{Case: j.c, Broken: j.broken}
	}
	o := s.Run
	o.Compare = s.Match == nil && s.Shard.N < 2 && !s.part // otherwise cases that do not run here may be the proof
	if s.each != nil {
		s.each(i, &o)
	}
	return Run(ctx, j.c, o)
}

// interrupted is the reason given for cases that had not run when the run ended.
const interrupted = "interrupted"

// Pending returns the summary of a run that ended before any of the cases in files did.
func (s *Suite) Pending(files []string) Summary {
	var sum Summary
	for _, j := range s.jobs(files) {
		sum.Results = append(sum.Results, Result{Case: j.c, Skipped: interrupted})
	}
	return sum
}

// named returns a case of which only the name is known.
func named(file string) *Case {
	return &Case{Path: file, Name: nameOf(file)}
}

// nameOf returns what a case in a file is called, on one line.
func nameOf(file string) string {
	return text.VisibleLine(strings.TrimSuffix(filepath.ToSlash(file), ".txtar"))
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
