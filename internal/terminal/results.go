package terminal

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"minigem/agent/event"
	"minigem/internal/text"
	"minigem/tools"
)

// How many lines of a result are shown. A listing or a file is recognized by its
// beginning, a command's result by its end.
const (
	shownOfResult = 4
	shownOfOutput = 8
	shownOfDiff   = 20
)

// result is what is shown of a call.
type result struct {
	text  string // clean, without a trailing newline
	shown int    // how many lines are shown
	tail  bool   // the last lines are shown, not the first
	dim   bool
	note  string // after the name: "exit status 3"
}

// tool shows the result of a call.
func (v *View) tool(r event.ToolRecord) {
	res := v.result(r)
	mark := v.style.green("✓")
	switch {
	case r.Status == event.ToolCancelled:
		mark = v.style.yellow("-")
	case r.Status == event.ToolError, r.Data["isError"] == true:
		mark = v.style.red("✗")
	}
	name, what := cmp.Or(cleanLine(r.DisplayName), cleanLine(r.Call.Name)), cleanLine(r.Description)
	if r.Status == event.ToolError {
		// The record of a failed call has the tool's description, not the call's.
		what = cmp.Or(mainArgument(r.Call.Args), what)
	}
	what = cmp.Or(what, mainArgument(r.Call.Args)) // a call that did not run has no description
	note := res.note
	if d := v.duration(r); d > 100*time.Millisecond && r.Status == event.ToolSuccess {
		note = strings.TrimPrefix(note+"  "+seconds(d), "  ")
	}
	if note != "" {
		note = "  " + note
	}
	below := ""
	if room := v.width() - 1 - ansi.StringWidth(note); room < 20 {
		below = v.style.dim(strings.TrimSuffix(v.indented("  ", strings.TrimSpace(note)), "\n")) + "\n"
		note = ""
	}
	head := truncate(fmt.Sprintf("%s %s  %s", mark, v.style.bold(name), what), v.width()-1-max(ansi.StringWidth(note), 2))
	if r.Status == event.ToolCancelled {
		head += v.style.yellow(note)
	} else {
		head += v.style.dim(note)
	}
	v.mu.Lock()
	if res.text != "" {
		v.unfolded = head + "\n" + v.lines(res, strings.Split(res.text, "\n"), false)
	}
	v.mu.Unlock()
	v.apart(true)
	v.note(head + "\n" + below + v.folded(res))
}

// apart separates the next output with a blank line, except between two outputs of
// calls.
func (v *View) apart(ofCalls bool) {
	if was := v.tools.Swap(ofCalls); !was || !ofCalls {
		v.screen.lines("\n")
	}
}

// Unfold shows the last result in full, and reports whether there is one.
func (v *View) Unfold() bool {
	v.mu.Lock()
	whole := v.unfolded
	v.mu.Unlock()
	if whole != "" {
		v.note("\n" + whole)
	}
	return whole != ""
}

// mainArgument returns the argument that says what a call is about, or "".
func mainArgument(args map[string]any) string {
	for _, name := range strings.Fields(`
	file_path dir_path path command pattern query url uri name prompt`) {
		if s, ok := args[name].(string); ok && s != "" {
			return cleanLine(s)
		}
	}
	return ""
}

func (v *View) began(callID string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.ran == nil {
		v.ran = map[string]time.Time{}
	}
	v.ran[callID] = time.Now()
}

// duration returns how long a call ran, or 0 if it did not.
func (v *View) duration(r event.ToolRecord) time.Duration {
	v.mu.Lock()
	defer v.mu.Unlock()
	began, ok := v.ran[r.Call.ID]
	if !ok {
		return 0
	}
	delete(v.ran, r.Call.ID)
	return time.Since(began)
}

// folded returns the part of a result that is shown.
func (v *View) folded(res result) string {
	if res.text == "" {
		return ""
	}
	lines := strings.Split(res.text, "\n")
	more := len(lines) - res.shown
	if more <= 1 {
		return v.lines(res, lines, true)
	}
	hidden := v.style.dim(fmt.Sprintf("  … %s more (^O shows all)", text.Plural(more, "line"))) + "\n"
	if res.tail {
		return hidden + v.lines(res, lines[more:], true)
	}
	return v.lines(res, lines[:res.shown], true) + hidden
}

// lines indents the lines of a result. If cut is set, it cuts them to the window's
// width.
func (v *View) lines(res result, lines []string, cut bool) string {
	var b strings.Builder
	for _, l := range lines {
		l = strings.ReplaceAll(l, "\t", "    ")
		if cut {
			l = truncate(l, v.width()-3)
		}
		if res.dim {
			l = v.style.dim(l)
		}
		b.WriteString(strings.TrimRight("  "+l, " ") + "\n")
	}
	return b.String()
}

// wasSaid reports whether the hook lane has just shown why a call failed, so that a
// refusal is shown only once.
func (v *View) wasSaid(why string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	said := v.refusal
	v.refusal = ""
	return said != "" && strings.HasSuffix(why, ": "+said)
}

func (v *View) result(r event.ToolRecord) result {
	printed := v.live.take(r.Call.ID)
	switch r.Status {
	case event.ToolError:
		if why := cleanLine(r.ErrorMessage); v.wasSaid(why) {
			return result{note: "blocked by a hook"}
		}
		return result{text: v.style.red(v.term.Wrap(cleanLine(r.ErrorMessage))), shown: shownOfResult}
	case event.ToolCancelled:
		note := Cancelled
		if strings.HasPrefix(r.ErrorMessage, "not run: ") {
			note = cleanLine(r.ErrorMessage)
		}
		return result{text: printed, shown: shownOfOutput, tail: true, dim: true, note: note}
	}
	switch d := r.Display.(type) {
	case string:
		res := result{text: strings.Trim(Clean(d), "\n"), shown: shownOfResult, dim: true}
		code, command := r.Data["exitCode"].(int)
		if command {
			res.shown, res.tail = shownOfOutput, true
		}
		if code > 0 {
			res.note = fmt.Sprintf("exit status %d", code)
		} else if !command && r.Data["isError"] == true {
			res.text = v.term.Wrap(res.text) // the error message
		} else if signal, ok := r.Data["signal"]; ok {
			res.note = fmt.Sprintf("ended by signal %v", signal)
		}
		return res
	case tools.FileDiff:
		stat := d.DiffStat
		return result{text: v.diff(d.FileDiff), shown: shownOfDiff,
			note: fmt.Sprintf("+%d -%d", stat.ModelAddedLines+stat.UserAddedLines, stat.ModelRemovedLines+stat.UserRemovedLines)}
	case tools.Listing:
		return result{text: strings.TrimSpace(Clean(d.Summary)), shown: shownOfResult, dim: true}
	case tools.Matches:
		return result{text: strings.TrimSpace(Clean(d.Summary)), shown: shownOfResult, dim: true}
	}
	return result{}
}
