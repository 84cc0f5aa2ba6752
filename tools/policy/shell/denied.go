package shell

import (
	"path"
	"slices"
	"strings"
	"sync"
)

// Rest returns what a line may run in addition to the commands that it shows: the text of
// all arguments, which programs may run, or the whole line if it is not plain. It is
// empty if every command of a plain line is inert or takes plain words.
func (l Line) Rest() string {
	if !l.Plain {
		return l.Text
	}
	evaluates := strings.Contains(l.Text, "$(") || strings.Contains(l.Text, "`") // test -v and printf -v do
	if !slices.ContainsFunc(l.Commands, func(c Command) bool {
		return !c.Inert() && (evaluates || !Listed(words, c.Name()))
	}) {
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

// Opaque reports whether the command may run anything: its name or what it is to run is
// not known, or it is a shell that reads its input.
func (c Command) Opaque() bool {
	fed := Listed(shells, path.Base(c.Name())) && !slices.ContainsFunc(c.Words[1:], func(w Word) bool {
		return !strings.HasPrefix(w.Text, "-") && !strings.HasPrefix(w.Text, "/dev/") &&
			!strings.HasPrefix(w.Text, "/proc/") || w.Text == "--version" || w.Text == "--help"
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
	quotes = sync.OnceValue(func() *strings.Replacer {
		return strings.NewReplacer("\\\n", "", `\`, "", `"`, "", `'`, "")
	})
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
	plain, lines := quotes().Replace(text), blanks().ReplaceAllString(text, " ")
	return !slices.ContainsFunc(words, func(word string) bool {
		return !holdsWord(text, word) && !holdsWord(plain, word) && !holdsWord(lines, word)
	})
}

func holdsWord(text, word string) bool {
	word, before := strings.CutPrefix(word, "*")
	word, behind := strings.CutSuffix(word, "*")
	if word == "" {
		return true
	}
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(word)
		if (before || begins(text, i)) && (behind || end == len(text) || !ofWord(text[end])) {
			return true
		}
		from = i + 1
	}
}

// begins reports whether a word may begin at i: sed's e runs what follows it at
// once, and so may the value of an option of one letter.
func begins(text string, i int) bool {
	return i == 0 || !ofWord(text[i-1]) || text[i-1] == 'e' && (i == 1 || !letter(text[i-2])) ||
		i > 1 && letter(text[i-1]) && text[i-2] == '-' && (i == 2 || !ofWord(text[i-3]))
}

func ofWord(c byte) bool { return c == '_' || c == '-' || '0' <= c && c <= '9' || letter(c) }

func letter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
