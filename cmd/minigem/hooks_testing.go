package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"minigem/e2e/agents"
	"minigem/e2e/testbed"
	"minigem/internal/app"
	"minigem/internal/cases"
	"minigem/internal/exit"
	"minigem/internal/management"
	"minigem/internal/trials"
)

// hooksTesting holds the flags of "minigem hooks test".
type hooksTesting struct {
	sys      *app.System
	run      string
	verbose  bool
	jobs     int
	shard    string
	update   bool
	watch    bool
	format   string
	junit    string
	keep     string
	timeout  time.Duration
	coverage bool
	min      int
	mutate   bool
	json     bool
	count    int
	shuffle  string
	binary   string
	html     string
	on       []string
	as       []string
	strict   bool
	from     string
	agents   agentFlags
}

const hooksTestHelp = `Runs test cases of hooks, each in a new project and home, with real hooks and
real tools. The model is scripted. Searches the given folders, or this one,
for *.txtar; of hidden folders, only .gemini.

--help-cases says how a case is written; docs/TESTBED.md is the tutorial.

Exit codes: 0 all passed, 1 a case failed, 42 a case file is broken.`

func hooksTestCommand(sys *app.System) *cobra.Command {
	t := &hooksTesting{sys: sys}
	help := false
	cmd := &cobra.Command{
		Use:   "test [files or folders]",
		Short: "Run test cases of hooks, offline",
		Long:  hooksTestHelp,
		Example: "  minigem hooks test\n  minigem hooks test hooks/tests --run guard -v\n" +
			"  minigem hooks test --as all guard.txtar\n  minigem hooks test --coverage --min 80 --junit results.xml",
		Annotations: map[string]string{management.MostUsed: "run verbose update watch as on format html coverage help-cases"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if help {
				_, err := io.WriteString(sys.Stdout, testbed.CaseSyntax+"\n"+testbed.VerbsHelp()+"\nThe model's part:\n"+
					textIndent(testbed.ModelSyntax)+"\n")
				return err
			}
			if cmd.Flags().Changed("jobs") && t.jobs < 1 {
				return exit.Errorf(exit.Input, "--jobs is %d: expected at least 1", t.jobs)
			}
			return t.start(args)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&t.run, "run", "", "only cases whose path matches this `pattern`")
	fs.BoolVarP(&t.verbose, "verbose", "v", false, "show what happened in passing cases too")
	fs.IntVarP(&t.jobs, "jobs", "j", 0, "this `many` cases at a time (as many as there are processors)")
	fs.StringVar(&t.shard, "shard", "", "run one of several equal parts, such as `1/4`")
	fs.BoolVarP(&t.update, "update", "u", false, "update the sections that cases compare with")
	fs.BoolVarP(&t.watch, "watch", "w", false, "run again when something changes, until interrupted")
	fs.StringVar(&t.format, "format", "text", strings.Join(testbed.Formats, ", ")+"; with --on "+
		strings.Join(agents.Formats, ", "))
	fs.BoolVar(&t.json, "json", false, "the same as --format json")
	fs.IntVar(&t.count, "count", 1, "run each case this many `times`, and show p50, p95 and how many runs differ")
	fs.StringVar(&t.shuffle, "shuffle", "", "shuffle the cases, by a `seed` if given")
	fs.Lookup("shuffle").NoOptDefVal = testbed.AnyOrder
	fs.StringVar(&t.junit, "junit", "", "write the results to a `file` as JUnit's XML too")
	fs.StringVar(&t.keep, "keep", "", "keep the cases' folders in this `folder`")
	fs.DurationVar(&t.timeout, "timeout", 0, "time limit of cases that do not set one (30s)")
	fs.BoolVar(&t.coverage, "coverage", false, "show which hooks, events, decisions and failures the cases reached")
	fs.BoolVar(&t.mutate, "mutate", false,
		"break settings and hooks one small way at a time, in copies, and show what no case noticed")
	fs.StringVar(&t.binary, "binary", "", "the same as --on gemini, with Gemini CLI or a fork of it as the `program`")
	fs.StringSliceVar(&t.on, "on", nil,
		"run the cases on these `agents` too, such as claude,codex, or all, and show a matrix")
	fs.StringVar(&t.html, "html", "", "write a page for a browser to this `file` too")
	fs.StringSliceVar(&t.as, "as", nil, "play these `agents` too, or all, and show a matrix")
	fs.StringVar(&t.from, "from", "", "take the hooks of the cases from the folder before them: what `rulesync` makes "+
		"of it, or native, its files")
	ci := sys.Getenv("CI")
	fs.BoolVar(&t.strict, "strict", ci != "" && ci != "false",
		"fail a case whose assertions hold without the hook, too (the default where CI is set)")
	t.agents.register(fs)
	fs.BoolVar(&help, "help-cases", false, "say how a case is written: commands, conditions, the model's part")
	fs.IntVar(&t.min, "min", 0, "fail below this `percentage` of coverage, or of noticed mutants")
	return cmd
}

func textIndent(text string) string {
	return "  " + strings.ReplaceAll(text, "\n", "\n  ")
}

func (t *hooksTesting) test(ctx context.Context, paths []string) error {
	if t.binary != "" {
		t.on, t.agents.bins = append(t.on, "gemini"), append(t.agents.bins, "gemini="+t.binary)
	}
	from := agents.From{Kind: t.from}
	if t.from != "" {
		if len(paths) < 2 || len(t.on)+len(t.as) == 0 {
			return exit.Errorf(
				testbed.ExitBroken,
				"--from %s needs a folder and cases, and --on or --as: minigem hooks test --on claude --from %s FOLDER CASE...",
				t.from, t.from)
		}
		from.Dir, paths = paths[0], paths[1:]
	}
	if t.json {
		t.format = "json"
	}
	s, err := t.suite(paths)
	if err != nil {
		return exit.With(testbed.ExitBroken, err)
	}
	if t.watch {
		t.watching(ctx, s)
		return nil
	}
	files, err := s.Find()
	if err != nil {
		return exit.With(testbed.ExitBroken, err)
	}
	if len(t.on)+len(t.as) > 0 {
		return t.onAgents(ctx, s, files, from)
	}
	if t.mutate {
		return trials.Mutate(ctx, t.sys, s, files, t.min, t.format, t.pageOf(ctx, s, files))
	}
	f := testbed.NewFormat(t.format, t.sys.Stdout, t.verbose, t.sys.Getenv("GITHUB_WORKSPACE"))
	s.Report = f.Result
	report := func(sum testbed.Summary) error {
		return t.writeFile(t.junit, func(w io.Writer) error {
			testbed.NewFormat("junit", w, false, "").Summary(sum)
			return nil
		})
	}
	// A killed run must not leave a passing report. A stream would get a second one.
	if info, err := os.Stat(t.junit); t.junit != "" && (err != nil || info.Mode().IsRegular()) {
		if err := report(s.Pending(files)); err != nil {
			return err
		}
	}
	sum := s.RunFiles(ctx, files)
	f.Summary(sum)
	err = report(sum)
	if err == nil {
		err = t.writeFile(t.html, func(w io.Writer) error { return testbed.WritePage(w, sum, testbed.Mutation{}) })
	}
	if err != nil {
		return err
	}
	return t.verdict(ctx, sum)
}

func (t *hooksTesting) suite(paths []string) (*testbed.Suite, error) {
	s := &testbed.Suite{Paths: paths, Jobs: t.jobs, Count: t.count, Run: testbed.Options{
		Driver: cases.Open, Chat: cases.OpenChat, Timeout: t.timeout, Update: t.update, Keep: t.keep, Lookup: t.sys.LookupEnv,
		Strict: t.strict,
	}}
	var err error
	if t.run != "" {
		if s.Match, err = regexp.Compile(t.run); err != nil {
			return nil, fmt.Errorf("reading --run: %w", err)
		}
	}
	if t.shard != "" {
		if s.Shard, err = testbed.ParseShard(t.shard); err != nil {
			return nil, err
		}
	}
	if err := t.fits(); err != nil {
		return nil, err
	}
	if s.Run.Self, err = os.Executable(); err != nil {
		return nil, fmt.Errorf("finding minigem's own program: %w", err)
	}
	if s.Shuffle, err = testbed.ParseShuffle(t.shuffle); err != nil {
		return nil, err
	}
	if t.count < 1 || t.count > 1 && t.update {
		return nil, fmt.Errorf("--count is %d: expected a number from 1, and 1 with --update", t.count)
	}
	if t.min < 0 || t.min > 100 {
		return nil, fmt.Errorf("--min is %d: expected a percentage from 0 to 100", t.min)
	}
	return s, nil
}

// fits returns an error for flags that exclude each other.
func (t *hooksTesting) fits() error {
	if len(t.on)+len(t.as) == 0 {
		switch {
		case t.html != "" && t.watch:
			return errors.New("--html is not available with --watch: leave out --watch to write a page")
		case t.mutate:
			return t.alone("--mutate", "text", "json")
		case !slices.Contains(testbed.Formats, t.format):
			return fmt.Errorf("the format is %q: use one of %s", t.format, strings.Join(testbed.Formats, ", "))
		}
		return nil
	}
	if t.mutate {
		return errors.New("--mutate is not available with --on and --as: leave them out to use it")
	}
	return t.alone("--on and --as", agents.Formats...)
}

// alone returns an error for flags that cannot be combined with a way of running cases
// that has its own formats.
func (t *hooksTesting) alone(with string, formats ...string) error {
	if !slices.Contains(formats, t.format) {
		return fmt.Errorf("the format is %q: with %s, use one of %s", t.format, with, strings.Join(formats, ", "))
	}
	for flag, set := range map[string]bool{"--watch": t.watch, "--update": t.update, "--coverage": t.coverage,
		"--min": t.min > 0 && !t.mutate, "--junit": t.junit != ""} {
		if set {
			return fmt.Errorf("%s is not available with %s: leave them out to use it", flag, with)
		}
	}
	return nil
}

// verdict returns the error that sets the command's exit code.
func (t *hooksTesting) verdict(ctx context.Context, sum testbed.Summary) error {
	cover := testbed.Cover(sum.Results)
	if t.coverage {
		fmt.Fprint(t.coverageTo(), cover)
	}
	switch {
	case ctx.Err() != nil:
		return exit.Ended(ctx)
	case sum.ExitCode() != testbed.ExitPassed:
		return exit.Silent(sum.ExitCode())
	case cover.Percent() < t.min:
		return exit.Errorf(testbed.ExitFailed, "the coverage is %d%%, less than the %d%% of --min", cover.Percent(), t.min)
	}
	return nil
}

// coverageTo returns where to write the coverage. It keeps machine-readable formats
// clean.
func (t *hooksTesting) coverageTo() io.Writer {
	if t.format == "text" || t.format == "github" {
		return t.sys.Stdout
	}
	return t.sys.Stderr
}

// pageOf returns a function that writes the page of a run with its mutants, or nil if
// no page is wanted.
func (t *hooksTesting) pageOf(ctx context.Context, s *testbed.Suite, files []string) func(testbed.Mutation) error {
	if t.html == "" {
		return nil
	}
	return func(m testbed.Mutation) error {
		sum := s.RunFiles(ctx, files)
		return t.writeFile(t.html, func(w io.Writer) error { return testbed.WritePage(w, sum, m) })
	}
}

// writeFile writes a file of results. It does nothing if name is empty. The file is not
// truncated first, so a run that is killed meanwhile does not leave it empty.
func (t *hooksTesting) writeFile(name string, write func(io.Writer) error) (err error) {
	if name == "" {
		return nil
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return exit.Errorf(exit.Input, "writing the results: %w", err)
	}
	out := &exit.Stdout{To: file}
	err = errors.Join(write(out), out.Lost())
	if end, seekErr := file.Seek(0, io.SeekCurrent); seekErr == nil && end > 0 {
		_ = file.Truncate(end) // fails if it is not a regular file
	}
	err = errors.Join(err, file.Close())
	if err != nil {
		err = exit.Errorf(exit.Failed, "writing the results to %s: %w", name, err)
	}
	return err
}

// watching runs the cases again on changes, until ctx ends.
func (t *hooksTesting) watching(ctx context.Context, s *testbed.Suite) {
	f := testbed.NewFormat(t.format, t.sys.Stdout, t.verbose, t.sys.Getenv("GITHUB_WORKSPACE"))
	s.Report = f.Result
	s.Watch(ctx, func(sum testbed.Summary, err error) {
		if err != nil {
			fmt.Fprintf(t.sys.Stderr, "minigem: %v; waiting for one\n", err)
			return
		}
		f.Summary(sum)
		if t.coverage {
			fmt.Fprint(t.coverageTo(), testbed.Cover(sum.Results))
		}
		fmt.Fprintln(t.sys.Stdout, "waiting for changes; an interrupt ends it")
	})
}
