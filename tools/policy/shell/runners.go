package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// runner records what a command runs, and says what the command itself is.
type runner func(w *walker, words []Word, source string) Kind

// runnerOf returns the runner of a command that runs other commands; nil for
// any other one.
func runnerOf(name string) runner {
	switch name {
	case "nohup", "builtin", "busybox", "toybox":
		return prefixed(options{}, 0)
	case "setsid":
		return prefixed(options{flags: "fwc"}, 0)
	case "time":
		return prefixed(options{flags: "pv"}, 0)
	case "nice":
		return prefixed(options{values: "n"}, 0)
	case "ionice":
		return prefixed(options{flags: "t", values: "cn"}, 0)
	case "stdbuf":
		return prefixed(options{values: "ioe"}, 0)
	case "timeout":
		return prefixed(options{flags: "v", values: "ks", long: []string{"foreground", "preserve-status", "verbose"}}, 1)
	case "exec":
		return prefixed(options{flags: "cl", values: "a"}, 0)
	case "sudo":
		return prefixed(options{flags: "AbEeHiKklnPSsVv", values: "CDghpRrTtUu"}, 0)
	case "doas":
		return prefixed(options{flags: "Lns", values: "aCu"}, 0)
	case "env":
		return runEnv
	case "command":
		return runCommand
	case "xargs":
		return runXargs
	case "find":
		return runFind
	case "eval":
		return runEval
	case "trap":
		return runTrap
	case "bash":
		return runShell(syntax.LangBash)
	case "sh", "dash", "ash":
		return runShell(syntax.LangBash, syntax.LangPOSIX)
	case "zsh", "ksh", "ksh93", "mksh", "lksh", "oksh", "fish", "csh", "tcsh", "rbash", "rzsh", "pwsh", "powershell", "osascript", "rc", "es", "elvish", "nu", "xonsh", "osh", "oil", "ysh", "yash", "posh", "sash",
		"hush", "ion", "murex":
		return runForeignShell
	case "cmd", "cmd.exe":
		return func(w *walker, _ []Word, source string) Kind { return w.opaque(source) }
	case "source", ".":
		return runSource
	}
	if h, ok := holders[name]; ok {
		return h.run
	}
	return nil
}

// options says which options stand before the command that is run: one-letter
// flags, one-letter options with a value, and long flags.
type options struct {
	flags, values string
	long          []string
}

// skip returns the index of the first word that is not an option; false where an
// option is not known, or a word that may be several words.
func (o options) skip(words []Word, i int) (int, bool) {
	for ; i < len(words); i++ {
		t := words[i].Text
		switch {
		case !words[i].Known:
			return i, false
		case t == "--":
			return i + 1, true
		case !strings.HasPrefix(t, "-") || t == "-":
			return i, true
		case strings.HasPrefix(t, "--"):
			if !slices.Contains(o.long, t[2:]) {
				return i, false
			}
		default:
			takesNext, ok := o.cluster(t[1:])
			if !ok || takesNext && (i+1 >= len(words) || !words[i+1].Known) {
				return i, false
			}
			if takesNext {
				i++
			}
		}
	}
	return i, true
}

// cluster reads "-abc"; takesNext says that the last letter needs the next word.
func (o options) cluster(letters string) (takesNext, ok bool) {
	for i := range len(letters) {
		c := letters[i : i+1]
		switch {
		case strings.Contains(o.flags, c):
		case strings.Contains(o.values, c):
			return i == len(letters)-1, true
		default:
			return false, false
		}
	}
	return false, true
}

// opaque records that anything may be run.
func (w *walker) opaque(source string) Kind {
	w.add(Command{Kind: Opaque, Source: source})
	return Wrapper
}

// prefixed is a command whose operands, after the first few, are the command
// that it runs.
func prefixed(o options, operands int) func(*walker, []Word, string) Kind {
	return func(w *walker, words []Word, source string) Kind {
		i, ok := o.skip(words, 1)
		for range operands {
			ok = ok && i < len(words) && words[i].Known
			i++
		}
		if !ok {
			return w.opaque(source)
		}
		if i >= len(words) {
			return Plain
		}
		w.inner(words[i:], source)
		return Wrapper
	}
}

// inner records assignments that stand as words, then the command.
func (w *walker) inner(words []Word, source string) {
	for len(words) > 0 && words[0].Known {
		name, _, ok := strings.Cut(words[0].Text, "=")
		if !ok {
			break
		}
		if !variableName.MatchString(name) { // for env it is a variable, for others a command
			w.opaque(source)
			return
		}
		if !harmlessEnvironment(name) {
			w.add(Command{Kind: Effect, Source: words[0].Text, Hides: words[0].Text})
		}
		words = words[1:]
	}
	if len(words) > 0 {
		w.simple(words, source)
	}
}

func runEnv(w *walker, words []Word, source string) Kind {
	i, ok := options{flags: "i0v", values: "u", long: []string{"ignore-environment"}}.skip(words, 1)
	if !ok {
		return w.opaque(source)
	}
	if i < len(words) && words[i].Known && words[i].Text == "-" {
		i++
	}
	before := len(w.commands)
	w.inner(words[i:], source)
	if len(w.commands) == before {
		return Plain // it prints the environment
	}
	return Wrapper
}

func runCommand(w *walker, words []Word, source string) Kind {
	if len(words) > 1 && words[1].Known && (words[1].Text == "-v" || words[1].Text == "-V") {
		return Plain
	}
	return prefixed(options{flags: "p"}, 0)(w, words, source)
}

func runXargs(w *walker, words []Word, source string) Kind {
	o := options{flags: "0rtpxo", values: "InPLsdEa", long: []string{"null", "no-run-if-empty", "verbose"}}
	i, ok := o.skip(words, 1)
	if !ok {
		return w.opaque(source)
	}
	if i >= len(words) {
		return Plain // it runs echo
	}
	command := slices.Clone(words[i:])
	if replaced := replacement(words[1:i]); replaced != "" {
		unknowWhere(command, replaced)
	}
	w.inner(append(command, Word{}), source)
	if hasOption(words[1:i], "a") {
		return Plain // it reads a file that its arguments name
	}
	return Wrapper
}

// replacement finds what -I replaces.
func replacement(opts []Word) string {
	for i, o := range opts {
		if after, ok := strings.CutPrefix(o.Text, "-I"); ok {
			if after == "" && i+1 < len(opts) {
				return opts[i+1].Text
			}
			return after
		}
	}
	return ""
}

// unknowWhere makes the words that hold text unknown.
func unknowWhere(words []Word, text string) {
	for i := range words {
		if strings.Contains(words[i].Text, text) {
			words[i] = Word{}
		}
	}
}

func runFind(w *walker, words []Word, source string) Kind {
	for i := 1; i < len(words); i++ {
		switch words[i].Text {
		case "-exec", "-execdir", "-ok", "-okdir":
		default:
			continue
		}
		end := i + 1
		for end < len(words) && words[end].Text != ";" && words[end].Text != "+" {
			end++
		}
		command := slices.Clone(words[i+1 : end])
		unknowWhere(command, "{}")
		w.inner(command, source)
		i = end
	}
	return Plain
}

func runEval(w *walker, words []Word, source string) Kind {
	texts := make([]string, 0, len(words))
	for _, a := range words[1:] {
		if !a.Known {
			return w.opaque(source)
		}
		texts = append(texts, a.Text)
	}
	w.holdsSubstitution() // the script sees the variables of this one
	return w.nested(strings.Join(texts, " "), source, syntax.LangBash)
}

func runTrap(w *walker, words []Word, source string) Kind {
	if len(words) < 2 || words[1].Known && (words[1].Text == "-" || words[1].Text == "-p" || words[1].Text == "-l") {
		return Plain
	}
	if words[1].Known && words[1].Text == "--" {
		words = words[1:]
	}
	if len(words) < 2 || !words[1].Known {
		return w.opaque(source)
	}
	w.holdsSubstitution() // the script sees the variables of this one
	return w.nested(words[1].Text, source, syntax.LangBash)
}

// nested walks a script within, as each of the languages that it may be in.
func (w *walker) nested(script, source string, langs ...syntax.LangVariant) Kind {
	for _, lang := range langs {
		if err := w.script(script, lang); err != nil {
			return w.opaque(source)
		}
	}
	return Wrapper
}

// runShell handles "-c script". Without it, a shell runs a file, which is for
// rules to judge, or what it reads, which danger tells.
func runShell(langs ...syntax.LangVariant) func(*walker, []Word, string) Kind {
	return func(w *walker, words []Word, source string) Kind {
		script, has, ok := scriptOf(words)
		switch {
		case !ok || has && !script.Known:
			return w.opaque(source)
		case has:
			return w.nested(script.Text, source, langs...)
		case readsScript(words[1:]) || slices.ContainsFunc(words, func(a Word) bool { return a.Piped }):
			w.input(source, langs...)
		}
		return Plain
	}
}

// scriptOf finds the operand of -c; ok is false where that is not certain.
func scriptOf(words []Word) (script Word, has, ok bool) {
	for i := 1; i < len(words); i++ {
		t := words[i].Text
		switch {
		case !words[i].Known:
			return Word{}, has, has
		case has && !strings.HasPrefix(t, "-") && !strings.HasPrefix(t, "+"):
			return words[i], true, true
		case t == "--norc" || t == "--noprofile" || t == "--posix" || t == "--login":
		case t == "-" || t == "--" || strings.HasPrefix(t, "--") || strings.HasPrefix(t, "+"):
			return Word{}, has, false
		case !strings.HasPrefix(t, "-"):
			return Word{}, false, true
		case strings.Trim(t[1:], "ceuxvnlis") != "":
			return Word{}, has, false
		default:
			has = has || strings.Contains(t, "c")
		}
	}
	return Word{}, has, !has
}

// runForeignShell: their grammars are not known here.
func runForeignShell(w *walker, words []Word, source string) Kind {
	if len(words) < 2 || slices.ContainsFunc(words[1:], func(a Word) bool { return !a.Known || strings.HasPrefix(a.Text, "-") }) {
		return w.opaque(source)
	}
	return Plain
}
