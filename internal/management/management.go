// Package management knows the words that manage an agent and are not prompts:
// the commands of Gemini CLI, Claude Code and Codex, those of minigem that are
// misspelled or lack their group, and what to do in place of each. A word that
// is not refused here goes to a model, so that when in doubt it is refused: a
// prompt can always be written behind -p.
package management

import (
	"fmt"
	"slices"
	"strings"

	"minigem/internal/text"
)

// A Command is one that minigem does not have.
type Command struct {
	Words   []string // its name, and other names for it
	Of      []string // the programs that have it
	Subs    []string // its own subcommands, for misspelled names
	Instead string   // what to do with minigem, a sentence without its full stop

	// InsteadOf is the same for the words behind the command, where they say
	// more exactly what is wanted; it may be nil, and return "".
	InsteadOf func(args []string) string
}

// Own is a subcommand of minigem and what it has below it.
type Own struct {
	Name string
	Subs []string
}

// Refuse says why words, what was typed in the place of a prompt, is none, and
// what to do; "" where it may be one. Only the first word decides whether it is
// known; it must stand alone, since a quoted sentence is not a command.
func Refuse(words []string, own []Own) string {
	if len(words) == 0 || strings.ContainsFunc(words[0], isSpace) {
		return ""
	}
	word := words[0]
	for _, c := range Commands {
		if slices.Contains(c.Words, word) {
			return c.refusal(word, words[1:])
		}
	}
	if near := misspelled(words, own); near != "" {
		return fmt.Sprintf("%q is not a command; did you mean %q? %s", word, near, asPrompt(word))
	}
	return ""
}

func (c Command) refusal(word string, args []string) string {
	instead := ""
	if c.InsteadOf != nil {
		instead = c.InsteadOf(args)
	}
	if instead == "" {
		instead = c.Instead
	}
	if len(c.Of) == 0 {
		return fmt.Sprintf("%q is a command without its group: %s. %s", word, instead, asPrompt(word))
	}
	return fmt.Sprintf("%q is a command of %s, which minigem does not have: %s. %s", word, list(c.Of), instead, asPrompt(word))
}

func asPrompt(word string) string {
	return fmt.Sprintf("If it is meant as a prompt: minigem -p \"%s ...\"", word)
}

// misspelled returns the command that words are probably meant to be. A word
// that is spelled alike is enough where it stands alone; with others behind it,
// it may begin a sentence, so that the second word must be a subcommand too.
func misspelled(words []string, own []Own) string {
	alone := len(words) == 1 || strings.HasPrefix(words[1], "-")
	for _, o := range own {
		if words[0] == o.Name || alike(words[0], o.Name) && (alone || slices.Contains(o.Subs, words[1])) {
			return strings.Join(append([]string{"minigem", o.Name}, words[1:min(2, len(words))]...), " ")
		}
		if alone && slices.Contains(o.Subs, words[0]) {
			return "minigem " + o.Name + " " + words[0]
		}
	}
	for _, c := range Commands {
		for _, w := range c.Words {
			near := swapped(words[0], w) || len(w) > 4 && alike(words[0], w) // "text" is not "test"
			if near && (alone || slices.Contains(c.Subs, words[1])) {
				return w
			}
		}
	}
	return ""
}

// alike reports whether a is b with a slip of the fingers in it.
func alike(a, b string) bool {
	if a == "" || strings.EqualFold(a, b) {
		return a != ""
	}
	return text.Distance(a, b) <= max(1, len(b)/4)
}

// swapped reports whether a is b with two neighbours changed over.
func swapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) - 1 {
		if a[:i] == b[:i] && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:] {
			return true
		}
	}
	return false
}

func isSpace(r rune) bool { return r == ' ' || r == '\n' || r == '\t' || r == '\r' }

func list(names []string) string {
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return names[0]
}
