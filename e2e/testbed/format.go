package testbed

import (
	"encoding/xml"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"minigem/internal/text"
)

// Format writes results for people or programs. It is called for each result in order,
// then once for the summary.
type Format interface {
	Result(r Result)
	Summary(s Summary)
}

// Formats are the names of the formats that NewFormat knows.
var Formats = []string{"text", "tap", "junit", "github", "json"}

// NewFormat returns the format of that name, or nil if there is none. verbose, for text
// only, shows more of the cases that passed. What cases and hooks print cannot affect a
// terminal or a program that reads the log. GitHub resolves files relative to workspace.
// If it is empty, they keep the names they were given.
func NewFormat(name string, w io.Writer, verbose bool, workspace string) Format {
	if name == "json" {
		return jsonFormat{w}
	}
	w = text.NewWriter(w)
	switch name {
	case "text":
		return &textFormat{noCommands{w}, verbose}
	case "tap":
		return &tapFormat{w: w}
	case "junit":
		return &junitFormat{w: w}
	case "github":
		return &githubFormat{textFormat{noCommands{w}, verbose}, w, workspace}
	}
	return nil
}

// noCommands writes lines so that CI systems find no commands in them, such as
// "::add-mask::" (GitHub), "##[group]" and "##vso[" (Azure). Each Write begins a line.
type noCommands struct{ w io.Writer }

var (
	lineCommand = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^([ \t]*)::`) })
	hashCommand = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`##(\[|vso\[)`) })
)

// Inert returns s with the lines defused that a CI system would take for commands.
func Inert(s string) string {
	return hashCommand().ReplaceAllString(lineCommand().ReplaceAllString(s, "${1}| ::"), "# #$1")
}

// Write implements io.Writer.
func (n noCommands) Write(p []byte) (int, error) {
	if _, err := io.WriteString(n.w, Inert(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

type textFormat struct {
	w       io.Writer
	verbose bool
}

func (f *textFormat) Result(r Result) {
	name := r.Case.Name
	switch {
	case r.Broken != nil:
		fmt.Fprintf(f.w, "BROKEN  %s\n%s", name, indent(r.Broken.Error()+"\n"))
	case r.Skipped != "":
		fmt.Fprintf(f.w, "skip    %s: %s\n", name, r.Skipped)
	case !r.Passed():
		fmt.Fprintf(f.w, "FAIL    %s  %s\n", name, took(r.Took))
		fmt.Fprint(f.w, indent(r.message()))
	case f.verbose:
		fmt.Fprintf(f.w, "ok      %s  %s\n", name, took(r.Took))
		fmt.Fprint(f.w, indent(r.Story()))
	default:
		fmt.Fprint(f.w, r.vacuities())
	}
	for _, note := range r.notes() {
		fmt.Fprintf(f.w, "note    %s: %s\n", name, note)
	}
	if r.Updated {
		fmt.Fprintf(f.w, "updated %s\n", r.Case.Path)
	}
	if r.Dir != "" {
		fmt.Fprintf(f.w, "kept    %s\n", r.Dir)
	}
}

func (f *textFormat) Summary(s Summary) {
	passed, failed, broken, skipped := s.Counts()
	fmt.Fprint(f.w, s.repetitions())
	fmt.Fprintf(f.w, "%s, %s\n", s.counted(), took(s.Took))
	if passed+failed+broken == 0 && skipped > 0 {
		fmt.Fprintln(f.w, "nothing was proved: all cases were skipped")
	}
	if s.Shuffle != 0 {
		fmt.Fprintf(f.w, "in the order of --shuffle=%d\n", s.Shuffle)
	}
	if n := s.vacuous(); n > 0 {
		fmt.Fprintf(f.w, "%s (nothing fails if the hook breaks): a failure with --strict\n", text.Plural(n, "vacuous check"))
	}
	if n, agents := s.differ(); n > 0 {
		fmt.Fprintf(f.w, "in %s a hook would do something else on %s: --verbose says what\n", text.Plural(n, "case"),
			strings.Join(agents, " or "))
	}
}

// counted returns the numbers of passed, failed, broken and skipped cases as text.
func (s Summary) counted() string {
	passed, failed, broken, skipped := s.Counts()
	out := fmt.Sprintf("%d passed", passed)
	for i, n := range []int{failed, broken, skipped} {
		if n > 0 {
			out += fmt.Sprintf(", %d %s", n, []string{"failed", "broken", "skipped"}[i])
		}
	}
	return out
}

// differ returns the number of cases in which another agent treats a hook's run
// differently, and the names of those agents.
func (s Summary) differ() (cases int, agents []string) {
	for _, r := range s.Results {
		if r.Record == nil {
			continue
		}
		differs := 0
		for _, run := range started(r.Record) {
			for _, d := range run.Upstream {
				differs = 1
				agents = append(agents, d.Agent)
			}
		}
		cases += differs
	}
	slices.Sort(agents)
	return cases, slices.Compact(agents)
}

func took(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// Head says where it failed.
func (f Failure) Head() string { return strings.TrimSuffix(f.Where+": "+f.Command, ": ") }

// String returns the failure as text for people, with a newline at the end.
func (f Failure) String() string {
	var b strings.Builder
	b.WriteString(f.Head() + "\n")
	if f.Expected != "" {
		fmt.Fprintf(&b, "  expected: %s\n", f.Expected)
	}
	fmt.Fprintf(&b, "  actual:   %s\n", strings.ReplaceAll(strings.TrimRight(f.Actual, "\n"), "\n", "\n  "))
	b.WriteString(indent(f.Detail))
	if f.Detail != "" && !strings.HasSuffix(f.Detail, "\n") {
		b.WriteString("\n")
	}
	return b.String()
}

// Story describes what happened in a case, one line per event with hooks and per call.
func (r Result) Story() string {
	if r.Record == nil {
		return ""
	}
	var b strings.Builder
	for _, rep := range r.Record.Reports {
		for _, run := range rep.Runs {
			fmt.Fprintf(&b, "%-19s %-17s %s", rep.Event, rep.Subject, run.Hook.ID())
			switch {
			case run.Skipped != "":
				fmt.Fprintf(&b, ": not run, %s\n", run.Skipped)
			default:
				if !acts(run) { // others did
					rep.Effect.Kind = ""
				}
				fmt.Fprintf(&b, ": %s, %s, %s\n", exitOf(run), effectOf(rep), took(run.Exit.Duration))
			}
			for _, u := range run.Upstream {
				fmt.Fprintf(&b, "  %s\n", u)
			}
		}
	}
	return r.Record.shorten(b.String()) + r.Record.notRun(nil) + r.vacuities()
}

// vacuities lists the assertions that prove nothing, one a line.
func (r Result) vacuities() string {
	var b strings.Builder
	for _, c := range r.Checks {
		if c.Vacuous != "" {
			fmt.Fprintf(&b, "vacuous: %s: %s\n", c.Where, c.Vacuity())
		}
	}
	return b.String()
}

// tapFormat writes the Test Anything Protocol, version 13.
type tapFormat struct {
	w io.Writer
	n int
}

func (f *tapFormat) Result(r Result) {
	if f.n == 0 {
		fmt.Fprintln(f.w, "TAP version 13")
	}
	f.n++
	switch {
	case r.Skipped != "" && r.Skipped != interrupted:
		fmt.Fprintf(f.w, "ok %d - %s # SKIP %s\n", f.n, plainName(r.Case.Name), plainName(r.Skipped))
	case r.Passed() && r.Skipped == "":
		fmt.Fprintf(f.w, "ok %d - %s\n", f.n, plainName(r.Case.Name))
	default:
		fmt.Fprintf(f.w, "not ok %d - %s\n", f.n, plainName(r.Case.Name))
		for line := range strings.Lines(r.message()) {
			fmt.Fprintf(f.w, "# %s\n", Inert(strings.TrimRight(line, "\n")))
		}
	}
}

// plainName escapes text for a TAP line, so that it contains no directive.
func plainName(s string) string {
	return Inert(strings.ReplaceAll(text.VisibleLine(s), "#", `\#`))
}

func (f *tapFormat) Summary(Summary) { fmt.Fprintf(f.w, "1..%d\n", f.n) }

// message returns everything that went wrong in a case.
func (r Result) message() string {
	if r.Broken != nil {
		return r.Broken.Error() + "\n"
	}
	var b strings.Builder
	for _, f := range r.Failures {
		b.WriteString(f.String())
	}
	if r.Record != nil {
		b.WriteString(r.Record.notRun(r.Failures) + r.Record.lacking())
	}
	return b.String()
}

// junitFormat writes JUnit XML for CI systems.
type junitFormat struct{ w io.Writer }

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string     `xml:"name,attr"`
	Class   string     `xml:"classname,attr"`
	File    string     `xml:"file,attr"`
	Time    string     `xml:"time,attr"`
	Failure *junitText `xml:"failure,omitempty"`
	Error   *junitText `xml:"error,omitempty"`
	Skipped *junitText `xml:"skipped,omitempty"`
}

type junitText struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

func (f *junitFormat) Result(Result) {}

func (f *junitFormat) Summary(s Summary) {
	_, failed, broken, skipped := s.Counts()
	suite := junitSuite{
		Name: "minigem hooks", Tests: len(s.Results), Failures: failed, Errors: broken, Skipped: skipped,
		Time: seconds(s.Took),
	}
	for _, r := range s.Results {
		plain := strings.TrimSuffix(r.Case.Name, "["+r.Case.Row+"]")
		c := junitCase{Name: r.Case.base() + strings.TrimPrefix(r.Case.Name, plain),
			Class: strings.ReplaceAll(plain, "/", "."), File: r.Case.Path, Time: seconds(r.Took)}
		switch {
		case r.Broken != nil:
			c.Error = &junitText{"the case file is broken", r.message()}
		case r.Skipped == interrupted: // as skipped it would make the run look green
			c.Error = &junitText{Message: "the run was cut off before this case ended"}
			suite.Errors, suite.Skipped = suite.Errors+1, suite.Skipped-1
		case r.Skipped != "":
			c.Skipped = &junitText{Message: r.Skipped}
		case !r.Passed():
			c.Failure = &junitText{r.Failures[0].headline(), r.message()}
		}
		for _, s := range []*string{&c.Name, &c.Class, &c.File} {
			*s = Inert(text.VisibleLine(*s))
		}
		for _, t := range []*junitText{c.Failure, c.Error, c.Skipped} {
			if t != nil {
				t.Message, t.Text = Inert(text.Visible(t.Message)), Inert(text.Visible(t.Text))
			}
		}
		suite.Cases = append(suite.Cases, c)
	}
	fmt.Fprint(f.w, xml.Header)
	e := xml.NewEncoder(f.w)
	e.Indent("", "  ")
	_ = e.Encode(suite) // everything in it can be XML; write errors surface when the writer is closed
	fmt.Fprintln(f.w)
}

// headline returns the failure on one line.
func (f Failure) headline() string {
	s := strings.TrimSpace(f.Command + ": " + oneLine(f.Actual, 200))
	return strings.TrimPrefix(s, ": ")
}

// githubFormat writes the text format, plus an annotation for each failure.
type githubFormat struct {
	textFormat
	commands  io.Writer
	workspace string
}

// inWorkspace returns file as GitHub wants it: relative to the workspace, whatever the
// current directory is.
func (f *githubFormat) inWorkspace(file string) string {
	abs, err := filepath.Abs(file)
	if err != nil || f.workspace == "" {
		return file
	}
	if rel, ok := text.Below(f.workspace, abs); ok {
		return filepath.ToSlash(rel)
	}
	return file
}

func (f *githubFormat) Result(r Result) {
	f.textFormat.Result(r)
	if r.Broken != nil {
		for line := range strings.Lines(r.Broken.Error()) {
			file, at, text := splitWhere(line)
			f.annotate(file, at, "the case file is broken", text)
		}
		return
	}
	for _, failure := range r.Failures {
		failure.Annotate(f.commands, f.workspace, r.Case.base())
	}
}

// Annotate writes the failure as an annotation of GitHub Actions. workspace is that of
// NewFormat.
func (f Failure) Annotate(w io.Writer, workspace, title string) {
	file, at, _ := splitWhere(f.Where + ": ")
	(&githubFormat{commands: w, workspace: workspace}).annotate(file, at, title, f.headline())
}

// splitWhere splits "file:line: text".
func splitWhere(s string) (file, line, text string) {
	file, rest, _ := strings.Cut(s, ":")
	line, text, _ = strings.Cut(rest, ":")
	return file, line, strings.TrimSpace(text)
}

func (f *githubFormat) annotate(file, line, title, text string) {
	value := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	if _, err := strconv.Atoi(line); err != nil {
		line = "1"
	}
	fmt.Fprintf(f.commands, "::error file=%s,line=%s,title=%s::%s\n", property.Replace(Inert(f.inWorkspace(file))), line,
		property.Replace(Inert(title)), value.Replace(Inert(text)))
}
