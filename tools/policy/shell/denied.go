package shell

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// Rest returns what a line may run in addition to the commands that it shows: the text of
// all arguments, which programs may run, or the whole line if it is not plain. It is
// empty if every command of a plain line is inert.
func (l Line) Rest() string {
	if !l.Plain {
		return l.Text
	}
	if !slices.ContainsFunc(l.Commands, func(c Command) bool { return !c.Inert() }) {
		return ""
	}
	var b strings.Builder
	for _, c := range l.Commands {
		args := c.Words[1:]
		if path.Base(c.Name()) == "git" && slices.ContainsFunc(args, func(w Word) bool {
			return strings.Contains(w.Text, "alias.")
		}) {
			args = c.Words // another name for one of its commands
		}
		b.WriteString(joined(args) + "\n")
	}
	return b.String()
}

// runners run what their arguments say, and shells what they are fed.
const (
	runners = "source . eval exec command builtin trap env xargs sudo timeout nice nohup time stdbuf setsid"
	shells  = "bash sh dash ash zsh ksh mksh fish"
)

// Runs reports whether the command runs what its arguments say, in the shell's
// language.
func (c Command) Runs() bool {
	name := path.Base(c.Name())
	return Listed(runners, name) || Listed(shells, name)
}

// noScript matches an argument of a shell that is not a script's name.
var noScript = option(`^(-|/dev/|/proc/)`)

// Opaque reports whether the command may run anything: its name or what it is to run is
// not known, or it is a shell that reads its input.
func (c Command) Opaque() bool {
	fed := Listed(shells, path.Base(c.Name())) && !slices.ContainsFunc(c.Words[1:], func(w Word) bool {
		return !noScript().MatchString(w.Text)
	})
	return c.Name() == "" || c.Runs() && !c.Known() || fed
}

// May reports whether the line may run a command that begins with the words of prefix in
// addition to those that it shows. It errs towards yes.
func (l Line) May(prefix []string) bool {
	rest := l.Rest()
	fed := slices.ContainsFunc(l.Commands, func(c Command) bool { return path.Base(c.Name()) == "xargs" })
	return Mentions(rest, prefix) || fed && Mentions(rest, prefix[:1]) || slices.ContainsFunc(l.Commands, Command.Opaque)
}

// unquoted text is compared, too: c'ur'l is curl.
var (
	quotes  = option("\\\\\n|[\\\\\"']")
	blanks  = option(`\\[nrtfv]`) // in $'...', and where printf or echo -e writes
	encoded = option(`\$'[^']*\\[xuUc0-7]|(?i:base64|b64decode|decode64|fromhex|unhexlify|rot_?13|\batob\()`)
)

// Mentions reports whether a text holds all of these words, or may do so in a spelling
// that is not read here. A part of a longer word, as rm in --rm, does not count. A word
// that begins or ends with a star may be a part at that end.
func Mentions(text string, words []string) bool {
	if text == "" {
		return false
	}
	if encoded().MatchString(text) {
		return true
	}
	plain, lines := quotes().ReplaceAllString(text, ""), blanks().ReplaceAllString(text, " ")
	return !slices.ContainsFunc(words, func(word string) bool {
		re := wordIn(word)
		return !re.MatchString(text) && !re.MatchString(plain) && !re.MatchString(lines)
	})
}

// wordIn returns an expression that finds a word. It may begin behind sed's e, which
// runs what follows at once, and behind an option of one letter, whose value it may be.
func wordIn(word string) *regexp.Regexp {
	word, before := strings.CutPrefix(word, "*")
	word, behind := strings.CutSuffix(word, "*")
	source := regexp.QuoteMeta(word)
	if !before && word != "" {
		source = `(^|[^\w-]|(^|[^a-zA-Z])e|(^|[^\w-])-[a-zA-Z])` + source
	}
	if !behind && word != "" {
		source += `([^\w-]|$)`
	}
	return regexp.MustCompile(source)
}
