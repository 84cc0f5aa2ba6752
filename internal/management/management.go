// Package management tells commands from prompts. It knows the commands of minigem and
// those of Gemini CLI, Claude Code and Codex, and what to do instead of each that
// minigem does not have. A prompt can always be given after -p.
package management

import (
	"fmt"
	"slices"
	"strings"

	"minigem/internal/text"
)

// Command is a word that manages an agent.
type Command struct {
	Words   []string // its name and aliases
	Of      []string // the programs that have it; empty for minigem's own words
	Subs    []string // its subcommands
	URL     bool     // an address may follow it
	Instead string   // what to do with minigem, as a sentence without a full stop
}

// takes reports whether rest, the words after one of c.Words, makes it a command:
// nothing, a flag, a subcommand or an address. "review this file" is a sentence.
func (c Command) takes(rest []string) bool {
	return len(rest) == 0 || strings.HasPrefix(rest[0], "-") || slices.Contains(c.Subs, rest[0]) ||
		c.URL && (strings.Contains(rest[0], "://") || strings.HasPrefix(rest[0], "git@"))
}

// refuse returns why words are a command that minigem does not have, and what to do
// instead, or "" if they may be a prompt.
func refuse(words []string, own []Command) string {
	if len(words) == 0 {
		return ""
	}
	word, rest := words[0], words[1:]
	for _, c := range Commands {
		if slices.Contains(c.Words, word) && c.takes(rest) {
			return c.refusal(word)
		}
	}
	if near := misspelled(word, rest, own); near != "" {
		return fmt.Sprintf("%q is not a command; did you mean %q? %s", word, near, asPrompt(word))
	}
	return ""
}

func (c Command) refusal(word string) string {
	whose := "not a command of minigem"
	if len(c.Of) > 0 {
		whose = "a command of " + list(c.Of) + ", which minigem does not have"
	}
	return fmt.Sprintf("%q is %s: %s. %s", word, whose, c.Instead, asPrompt(word))
}

func asPrompt(word string) string {
	return fmt.Sprintf("If it is meant as a prompt: minigem -p \"%s ...\"", word)
}

// misspelled returns the command that word and rest probably mean, or "".
func misspelled(word string, rest []string, own []Command) string {
	for _, c := range own {
		for _, w := range c.Words {
			if alike(word, w) && c.takes(rest) {
				return strings.Join(append([]string{"minigem", w}, rest[:min(1, len(rest))]...), " ")
			}
		}
		if (Command{}).takes(rest) && slices.Contains(c.Subs, word) {
			return "minigem " + c.Words[0] + " " + word
		}
	}
	for _, c := range Commands {
		for _, w := range c.Words {
			near := swapped(word, w) || len(w) > 4 && alike(word, w) // "text" is not "test"
			if near && c.takes(rest) {
				return w
			}
		}
	}
	return ""
}

// alike reports whether a is b with a typo.
func alike(a, b string) bool {
	if a == "" || strings.EqualFold(a, b) {
		return a != ""
	}
	return text.Distance(a, b) <= max(1, len(b)/4)
}

// swapped reports whether a is b with two neighbouring letters swapped.
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

func list(names []string) string {
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return names[0]
}
