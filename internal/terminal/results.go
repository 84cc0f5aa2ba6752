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

// How many lines of a result are shown. What was listed or read is known by its
// beginning, and what a command did by its end.
const (
	shownOfResult = 4
	shownOfOutput = 8
	shownOfDiff   = 20
)

// result is what a call has to show.
type result struct {
	text  string // clean, without a line end after it
	shown int    // how many lines of it
	tail  bool   // the last ones
	dim   bool
	note  string // behind the name: "exit status 3"
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
		// The record of a failed call has the tool's description.
		what = cmp.Or(mainArgument(r.Call.Args), what)
	}
	what = cmp.Or(what, mainArgument(r.Call.Args)) // one that did not run was not described
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

// apart separates what comes by a blank line, but for what belongs to calls
// from one another.
func (v *View) apart(ofCalls bool) {
	if was := v.tools.Swap(ofCalls); !was || !ofCalls {
		v.screen.lines("\n")
	}
}

// Unfold shows the last result whole, and reports whether there is one.
func (v *View) Unfold() bool {
	v.mu.Lock()
	whole := v.unfolded
	v.mu.Unlock()
	if whole != "" {
		v.note("\n" + whole)
	}
	return whole != ""
}

// mainArgument returns the argument that says what a call was about; empty:
// none does.
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

// duration returns how long a call ran; 0: it did not.
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

// lines indents lines of a result; cut: to the width of the window.
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

// wasSaid reports whether the hook lane has said last why a call failed: a refusal
// is said once.
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
			res.text = v.term.Wrap(res.text) // it says what is wrong
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
