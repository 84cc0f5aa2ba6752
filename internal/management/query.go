package management

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"minigem/internal/exit"
)

// ReadQuery takes the prompt out of args, which begin with the first word that
// is not a flag. Gemini CLI takes its flags from anywhere, so that
//
//	gemini "Fix the tests" --yolo
//
// is common in scripts. In
//
//	gemini mcp add github npx -y @scope/pkg
//
// the same rule turns an argument of npx into the permission to run everything.
// So flags count behind a prompt that is one quoted sentence and nothing else;
// behind single words, which may be the command line of another program, they
// are refused, as the words themselves are where they are a command.
func ReadQuery(cmd *cobra.Command, args []string) (query []string, err error) {
	words := slices.Clone(args)
	if i := slices.Index(words, "--"); i >= 0 {
		words = slices.Delete(words, i, i+1)
	}
	if err := RefuseCommand(cmd.Root(), words); err != nil {
		return nil, err
	}
	if len(args) == 0 || cmd.ArgsLenAtDash() == 0 {
		return args, nil
	}
	if len(args) > 1 && strings.ContainsFunc(args[0], unicode.IsSpace) && isFlag(args[1]) {
		return args[:1], readFlagsBehind(cmd, args[1:])
	}
	for _, a := range args {
		if a == "--" {
			break
		}
		if isFlag(a) {
			return nil, exit.Errorf(exit.Input, "%s follows the words of a prompt, where it may be meant for another program: "+
				"write minigem [flags] -p \"...\", or -- before words that begin with a dash", a)
		}
	}
	return words, nil
}

// readFlagsBehind reads the flags behind a prompt.
func readFlagsBehind(cmd *cobra.Command, args []string) error {
	if err := cmd.ParseFlags(args); err != nil {
		return exit.With(exit.Input, fmt.Errorf("after the prompt: %w", err))
	}
	if left := cmd.Flags().Args(); len(left) > 0 {
		return exit.Errorf(exit.Input, "%q follows the prompt and its flags: write the prompt as one, minigem -p \"...\"", left[0])
	}
	for _, name := range []string{"help", "version"} {
		if cmd.Flags().Changed(name) {
			return exit.Errorf(exit.Input, "--%s follows a prompt: give it alone", name)
		}
	}
	return nil
}

// isFlag reports whether s looks like a flag; -- alone and - do not.
func isFlag(s string) bool { return len(s) > 1 && s[0] == '-' && s != "--" }

// RefuseCommand refuses words that are a command and no prompt.
func RefuseCommand(root *cobra.Command, words []string) error {
	var own []Own
	for _, c := range root.Commands() {
		var subs []string
		for _, sub := range c.Commands() {
			subs = append(subs, sub.Name())
		}
		for _, name := range append(c.Aliases, c.Name()) {
			own = append(own, Own{Name: name, Subs: subs})
		}
	}
	if why := Refuse(words, own); why != "" {
		return exit.With(exit.Input, fmt.Errorf("%s", why))
	}
	return nil
}
