package policy

import (
	"cmp"
	"maps"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"minigem/tools/policy/shell"
)

// checkShell judges a command line command by command; the strictest verdict
// is that of the line. A line that cannot be parsed may run anything.
func (e *Engine) checkShell(s situation, c Call) Verdict {
	text, _ := c.Args["command"].(string)
	line, err := e.parse(text)
	commands := line.Commands
	if err != nil || len(commands) == 0 {
		commands = []shell.Command{{Kind: shell.Opaque, Source: text}}
	}
	worst, onlyReads := Verdict{Decision: Allow - 1}, true
	at := placeOf(c, commands)
	for _, cmd := range commands {
		v := e.checkCommand(s, c, at, cmd)
		onlyReads = onlyReads && (v.OnlyReads || cmd.Kind == shell.Wrapper)
		if v.Decision > worst.Decision {
			worst = v
		}
	}
	worst.OnlyReads = onlyReads && worst.Decision == Allow
	if err != nil && worst.Decision != Allow {
		worst.Reason = join(worst.Reason, "the command could not be parsed: "+err.Error())
	}
	return worst
}

func (e *Engine) parse(text string) (shell.Line, error) {
	switch e.options.Shell {
	case Bash:
		return shell.Parse(text)
	case POSIX:
		return shell.ParsePOSIX(text)
	case "":
		if runtime.GOOS != "windows" {
			return shell.Parse(text)
		}
	}
	return shell.ParsePowerShell(text)
}

// checkCommand judges one command: first by rules, then by what is known about
// the command itself.
func (e *Engine) checkCommand(s situation, c Call, at place, cmd shell.Command) Verdict {
	r, perhaps := e.ruleFor(s, c, cmd)
	v := s.unruled()
	if r != nil {
		v = verdictOf(r)
		if v.Decision == Deny && s.mode == ModeYolo && r.conditional() {
			v.Reason = NoSandbox
		}
	}
	label := cmd.Source
	if len(label) > 60 {
		label = strings.ToValidUTF8(label[:60], "") + "..."
	}
	switch {
	case r == nil && cmd.Kind == shell.Wrapper:
		v = Verdict{Decision: Allow, Rule: "judged by what it runs"}
	case v.Decision == Ask && cmd.Safe && s.mode != ModePlan && (r == nil || r.builtIn()):
		if why := e.filesAsked(at, cmd, nil); why != "" {
			return explain(v, label, why)
		}
		if e.options.Unconfined != "" {
			return explain(v, label, e.options.Unconfined)
		}
		v.Decision, v.OnlyReads = Allow, true
		v = explain(v, label, "only reads")
	}
	if perhaps != nil && v.Decision < Ask {
		v.Decision = Ask
		return explain(v, label, "cannot be told from what "+perhaps.Place.String()+" holds back ("+NoSandbox+")")
	}
	if v.Decision != Allow || s.mode == ModeYolo {
		return v
	}
	if why := e.caution(s, at, cmd, r); why != "" {
		v.Decision = Ask
		return explain(v, label, why)
	}
	return v
}

// NoSandbox says what rules about commands are not.
const NoSandbox = "a rule reads command lines and is not a sandbox: minigem -s confines commands"

// caution says why a command that rules allow is asked for nevertheless.
func (e *Engine) caution(s situation, at place, cmd shell.Command, r *Rule) string {
	switch {
	case cmd.Danger != "":
		return cmd.Danger
	case s.untrusted && filepath.Base(cmd.Name()) == "git":
		return "git runs programs that the folder's configuration names, and the folder is not trusted"
	}
	if why := gitAsked(at, cmd); why != "" {
		return why
	}
	if cmd.Kind != shell.Wrapper {
		if why := e.redirectAsked(s, at, cmd, r); why != "" {
			return why
		}
	}
	return e.filesAsked(at, cmd, r)
}

// ruleFor finds the rule that decides about a command; nil where there is none.
// perhaps is one before it that holds back, of which it is not certain whether it matches. A
// wrapper is subject to rules about commands only where they hold back.
func (e *Engine) ruleFor(s situation, c Call, cmd shell.Command) (decides, perhaps *Rule) {
	texts := argumentTexts(c, cmd)
	for i := range s.rules {
		r := &s.rules[i]
		if !r.appliesTo(s, c.Tool, c.Info, c.Subagent) || !e.inArea(r.Area, c.Intent) {
			continue
		}
		if cmd.Kind == shell.Wrapper && (!r.conditional() || !r.restrictive()) {
			continue
		}
		switch r.matchCommand(cmd, texts) {
		case yes:
			return r, perhaps
		case maybe:
			perhaps = cmp.Or(perhaps, r)
		}
	}
	return nil, perhaps
}

// answer is that of a comparison with something that may not be known.
type answer int

const (
	no answer = iota
	maybe
	yes
)

// matchCommand compares the conditions on a command. A rule that allows matches
// only for certain, so that its answer is never maybe.
func (r *Rule) matchCommand(cmd shell.Command, texts []string) answer {
	if r.args != nil {
		return r.matchTexts(r.args.MatchString, texts)
	}
	if r.regex != nil {
		if !r.restrictive() && cmd.Kind != shell.Plain {
			return no
		}
		best := r.matchTexts(r.regex.MatchString, []string{cmd.Text(), cmd.Source})
		if best == no && r.restrictive() && r.mayMatch(cmd) {
			return maybe
		}
		return best
	}
	if len(r.prefixes) == 0 {
		return yes
	}
	best := no
	for _, p := range r.prefixes {
		if r.restrictive() {
			best = max(best, heldBack(p, cmd))
		} else if cmd.Kind == shell.Plain {
			best = max(best, certainly(startsWith(cmd.Words, p)))
		}
	}
	return best
}

func certainly(a answer) answer {
	if a == yes {
		return yes
	}
	return no
}

// matchTexts: what allows must match every way of writing the command, what
// holds back needs one.
func (r *Rule) matchTexts(match func(string) (bool, error), texts []string) answer {
	all, some := true, false
	for _, t := range texts {
		ok, err := match(t)
		if err != nil {
			ok = r.restrictive()
		}
		all, some = all && ok, some || ok
	}
	if r.restrictive() && some || all {
		return yes
	}
	return no
}

// heldBack compares a command with a prefix that holds back. What cannot be
// read may be it, and so may what is made of a text that holds the prefix's
// words.
func heldBack(prefix []string, cmd shell.Command) answer {
	if cmd.Kind == shell.Opaque {
		return maybe
	}
	best := no
	if cmd.Hides != "" && shell.Mentions(cmd.Hides, prefix) {
		best = maybe
	}
	if cmd.Kind == shell.Effect {
		return best
	}
	if slices.ContainsFunc(cmd.Carried(), func(words []string) bool { return begins(words, prefix) }) {
		best = maybe
	}
	return max(best, startsWith(cmd.Words, prefix), startsWith(cmd.Normal(), prefix))
}

// begins reports whether a command of these words has the prefix.
func begins(words, prefix []string) bool {
	if len(words) < len(prefix) || len(prefix) == 0 || path.Base(words[0]) != prefix[0] && words[0] != prefix[0] {
		return false
	}
	return slices.Equal(words[1:len(prefix)], prefix[1:])
}

// mayMatch reports whether the command may be one that the expression of the
// rule matches, or may run one.
func (r *Rule) mayMatch(cmd shell.Command) bool {
	if cmd.Kind == shell.Opaque || cmd.Hides != "" && (matchesWithin(r.regex.MatchString, cmd.Hides) || r.pattern.mentioned(cmd.Hides)) {
		return true
	}
	return r.matchCarried(cmd) || r.pattern.fits(cmd.Words) || r.pattern.fits(cmd.Normal())
}

func (r *Rule) matchCarried(cmd shell.Command) bool {
	return slices.ContainsFunc(cmd.Carried(), func(words []string) bool {
		text := strings.Join(words, " ")
		ok, err := r.regex.MatchString(text)
		if !ok && err == nil {
			ok, err = r.regex.MatchString(path.Base(words[0]) + text[len(words[0]):])
		}
		return ok || err != nil
	})
}

// matchesWithin tries an expression wherever a word begins in a text.
func matchesWithin(match func(string) (bool, error), text string) bool {
	const most = 200 // words; what is longer is not compared
	words := 0
	for i := range text {
		if i > 0 && (isLetter(text[i-1]) || !isLetter(text[i])) {
			continue
		}
		if words++; words > most {
			return true
		}
		if ok, err := match(text[i:]); ok || err != nil {
			return true
		}
	}
	return false
}

func isLetter(c byte) bool {
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
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

// interpreters run what their arguments say, so that "always" means the same
// arguments, not the interpreter.
var interpreters = []string{
	"bash", "sh", "dash", "ash", "zsh", "ksh", "mksh", "fish", "python", "python2", "python3", "node", "deno", "bun", "perl", "ruby",
	"php", "lua", "awk", "gawk", "sed", "npx", "ssh", "docker", "kubectl", "source", ".", "make",
}

// RootCommands returns the command prefixes that "always" would allow for a
// command line: the name of each command that is not allowed as it is, or the
// whole command where the name alone says too little. It is empty where no
// prefix would help: for dangerous commands and those that are not known.
func RootCommands(command string) []string {
	line, err := shell.Parse(command)
	if err != nil {
		return nil
	}
	var out []string
	for _, c := range line.Commands {
		if c.Kind == shell.Opaque || c.Kind == shell.Effect || c.Danger != "" {
			return nil
		}
		if c.Kind == shell.Wrapper || c.Safe {
			continue
		}
		prefix := c.Name()
		if slices.Contains(interpreters, filepath.Base(prefix)) {
			unknown := slices.ContainsFunc(c.Words, func(w shell.Word) bool { return !w.Known })
			if prefix = c.Text(); unknown || len(strings.Fields(prefix)) != len(c.Words) {
				return nil
			}
		}
		if len(strings.Fields(prefix)) == 0 {
			return nil
		}
		if !slices.Contains(out, prefix) {
			out = append(out, prefix)
		}
	}
	return out
}

// isRedirected reports whether any command of the line is.
func isRedirected(command string) bool {
	line, err := shell.Parse(command)
	return err == nil && slices.ContainsFunc(line.Commands, func(c shell.Command) bool { return len(c.Redirects) > 0 })
}

func explain(v Verdict, command, why string) Verdict {
	v.Reason = join(v.Reason, command+": "+why)
	return v
}

func join(a, b string) string { return strings.TrimPrefix(a+"; "+b, "; ") }
