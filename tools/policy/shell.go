package policy

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/dlclark/regexp2/v2"

	"minigem/tools/policy/shell"
)

// checkShell judges a command line command by command; the strictest verdict is the
// line's. A line that is not plain may run anything else, too.
func (e *Engine) checkShell(s situation, c Call) Verdict {
	text, _ := c.Args["command"].(string)
	line, err := e.parse(text)
	if err != nil || len(line.Commands) == 0 {
		line = shell.Line{Text: text}
	}
	l := judged{Line: line, call: c, dirs: dirsOf(c, line), unread: err != nil}
	l.reads = line.Plain && !slices.ContainsFunc(line.Commands, func(cmd shell.Command) bool {
		return !cmd.Reads() || writes(cmd)
	})
	commands := line.Commands
	if !line.Plain {
		commands = append(slices.Clone(commands), shell.Command{Source: text})
	}
	worst, onlyReads, sandboxed := Verdict{Decision: Allow - 1}, false, false
	for _, cmd := range commands {
		v := e.checkCommand(s, l, cmd)
		onlyReads, sandboxed = onlyReads || v.OnlyReads, sandboxed || v.Sandbox
		if v.Decision > worst.Decision {
			worst = v
		}
	}
	// Where one command runs only because it is believed to read, all are confined.
	worst.OnlyReads = onlyReads && l.reads && worst.Decision == Allow
	worst.Sandbox = sandboxed && worst.Decision == Allow // a line is one process
	if err != nil && worst.Decision != Allow {
		worst.Reason = join(worst.Reason, "the command could not be parsed: "+err.Error())
	}
	return worst
}

// judged is a command line that is being judged.
type judged struct {
	shell.Line
	call   Call
	dirs   []string // the possible working directories of any command; nil if they are unknown
	reads  bool     // all of it only reads, so that it runs confined
	unread bool     // it cannot be parsed
}

// writes reports whether a redirection of the command writes a file.
func writes(cmd shell.Command) bool {
	return slices.ContainsFunc(cmd.Redirects, func(rd shell.Redirect) bool { return rd.Writes })
}

// parse reads a line by the grammar of the shell that will run it.
func (e *Engine) parse(text string) (shell.Line, error) {
	switch e.options.Shell {
	case Bash:
		return shell.Parse(text)
	case POSIX:
		return shell.ParsePOSIX(text)
	}
	return shell.ParsePowerShell(text)
}

// checkCommand judges one command: first by rules, then by what is known about
// the command itself. A command without words is whatever else the line may run.
func (e *Engine) checkCommand(s situation, l judged, cmd shell.Command) Verdict {
	r, perhaps := e.ruleFor(s, l, cmd)
	v := s.unruled()
	if r != nil {
		v = verdictOf(r)
		if v.Decision == Deny && s.Mode == ModeYolo && r.conditional() {
			v.Reason = NoSandbox
		}
	}
	label := fmt.Sprintf("%.60s", cmd.Source)
	// In a line that a rule allows in part, only what cannot write goes along.
	reads := l.Plain && !writes(cmd) && (l.reads || cmd.Inert())
	if v.Decision == Ask && reads && s.Mode != ModePlan && (r == nil || r.builtIn()) {
		why := e.secretAsked(l, cmd)
		if why == "" && l.reads {
			why = e.options.Unconfined
		}
		if why != "" {
			return explain(v, label, why)
		}
		v.Decision, v.OnlyReads = Allow, true
		v = explain(v, label, "only reads")
	}
	if perhaps != nil && v.Decision < Ask {
		v.Decision = Ask
		return explain(v, label, "cannot be told from what "+perhaps.Place.String()+" holds back ("+NoSandbox+")")
	}
	switch {
	case v.Decision == Ask && !l.Plain && cmd.Words == nil:
		return explain(v, label, "it is more than a list of simple commands")
	case v.Decision != Allow || s.Mode == ModeYolo:
		return v
	}
	if why := e.caution(s, l, cmd, r); why != "" {
		v.Decision, v.OnlyReads = Ask, false
		return explain(v, label, why)
	}
	return v
}

// NoSandbox says what rules about commands are not.
const NoSandbox = "a rule reads command lines and is not a sandbox: minigem -s confines commands"

// caution returns why a command needs approval although it only reads or a rule allows
// it.
func (e *Engine) caution(s situation, l judged, cmd shell.Command, r *Rule) string {
	git := path.Base(cmd.Name()) == "git"
	if git && s.Untrusted {
		return "git runs programs that the folder's configuration names, and the folder is not trusted"
	}
	if git {
		if why := gitAsked(l, cmd); why != "" {
			return why
		}
	}
	if why := e.redirectAsked(s, l, cmd, r); why != "" {
		return why
	}
	if r == nil || r.builtIn() {
		return ""
	}
	if l.Plain && !git && cmd.Reads() {
		if why := e.secretAsked(l, cmd); why != "" {
			return why
		}
	}
	for i := range s.Rules {
		also := &s.Rules[i]
		if !also.Always || !also.appliesTo(s, l.call) {
			continue
		}
		anywhere := len(cmd.Words) == 0 && also.restrictive() && also.regex != nil &&
			matchesWithin(also.regex, l.Text)
		if match := also.matchCommand(l, cmd); anywhere || match == yes || match == maybe && expands(cmd) {
			if also.Decision == Allow {
				break
			}
			return "the rule in " + also.Place.String() + " (" + also.Name + ") asks even where another allows it"
		}
	}
	return e.namesSensitive(l, cmd)
}

// expands reports whether the shell makes other words of a command's, which may be any.
func expands(cmd shell.Command) bool {
	return slices.ContainsFunc(cmd.Words, func(w shell.Word) bool { return !w.Known && !w.Glob })
}

// ruleFor finds the rule that decides about a command; nil if no rule does. perhaps is
// one before it that holds back, of which it is not certain whether it matches.
func (e *Engine) ruleFor(s situation, l judged, cmd shell.Command) (decides, perhaps *Rule) {
	for i := range s.Rules {
		r := &s.Rules[i]
		if r.Always || !r.appliesTo(s, l.call) || !e.inArea(r.Area, l.call.Intent) {
			continue
		}
		switch r.matchCommand(l, cmd) {
		case yes:
			return r, perhaps
		case maybe:
			perhaps = cmp.Or(perhaps, r)
		}
	}
	return nil, perhaps
}

// answer is the result of a comparison with something that may not be known.
type answer int

// In the order of certainty, so that max finds the best of several.
const (
	no answer = iota
	maybe
	yes
)

// matchCommand compares the conditions on a command. A rule that allows matches
// only for certain, and only in a plain line, so that its answer is never maybe.
func (r *Rule) matchCommand(l judged, cmd shell.Command) answer {
	if r.args != nil {
		return r.matchTexts(r.args, argumentTexts(l.call, cmd))
	}
	if r.regex == nil && len(r.prefixes) == 0 {
		return yes
	}
	if !r.restrictive() && (!l.Plain || len(cmd.Words) == 0) {
		return no
	}
	if r.regex != nil {
		best := no
		if len(cmd.Words) > 0 {
			best = r.matchTexts(r.regex, []string{cmd.Text(), cmd.Source})
		}
		if best == no && r.restrictive() && r.mayMatch(l, cmd) {
			return maybe
		}
		return best
	}
	best := no
	for _, p := range r.prefixes {
		if r.whole && len(cmd.Words) > len(p) && moreIsCode(p) {
			continue
		}
		if r.restrictive() {
			best = max(best, heldBack(p, l, cmd))
		} else {
			best = max(best, startsWith(cmd.Words, p)&^maybe)
		}
	}
	return best
}

// matchTexts matches all ways of writing the command. A rule that allows must match
// each of them; a rule that denies or asks needs to match only one.
func (r *Rule) matchTexts(re *regexp2.Regexp, texts []string) answer {
	all, some := true, false
	for _, t := range texts {
		ok := matches(re, t, r.restrictive())
		all, some = all && ok, some || ok
	}
	if r.restrictive() && some || all {
		return yes
	}
	return no
}

// heldBack compares a command with a prefix that denies or asks. An unknown name may
// match the prefix, and so may whatever else the line runs.
func heldBack(prefix []string, l judged, cmd shell.Command) answer {
	best := no
	if l.unknown(cmd) || l.May(prefix) {
		best = maybe
	}
	if len(cmd.Words) == 0 {
		return best
	}
	return max(best, startsWith(cmd.Words, prefix), startsWith(cmd.Normal(), prefix))
}

// unknown reports whether a command may run anything.
func (l judged) unknown(cmd shell.Command) bool {
	if len(cmd.Words) == 0 {
		return l.unread
	}
	return cmd.Opaque()
}

// mayMatch reports whether the command may be one that the expression of the
// rule matches, or may run one.
func (r *Rule) mayMatch(l judged, cmd shell.Command) bool {
	rest := l.Rest()
	if l.unknown(cmd) || rest != "" && matchesWithin(r.regex, rest) {
		return true
	}
	normal := cmd.Normal()
	if len(normal) > 0 && matches(r.regex, shell.Command{Words: normal, Source: cmd.Source}.Text(), true) {
		return true
	}
	return slices.ContainsFunc(r.pattern, func(line []string) bool {
		known := line[:slices.IndexFunc(line, func(w string) bool { return strings.Contains(w, anything) })]
		return shell.Mentions(rest, line) || len(normal) > 0 && !cmd.Known() &&
			(startsWith(cmd.Words, known) != no || startsWith(normal, known) != no)
	})
}

// wordStart matches the places at which a command may begin in a text that is not
// understood.
var wordStart = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^|\b\w`) })

// matchesWithin tries an expression wherever a word begins in a text. Of a long text, the
// rest is not compared and may match.
func matchesWithin(re *regexp2.Regexp, text string) bool {
	const most = 200
	starts := wordStart().FindAllStringIndex(text, most)
	return len(starts) == most || slices.ContainsFunc(starts, func(at []int) bool {
		return matches(re, text[at[0]:], true)
	})
}

// startsWith compares word by word.
func startsWith(words []shell.Word, prefix []string) answer {
	for i, p := range prefix {
		switch {
		case i >= len(words):
			return no
		case !words[i].Known:
			return maybe
		case words[i].Text != p:
			return no
		}
	}
	return yes
}

// argumentTexts renders the call as if it were for this command alone, with and
// without quotes.
func argumentTexts(c Call, cmd shell.Command) []string {
	args := maps.Clone(c.Args)
	if args == nil {
		args = map[string]any{}
	}
	args["command"] = cmd.Source
	texts := []string{stable(args)}
	if plain := cmd.Text(); plain != cmd.Source {
		args["command"] = plain
		texts = append(texts, stable(args))
	}
	return texts
}

// explain adds to v the reason for one command of the line.
func explain(v Verdict, command, why string) Verdict {
	v.Reason = join(v.Reason, command+": "+why)
	return v
}

// join joins two reasons; a may be empty.
func join(a, b string) string { return strings.TrimPrefix(a+"; "+b, "; ") }
