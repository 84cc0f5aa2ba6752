package testbed

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"minigem/agent"
	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/internal/text"
)

var endings = []string{
	string(agent.Answered), string(agent.Blocked), string(agent.Stopped), string(agent.MaxTurns), string(agent.MaxRounds),
	string(agent.Loop), string(agent.Cancelled), string(agent.InvalidStream), string(agent.Failed),
}

func checkEnding(args []string) error { return oneOf(endings...)(args) }

func judgeStreams(r *Record, c Command) verdict {
	got := stream(r, c.verb.Name)
	v := verdict{expected: c.verb.Name + with(c.Conds), actual: "it is empty"}
	v.ok = got != "" && all(c.Conds, func(string) string { return got })
	if got != "" {
		v.actual = "it is\n" + indent(clip(r.shorten(got), 3000))
	}
	return v
}

// stream returns the named output of minigem or of the session's file. It is empty if
// there is no such stream or nothing in it.
func stream(r *Record, name string) string {
	switch name {
	case "stdout":
		return r.Stdout
	case "stderr":
		return r.Stderr
	case "screen":
		return r.Screen
	case "user-saw":
		return r.Stdout + r.Stderr + r.Screen
	case "notice":
		return strings.Join(r.Notices, "\n")
	case "transcript":
		return r.Transcript()
	}
	return ""
}

func judgeFile(r *Record, c Command) verdict {
	v := verdict{expected: c.Args[0] + " exists" + with(c.Conds)}
	got, err := r.read(c.Args[0])
	if err != nil {
		v.actual = err.Error() + r.filesNear()
		return v
	}
	v.ok = all(c.Conds, func(string) string { return got })
	v.actual = "it is\n" + indent(clip(got, 3000))
	return v
}

// filesNear lists the files of the workspace.
func (r *Record) filesNear() string {
	entries, err := os.ReadDir(r.Workspace)
	if err != nil {
		return ""
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return "; it has " + strings.Join(names, ", ")
}

func judgeExists(r *Record, c Command) verdict {
	var there, missing []string
	v := verdict{expected: strings.Join(c.Args, ", ") + " to exist"}
	for _, name := range c.Args {
		if _, err := os.Lstat(filepath.Join(r.Workspace, filepath.FromSlash(name))); err != nil {
			missing = append(missing, name)
		} else {
			there = append(there, name)
		}
	}
	v.ok = len(missing) == 0
	v.actual = "there is no " + strings.Join(missing, ", ") + r.filesNear()
	if c.Negated || v.ok {
		v.ok = len(there) > 0 // not: not even one
		v.actual = strings.Join(there, ", ") + " exists"
	}
	return v
}

func judgeCmp(r *Record, c Command) verdict {
	name := c.Args[0]
	switch name {
	case "stdout", "stderr":
		return r.compare(name, r.shorten(stream(r, name)), c.Args[1])
	case "screen":
		return r.compare(name, steady(r.shorten(r.Screen)), c.Args[1])
	}
	got, err := r.read(name)
	if err != nil {
		return verdict{expected: name + " equals " + c.Args[1], actual: err.Error() + r.filesNear()}
	}
	return r.compare(name, r.shorten(got), c.Args[1])
}

// unsteady matches what differs from run to run on a screen.
var unsteady = []struct {
	what *regexp.Regexp
	by   string
}{
	{regexp.MustCompile(`\b\d+ ms\b`), "N ms"},
	{regexp.MustCompile(`\b\d+\.\d s\b`), "N s"},
	{regexp.MustCompile(`(?m)^minigem \S+`), "minigem VERSION"},
	{volatile, "ID"},
}

func steady(screen string) string {
	for _, u := range unsteady {
		screen = u.what.ReplaceAllString(screen, u.by)
	}
	return screen
}

// compare compares got with a section, or updates the section if asked to.
func (r *Record) compare(what, got, name string) verdict {
	if got != "" && !strings.HasSuffix(got, "\n") {
		got += "\n" // a section ends in one
	}
	want, ok := r.wants[name]
	v := verdict{ok: ok && string(want.data) == got, expected: what + " equals " + name}
	switch {
	case v.ok:
		v.actual = "it does"
	case r.update:
		r.updates[name] = []byte(got)
		v.ok = true
	case !ok:
		v.actual = fmt.Sprintf("the case has no section -- %s --; --update writes it", name)
		v.detail = "it would be:\n" + indent(got)
	default:
		v.actual = "it differs; --update rewrites it"
		v.detail = udiff.Unified(name, what, string(want.data), got)
	}
	return v
}

func (r *Record) last() (Outcome, bool) {
	if len(r.Outcomes) == 0 {
		return Outcome{}, false
	}
	return r.Outcomes[len(r.Outcomes)-1], true
}

func judgeExit(r *Record, c Command) verdict {
	want, _ := strconv.Atoi(c.Args[0])
	o, ok := r.last()
	v := verdict{ok: ok && o.Exit == want, expected: "exit code " + c.Args[0],
		actual: fmt.Sprintf("it is %d%s", o.Exit, why(o))}
	if !ok {
		v.actual = "there was no prompt"
	}
	if r.opening != nil {
		v.detail = r.shorten(r.opening.Error())
	}
	return v
}

func why(o Outcome) string {
	switch {
	case o.Err != nil:
		return ": " + o.Err.Error()
	case o.Reason != "":
		return ": " + o.Reason
	}
	return ""
}

func judgeEnding(r *Record, c Command) verdict {
	o, ok := r.last()
	v := verdict{ok: ok && string(o.Ending) == c.Args[0], expected: "the prompt ends " + c.Args[0], actual: "it ended " +
		string(o.Ending) + why(o)}
	if !ok || r.opening != nil {
		v.actual = "there was no prompt" + r.opened()
	}
	return v
}

func judgeMaxMS(r *Record, c Command) verdict {
	most, _ := strconv.Atoi(c.Args[1])
	v := verdict{ok: true, expected: fmt.Sprintf("no run of %s takes longer than %d ms", c.Args[0], most),
		actual: "none did"}
	ran := false
	for rep, run := range started(r) {
		if !IsHook(run.Hook, c.Args[0]) {
			continue
		}
		ran = true
		if ms := run.Exit.Duration.Milliseconds(); ms > int64(most) {
			v.ok, v.actual, v.detail = false, fmt.Sprintf("one took %d ms, at %s", ms, rep.Event), Describe(rep, r.shorten)
		}
	}
	if !ran {
		v.ok = false
		v.invalid, v.actual = r.neverRan(c.Args[0])
	}
	return v
}

func judgeMaxProcesses(r *Record, c Command) verdict {
	most, _ := strconv.Atoi(c.Args[0])
	byHook, total := map[string]int{}, 0
	var order []string
	for rep, run := range started(r) {
		id := fmt.Sprintf("%s %s", rep.Event, run.Hook.ID())
		if byHook[id] == 0 {
			order = append(order, id)
		}
		byHook[id]++
		total++
	}
	var b strings.Builder
	for _, id := range order {
		fmt.Fprintf(&b, "%4d  %s\n", byHook[id], id)
	}
	return verdict{ok: total <= most, expected: fmt.Sprintf("no more than %d hook processes", most),
		actual: fmt.Sprintf("there were %d", total), detail: b.String()}
}

func judgeMaxRetries(r *Record, c Command) verdict {
	most, _ := strconv.Atoi(c.Args[0])
	longest, now := 0, 0
	var last hooks.Report
	for _, rep := range r.Reports {
		if rep.Event != protocol.AfterAgent {
			continue
		}
		now++
		if !retried(rep) {
			now = 0
		}
		if rep.Verdict.Decision == hooks.Deny {
			last = rep
		}
		longest = max(longest, now)
	}
	v := verdict{ok: longest <= most, expected: fmt.Sprintf("no more than %s of one prompt", text.Plural(most, "retry")),
		actual: fmt.Sprintf("there were %s", text.Plural(longest, "retry"))}
	if r.unknown(string(protocol.AfterAgent), "*") {
		v.invalid, v.actual = true, "no hook is configured for AfterAgent"
	}
	if v.ok {
		return v
	}
	for _, h := range last.Verdict.Hooks {
		if !r.looksAtFlag(last, h) {
			v.actual += fmt.Sprintf("; %s never reads stop_hook_active, which marks a retry", h)
		}
	}
	v.detail = Describe(last, r.shorten)
	return v
}

// looksAtFlag reports whether a hook, or a file that its command names, mentions
// stop_hook_active.
func (r *Record) looksAtFlag(rep hooks.Report, id string) bool {
	i := slices.IndexFunc(rep.Runs, func(run hooks.Run) bool { return run.Hook.ID() == id })
	return i < 0 || strings.Contains(source(r, rep.Runs[i].Hook), "stop_hook_active")
}
