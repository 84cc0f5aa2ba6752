package servers

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// Words splits "NAME COMMAND|URL ARGS...". It parses flags, which set o, before the
// name, before the command, and after a URL. After a command, a flag could be the
// server's own, as in "docker run -e TOKEN", so one of ours is refused there.
func (o *Options) Words(flags *pflag.FlagSet, args []string) (name, target string, rest []string, err error) {
	wrong := errors.New("minigem mcp add needs a name, and a command or a URL")
	if len(args) == 0 {
		return "", "", nil, wrong
	}
	if err := flags.Parse(args[1:]); err != nil {
		return "", "", nil, err
	}
	name, args = args[0], flags.Args()
	if len(args) == 0 {
		return "", "", nil, wrong
	}
	target, rest = args[0], args[1:]
	if o.IsURL(target) {
		err := flags.Parse(rest)
		return name, target, flags.Args(), err
	}
	if flags.ArgsLenAtDash() == 0 {
		return name, target, rest, nil
	}
	own, others, dashed := rest, []string(nil), false
	if dash := slices.Index(rest, "--"); dash >= 0 {
		own, others, dashed = rest[:dash], rest[dash+1:], true
	}
	for _, a := range own {
		if isFlagOf(flags, a) {
			return "", "", nil, fmt.Errorf("%s follows the command, where it may be meant for the server: "+
				"write it before the name, or -- before what is the server's", a)
		}
	}
	if dashed {
		rest = slices.Concat(own, others)
	}
	return name, target, rest, nil
}

func isFlagOf(flags *pflag.FlagSet, word string) bool {
	if long, ok := strings.CutPrefix(word, "--"); ok {
		long, _, _ = strings.Cut(long, "=")
		return flags.Lookup(long) != nil
	}
	return len(word) > 1 && word[0] == '-' && flags.ShorthandLookup(word[1:2]) != nil
}
