// Package hooktest runs test cases of hooks as Go tests:
//
//	func TestHooks(t *testing.T) { hooktest.Run(t, "testdata/*.txtar") }
//
// Each case is a subtest that runs in parallel and offline, with a separate project and
// home directory. docs/CASES.md is the reference of the format, which [testbed.Parse]
// reads. Options run hooks that are Go functions ([Func]), run the cases by the rules of
// other agents ([As]) or on the agents themselves ([On]), and update cases ([Update]).
package hooktest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"minigem/e2e/agents"
	"minigem/e2e/agents/played"
	"minigem/e2e/testbed"
	"minigem/hooks"
	"minigem/internal/cases"
	"minigem/internal/proc"
)

// An Option changes how [Run] runs cases. Options of one kind add up, except [Update],
// whose last value counts.
type Option func(*config)

// config collects the options of one Run.
type config struct {
	functions map[string]hooks.Function
	as, on    []string
	update    bool
}

// Func runs f instead of the command of the hook that is called name in the cases'
// settings. The hook keeps its matcher and everything else in its entry. f runs in the
// test's process, so that it can be debugged and counts for coverage; make it with
// [hooks.Func]. It may be called concurrently. Only minigem runs f: with [As] and [On],
// other agents run the command.
func Func(name string, f hooks.Function) Option {
	return func(c *config) { c.functions[name] = f }
}

// As also runs the cases as these agents would, such as "claude" and "codex": minigem
// plays them by the rules that were measured, and nothing has to be installed. "all"
// means all that can be played. An unknown name fails the test. Subtests that depend on
// something unknown are skipped.
func As(names ...string) Option {
	return func(c *config) { c.as = append(c.as, names...) }
}

// On also runs the cases on these agents themselves, offline, if they are installed. It
// needs minigem in PATH. Without that, and with -short, the agents' subtests are skipped.
func On(names ...string) Option {
	return func(c *config) { c.on = append(c.on, names...) }
}

// Update, if yes is true, rewrites in the case files what the cases expect, so that they
// pass. Give it the value of a flag of your test.
func Update(yes bool) Option {
	return func(c *config) { c.update = yes }
}

// Run runs the cases in the files that match glob, a pattern of [filepath.Glob], as
// parallel subtests of t named after the files without their extension. With [As] or
// [On], each case has a subtest per agent. It is a failure if nothing
// matches, or if a case cannot be read. An assertion that would hold without the hook is
// reported; if the variable CI is set to anything but "" and "false", it fails.
func Run(t *testing.T, glob string, options ...Option) {
	t.Helper()
	c := config{functions: map[string]hooks.Function{}}
	for _, o := range options {
		o(&c)
	}
	files, err := filepath.Glob(glob)
	if err != nil {
		t.Fatalf("reading the pattern %q: %v", glob, err)
	}
	if len(files) == 0 {
		t.Fatalf("no case matches %s", glob)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.as == nil && c.on == nil {
				c.alone(t, file)
			} else {
				c.onAgents(t, file)
			}
		})
	}
}

// options returns the testbed's options. In CI an assertion that holds without the hook
// fails.
func (c *config) options() testbed.Options {
	ci := os.Getenv("CI")
	return testbed.Options{
		Driver: cases.With(func(e *hooks.Engine) { e.Runner = named{c.functions, e.Runner} }),
		Chat:   cases.OpenChat, Update: c.update, Strict: ci != "" && ci != "false",
	}
}

// alone runs a case only on minigem.
func (c *config) alone(t *testing.T, file string) {
	tc, err := testbed.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	report(t, testbed.Run(t.Context(), tc, c.options()))
}

// report fails, skips or logs according to the result.
func report(t *testing.T, r testbed.Result) {
	t.Helper()
	var b strings.Builder
	testbed.NewFormat("text", &b, testing.Verbose(), "").Result(r)
	switch {
	case !r.Passed():
		t.Error("\n" + b.String())
	case r.Skipped != "":
		t.Skip(r.Skipped)
	case b.Len() > 0:
		t.Log("\n" + b.String())
	}
}

// onAgents runs a case on minigem and the other agents.
func (c *config) onAgents(t *testing.T, file string) {
	as, err := played.Find(c.as)
	if err != nil {
		t.Fatal(err)
	}
	tester := agents.Tester{Search: agents.Search{Path: os.Getenv("PATH")}, Log: t.Output()}
	on := c.on
	if on != nil {
		tester.Self, err = proc.Look("minigem")
	}
	if skip := on != nil && (testing.Short() || err != nil); skip {
		t.Run("on", func(t *testing.T) { t.Skip("real agents need minigem in PATH, and no -short") })
		on = nil
	}
	o := c.options()
	m, err := tester.Run(t.Context(), agents.Order{
		Files: []string{file}, On: on, Options: o, More: played.Columns(as, o, cases.As),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, column := range m.Columns {
		for _, row := range m.Cells {
			cell := row[column.Name]
			t.Run(strings.ReplaceAll(column.Name, " ", "_"), func(t *testing.T) {
				if cell.State == agents.Cannot || cell.State == agents.NotRun {
					t.Skip(cell.Why)
				}
				report(t, cell.Result)
			})
		}
	}
}
