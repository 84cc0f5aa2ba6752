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

// Arrange returns the arguments of root in the order in which cobra reads them: the
// flags of a run, "--", and the words of the prompt. If the first word is one of root's
// commands, it returns args as they are, without the --debug before it.
//
// Gemini CLI accepts its flags anywhere, so that
//
//	gemini hello --output-format json
//
// is common. In
//
//	gemini npx -y @scope/pkg
//
// the same rule turns an argument of npx into the permission to run everything. So a
// flag that permits something only counts before the prompt, or after a prompt that is
// one quoted sentence, and no word may follow a flag. On an error, Arrange returns the
// flags that it could read.
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
		return args, nil // cobra reports the error
	}
	words, behind := split(fs)
	own := commandsOf(root)
	if fs.ArgsLenAtDash() != 0 && isCommand(words, own) {
		flags = slices.DeleteFunc(flags, func(f string) bool { return strings.HasPrefix(f, "--debug=") })
		return slices.Concat(flags, words, behind), nil
	}
	words, err := prompt(fs, words, behind, own, keep)
	if err != nil {
		return flags, err
	}
	return slices.Concat(flags, []string{"--"}, words), nil
}

// PromptOf returns the words of the prompt in args, which are what follows the first
// argument of cmd. It sets the flags before and after them according to the rules of
// Arrange. cmd stops reading flags at its first argument.
func PromptOf(cmd *cobra.Command, args []string) ([]string, error) {
	fs := cmd.Flags()
	set := func(f *pflag.Flag, value string) error {
		if f.Name == "help" {
			return pflag.ErrHelp
		}
		return fs.Set(f.Name, value)
	}
	switch err := fs.ParseAll(args, set); {
	case errors.Is(err, pflag.ErrHelp):
		return nil, err
	case err != nil:
		return nil, cmd.FlagErrorFunc()(cmd, err)
	}
	words, behind := split(fs)
	return prompt(fs, words, behind, commandsOf(cmd.Root()), set)
}

// split returns the words that fs has left, up to the first flag, and everything from
// that flag on.
func split(fs *pflag.FlagSet) (words, behind []string) {
	words = slices.Clone(fs.Args())
	i := slices.IndexFunc(words, func(a string) bool { return len(a) > 1 && a[0] == '-' })
	if i < 0 || fs.ArgsLenAtDash() == 0 {
		return words, nil
	}
	return words[:i:i], words[i:]
}

// prompt returns words together with those that follow the flags in behind, and passes
// each of these flags to keep.
func prompt(
	fs *pflag.FlagSet, words, behind []string, own []Command, keep func(*pflag.Flag, string) error,
) ([]string, error) {
	why := refuse(words, own)
	var err error
	if len(behind) > 0 {
		quoted := len(words) == 1 && strings.ContainsFunc(words[0], unicode.IsSpace)
		err = fs.ParseAll(behind, func(f *pflag.Flag, value string) error {
			if !quoted && permits(f, value) {
				return fmt.Errorf("%s follows the words of a prompt, where it may be meant for another program", nameOf(f))
			}
			return keep(f, value)
		})
		if left := fs.Args(); err == nil && len(left) > 0 && fs.ArgsLenAtDash() != 0 {
			err = fmt.Errorf("%q follows the flags after a prompt", left[0])
		}
		if err != nil {
			err = fmt.Errorf("%w: write the flags first, the prompt in quotes, and -- before words that begin with a dash", err)
		}
		words = append(words, fs.Args()...)
	}
	if why != "" {
		err = errors.New(why)
	}
	if err != nil {
		return nil, exit.With(exit.Input, err)
	}
	return words, nil
}

// nameOf returns the names of a flag: "-y, --yolo".
func nameOf(f *pflag.Flag) string {
	if f.Shorthand == "" {
		return "--" + f.Name
	}
	return "-" + f.Shorthand + ", --" + f.Name
}

// permits reports whether the flag f with value lets a run do more than it could
// without it.
func permits(f *pflag.Flag, value string) bool {
	switch f.Name {
	case "yolo", "skip-trust", "raw-output", "force":
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

// always lists the words that begin no sentence: what follows them is always theirs,
// even if they do not know it.
var always = []string{"mcp", "extensions", "skills", "hooks", "fake-api"}

// isCommand reports whether words are one of own, possibly with a typo in the
// subcommand.
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
