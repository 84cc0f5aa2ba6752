package management

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"minigem/internal/exit"
	"minigem/internal/text"
)

// Arrange returns the arguments of root in the order in which cobra reads them:
// the flags of a run, "--", and the words of the prompt. If the first word is one
// of root's commands, it returns args as they are, without the --debug before it.
//
// Gemini CLI takes its flags from anywhere, so that
//
//	gemini hello --output-format json
//
// is common. In
//
//	gemini npx -y @scope/pkg
//
// the same rule turns an argument of npx into the permission to run everything.
// So a flag that permits something counts only before the prompt, or after a
// prompt that is one quoted sentence, and no word may follow a flag. With an
// error, Arrange returns the flags that it could read.
func Arrange(root *cobra.Command, args []string) ([]string, error) {
	root.InitDefaultHelpFlag()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	var flags []string
	keep := func(f *pflag.Flag, value string) error {
		flags = append(flags, "--"+f.Name+"="+value)
		return nil
	}
	fs := root.Flags()
	if fs.ParseAll(args, keep) != nil || fs.NArg() == 0 {
		return args, nil // cobra reports what is wrong
	}
	words, behind, dashed := slices.Clone(fs.Args()), []string(nil), fs.ArgsLenAtDash() == 0
	if i := slices.IndexFunc(words, func(a string) bool { return len(a) > 1 && a[0] == '-' }); i >= 0 && !dashed {
		words, behind = words[:i:i], words[i:]
	}
	own := commandsOf(root)
	if !dashed && isCommand(words, own) {
		flags = slices.DeleteFunc(flags, func(f string) bool { return strings.HasPrefix(f, "--debug=") })
		return slices.Concat(flags, words, behind), nil
	}
	why := refuse(words, own)
	if len(behind) > 0 {
		quoted := len(words) == 1 && strings.ContainsFunc(words[0], unicode.IsSpace)
		err := fs.ParseAll(behind, func(f *pflag.Flag, value string) error {
			if !quoted && permits(f, value) {
				return fmt.Errorf("%s follows the words of a prompt, where it may be meant for another program", nameOf(f))
			}
			return keep(f, value)
		})
		if left := fs.Args(); err == nil && len(left) > 0 && fs.ArgsLenAtDash() != 0 {
			err = fmt.Errorf("%q follows the flags after a prompt", left[0])
		}
		if err != nil && why == "" {
			why = err.Error() + ": write minigem [flags] -p \"...\", or -- before words that begin with a dash"
		}
		words = append(words, fs.Args()...)
	}
	if why != "" {
		return flags, exit.With(exit.Input, errors.New(why))
	}
	return slices.Concat(flags, []string{"--"}, words), nil
}

// nameOf returns the names of a flag: "-y, --yolo".
func nameOf(f *pflag.Flag) string {
	if f.Shorthand == "" {
		return "--" + f.Name
	}
	return "-" + f.Shorthand + ", --" + f.Name
}

// permits reports whether the flag f with value lets a run do more than it may
// without it.
func permits(f *pflag.Flag, value string) bool {
	switch f.Name {
	case "yolo", "skip-trust", "raw-output":
		return value != "false"
	case "approval-mode":
		return value != "default" && value != "plan"
	case "sandbox":
		return value != "true"
	case "allowed-tools", "policy", "admin-policy", "include-directories", "extensions", "allowed-mcp-server-names":
		return true
	}
	return false
}

// RefuseCommand refuses words that are a command and no prompt.
func RefuseCommand(root *cobra.Command, words []string) error {
	if why := refuse(words, commandsOf(root)); why != "" {
		return exit.With(exit.Input, errors.New(why))
	}
	return nil
}

// commandsOf returns minigem's own commands.
func commandsOf(root *cobra.Command) (own []Command) {
	names := func(c *cobra.Command) []string { return append([]string{c.Name()}, c.Aliases...) }
	for _, c := range root.Commands() {
		below := c.Commands()
		if c.Name() == "help" {
			below = append(root.Commands(), below...)
		}
		o := Command{Words: names(c)}
		for _, sub := range below {
			o.Subs = append(o.Subs, names(sub)...)
		}
		own = append(own, o)
	}
	return own
}

// always are the words that begin no sentence: what follows them is theirs, even
// if they do not know it.
var always = []string{"mcp", "extensions", "skills", "hooks", "fake-api"}

// isCommand reports whether words are one of own, with a slip of the fingers in
// its subcommand perhaps.
func isCommand(words []string, own []Command) bool {
	if slices.Contains(always, words[0]) || strings.HasPrefix(words[0], cobra.ShellCompRequestCmd) {
		return true
	}
	for _, c := range own {
		if slices.Contains(c.Words, words[0]) {
			return c.takes(words[1:]) || len(words) == 2 && words[0] != "help" && text.Nearest(words[1], c.Subs) != ""
		}
	}
	return false
}
