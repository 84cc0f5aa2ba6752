// Package slash implements the commands that a user types after a "/": the table of
// commands, parsing, completion, and suggestions for unknown ones. Its callers supply
// what commands do.
package slash

import (
	"fmt"
	"slices"
	"strings"

	"minigem/internal/text"
)

// Command is a command or a subcommand. C is what a command works with. It is made for
// each line from the trimmed text after the command's name.
type Command[C any] struct {
	Name    string
	Aliases []string
	Args    string // arguments in the usage: "NAME", or "[NAME]" if optional; empty if there are none
	Help    string // what it does, in a few words
	// Run executes it. If nil, a subcommand must follow.
	Run    func(C) error
	Sub    []Command[C]
	Hidden bool // neither in the help nor suggested
	// Values returns possible args, for completion. May be nil.
	Values func(C) []string
}

// Table is the list of commands, in the order of the help.
type Table[C any] []Command[C]

// UnknownError means that a line names no command.
type UnknownError struct {
	Word    string // as typed, with the words before it: "/hooks lst"
	Nearest string // the command that was probably meant, in the same form; may be empty
	Usage   string // the existing subcommands; empty for a first word
}

func (e *UnknownError) Error() string {
	text := "there is no command " + e.Word
	switch {
	case e.Nearest != "":
		return text + "; did you mean " + e.Nearest + "?"
	case e.Usage != "":
		return text + "; there is " + e.Usage
	}
	return text + "; /help lists them"
}

// UsageError means that a line does not match the usage of its command.
type UsageError struct {
	Usage   string // "/chat save TAG"
	Help    string
	Surplus bool // the command takes no arguments
}

func (e *UsageError) Error() string {
	if e.Surplus {
		return e.Usage + " takes nothing after it"
	}
	return "it is " + e.Usage + ": " + e.Help
}

// Is reports whether line is a command. Paths with a second slash, and the starts of
// comments, are not (cli/services/BuiltinCommandLoader.ts).
func Is(line string) bool {
	if !strings.HasPrefix(line, "/") && line != "?" {
		return false
	}
	if strings.HasPrefix(line, "//") || strings.HasPrefix(line, "/*") {
		return false
	}
	word, _, _ := strings.Cut(line, " ")
	return !strings.Contains(word[1:], "/")
}

// Run executes line. Its error is the command's, an [*UnknownError] or a [*UsageError].
func (t Table[C]) Run(line string, with func(args string) C) error {
	c, said, args, err := t.find(line)
	if err != nil {
		return err
	}
	needed := c.Args != "" && !strings.HasPrefix(c.Args, "[")
	if surplus := c.Args == "" && args != ""; surplus || needed && args == "" {
		return &UsageError{Usage: strings.TrimSpace(said + c.Args), Help: c.Help, Surplus: surplus}
	}
	on := with(args)
	return c.meant(c.Run(on), args, on)
}

// meant adds to a command's error the name that was probably meant instead of the given
// one.
func (c *Command[C]) meant(err error, args string, on C) error {
	if err == nil || c.Values == nil || strings.Contains(err.Error(), "did you mean") {
		return err
	}
	word, _, _ := strings.Cut(args, " ")
	near := text.Nearest(word, c.Values(on))
	if near == word {
		return err
	}
	return fmt.Errorf("%w%s", err, text.DidYouMean(near))
}

// find returns the command that line names and its arguments. said is the words that
// name the command, followed by a blank.
func (t Table[C]) find(line string) (c *Command[C], said, args string, err error) {
	if line == "?" {
		line = "/help"
	}
	rest := strings.TrimPrefix(strings.TrimSpace(line), "/")
	said = "/"
	for {
		word, args, _ := strings.Cut(rest, " ")
		next := t.named(word)
		switch {
		case next == nil && c != nil && c.Run != nil && (rest == "" || c.Args != ""):
			return c, said, rest, nil
		case next == nil:
			return nil, "", "", t.unknown(said, word)
		}
		said += next.Name + " "
		c, rest, t = next, strings.TrimSpace(args), next.Sub
		if len(t) == 0 && c.Run != nil {
			return c, said, rest, nil
		}
	}
}

func (t Table[C]) named(word string) *Command[C] {
	for i := range t {
		if t[i].Name == word || slices.Contains(t[i].Aliases, word) {
			return &t[i]
		}
	}
	return nil
}

func (t Table[C]) unknown(before, word string) error {
	e := &UnknownError{Word: strings.TrimSpace(before + word)}
	if before != "/" {
		var names []string
		for _, c := range t.shown() {
			names = append(names, c.usage())
		}
		e.Usage = strings.TrimSpace(before) + " " + strings.Join(names, " | ")
		if word == "" {
			e.Word += " without a word after it"
		}
	}
	if near := t.nearest(word); near != "" {
		e.Nearest = before + near
	}
	return e
}

// nearest returns the name that was probably meant, or "".
func (t Table[C]) nearest(word string) string {
	var names []string
	for _, c := range t.shown() {
		names = append(append(names, c.Name), c.Aliases...)
	}
	return text.Nearest(word, names)
}

func (t Table[C]) shown() Table[C] {
	return slices.DeleteFunc(slices.Clone(t), func(c Command[C]) bool { return c.Hidden })
}

func (c Command[C]) usage() string { return strings.TrimSpace(c.Name + " " + c.Args) }

func (c Command[C]) others() string {
	if len(c.Aliases) == 0 {
		return ""
	}
	return " (" + strings.Join(c.Aliases, ", ") + ")"
}

// Help lists the commands, one per line, with their aliases.
func (t Table[C]) Help() string {
	var rows [][2]string
	for _, c := range t.shown() {
		rows = append(rows, [2]string{"/" + c.usage() + c.others(), c.Help})
		for _, s := range Table[C](c.Sub).shown() {
			rows = append(rows, [2]string{"  " + s.usage() + s.others(), s.Help})
		}
	}
	width := 0
	for _, r := range rows {
		width = max(width, min(len(r[0]), maxUsage))
	}
	var b strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&b, "  %-*s %s\n", width, r[0], r[1])
	}
	return b.String()
}

// maxUsage limits how far a long usage moves the help text to the right.
const maxUsage = 42
