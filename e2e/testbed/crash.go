package testbed

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"minigem/hooks"
	"minigem/hooks/author/program"
)

// A hook that dies decides nothing, whatever effect its exit code has. sh, bash, Python,
// argparse, grep and Go's panics all exit with 2 when they fail, which blocks, and some
// agents block after any failure.

// Crash says how a hook died without deciding anything; it is empty if the hook
// did not run or decided.
func (r *Record) Crash(run hooks.Run) string {
	x := run.Exit
	printed := strings.TrimSpace(string(x.Stderr))
	switch {
	case run.Hook.Kind() != "command" && x.Err != nil && run.Ran():
		return x.Err.Error()
	case run.Hook.Kind() != "command" || !run.Ran() ||
		strings.HasPrefix(strings.TrimSpace(string(x.Stdout)), "{") || strings.HasPrefix(printed, "{"):
		return ""
	case run.TimedOut && x.Code != 2:
		return "it did not end in time"
	case x.Signal != "":
		return "a signal ended it: " + x.Signal
	case x.Err != nil:
		return "it could not be started: " + x.Err.Error()
	case x.Code == 0:
		return ""
	case x.Code == 126 || x.Code == 127:
		return oneLine("its program could not be started: "+printed, 200)
	}
	if file := r.noProgram(run.Hook); file != "" {
		return "there is no file " + file
	}
	if line := died(run, printed); line != "" {
		return oneLine(line, 200)
	}
	return ""
}

var (
	// interpreted matches a command that runs a file with an interpreter.
	interpreted = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:\S*/)?(?:ba|da|z|k)?(?:sh|python[\d.]*|node|deno run|bun|ruby|perl|php)\s+` +
			`("[^"]+"|'[^']+'|[^\s'"-][^\s'";&|<>]*)`)
	})
	// fault matches what shells and their tools print, after the name of the program or
	// file, when they fail, and captures the name of a missing file.
	fault = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(\S+?): (?:(?:.*[ '])?([^' ]+)'?: No such file|(?:.*\b)?(?:No such file|[Cc]annot open|` +
			`can't (?:open|read)|cannot access|[Ss]yntax error|unexpected EOF|parameter not set|unbound variable|` +
			`command not found|not found$|missing .\]'|Illegal (?:number|option)|integer expression expected|` +
			`numeric argument required|too many arguments|unexpected operator|invalid option|unrecognized option|` +
			`Invalid regular expression|Unmatched|unterminated|\d+ compile error|missing .* near end of file))`)
	})
	// runtimeFault matches what Go, Node and Perl print when a program dies.
	runtimeFault = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(
			`^(?:panic|fatal error): |^flag provided but not defined|\nNode\.js v[\d.]+$| at \S+ line \d+\.$`)
	})
	frame = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^\s*File "([^"]+)", line \d+`) })
)

// shellTools lists the programs whose names begin the error messages of shell hooks.
const shellTools = " sh bash dash zsh ksh python python3 grep egrep sed awk gawk mawk jq ls [ test perl cat find "

// noProgram returns the file that h's command runs with an interpreter, if the file does
// not exist.
func (r *Record) noProgram(h hooks.Hook) string {
	m := interpreted().FindStringSubmatch(strings.TrimSpace(h.Line()))
	if m == nil {
		return ""
	}
	vars := program.Place{Dir: r.Workspace, ProjectDir: r.Workspace, Home: r.Home}.Vars()
	known := true
	file := os.Expand(strings.Trim(m[1], `"'`), func(name string) string {
		value, ok := vars[name]
		known = known && ok
		return value
	})
	if file = strings.Replace(file, "~/", r.Home+"/", 1); !filepath.IsAbs(file) {
		file = filepath.Join(r.Workspace, file)
	}
	if _, err := os.Stat(file); !known || !os.IsNotExist(err) {
		return ""
	}
	return file
}

// died returns the line of stderr that says how h's own program died. It is empty if
// stderr does not say that. What the hook prints about another program that it ran, such
// as a failed test, or about a file that its payload names, is its answer.
func died(run hooks.Run, stderr string) string {
	lines := strings.Split(stderr, "\n")
	last := lines[len(lines)-1]
	own := func(file string) bool {
		return file == "<string>" || file == "<stdin>" || IsHook(hooks.Hook{Command: run.Hook.Line()}, filepath.Base(file))
	}
	switch at := frame().FindStringSubmatch(stderr); {
	case at != nil && own(at[1]), strings.HasPrefix(strings.ToLower(stderr), "usage: "):
		return last
	case runtimeFault().MatchString(stderr):
		return stderr
	}
	// After the error, shells print the source line, and tools their usage.
	for _, line := range lines[max(0, len(lines)-3):] {
		m := fault().FindStringSubmatch(line)
		if m != nil && (strings.Contains(shellTools, " "+filepath.Base(m[1])+" ") || own(m[1])) &&
			(m[2] == "" || !regexp.MustCompile(`["' ]`+regexp.QuoteMeta(m[2])+`["' \\]`).MatchString(run.Stdin.String())) {
			return line
		}
	}
	return ""
}

// crashed fails the case for each hook that blocked by dying, unless an assertion is about
// that, and finds those that act on everything.
func (r *runner) crashed() {
	record := r.rec.soFar()
	var told []string
	passed := map[string]bool{}
	for rep, run := range started(record) {
		if run.Decision == hooks.Proceed && run.Failed == "" {
			passed[keyOf(record, run.Hook)+rep.Subject] = true
		}
	}
	for rep, run := range started(record) {
		why := ""
		if run.Decision == hooks.Deny {
			why = record.Crash(run)
		}
		says := func(about ...string) bool {
			return slices.ContainsFunc(r.c.Commands, func(c Command) bool { return c.expectsCrash(runOf{run, rep}, about) })
		}
		key := keyOf(record, run.Hook) + rep.Subject
		if !acts(run) || slices.Contains(told, key+why) || says("failed", "stderr") {
			continue
		}
		told = append(told, key+why)
		// The traceback may be about what the hook passed on to Python.
		about := run.Exit.Code == 2 && strings.Contains(string(run.Exit.Stderr), `File "<`)
		if why != "" && !(about && (passed[key] || says("reason"))) {
			r.fail(Failure{
				Where: r.c.Path, Expected: fmt.Sprintf("%s to decide at %s", run.Hook.ID(), rep.Event),
				Actual: fmt.Sprintf("it never ran as a guard: %s. It blocked by failing (%s), not by a decision",
					why, exitOf(run)),
			})
		} else if x := refusesAll(r, rep, run, says("reason")); x.why != "" {
			r.refuses = append(r.refuses, x)
		}
	}
}

// expectsCrash reports whether c expects the failure of a run, by a condition on one of
// keys.
func (c Command) expectsCrash(run runOf, keys []string) bool {
	if c.Negated || c.verb.Name != "fired" || c.Args[0] != string(run.report.Event) || !IsHook(run.Hook, c.Args[1]) {
		return false
	}
	return slices.ContainsFunc(c.Conds, func(cond Cond) bool {
		return (slices.Contains(keys, cond.Key) || cond.Key == "exit" && cond.Value != "2") &&
			cond.matches(runValue(run, cond.Key))
	})
}
