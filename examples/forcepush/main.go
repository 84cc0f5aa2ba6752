// Command forcepush is a BeforeTool hook that refuses every git push which may replace
// commits that others have fetched, however the command is written. It parses command
// lines by bash's grammar, as minigem's own policy does. It also refuses what cannot be
// parsed and may be such a push.
//
//	go build -o ~/bin/forcepush ./examples/forcepush
package main

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"minigem/hooks/portable"
	"minigem/hooks/protocol"
	"minigem/tools/policy/shell"
)

const reason = "A push with force is for people. Push to a branch of your own, or ask for it."

func main() { portable.Serve(guard) }

func guard(in protocol.BeforeToolInput) protocol.Output {
	command, ok := in.ToolInput["command"].(string)
	if !ok {
		return protocol.Output{}
	}
	line, err := shell.Parse(command)
	if err != nil && mayPush(command) || line.May([]string{"git", "push"}) || line.May([]string{"git", "send-pack"}) ||
		slices.ContainsFunc(line.Commands, forces) {
		return protocol.DenyBecause(reason)
	}
	return protocol.Output{}
}

// forces reports whether c is, or may be, a push with force.
func forces(c shell.Command) bool { return pushes(c.Normal()) || aliased(c.Words) }

// mayPush reports whether a text that cannot be parsed may run such a push.
func mayPush(text string) bool {
	return shell.Mentions(text, []string{"git", "push"}) || shell.Mentions(text, []string{"git", "send-pack"})
}

var force = regexp.MustCompile(`^(--force|--mirror|-[a-zA-Z]*f|\+)`)

// pushes reports whether words, without git's global options, push with force. An
// unknown word may be anything.
func pushes(words []shell.Word) bool {
	if len(words) < 2 || path.Base(words[0].Text) != "git" || words[1].Known && words[1].Text != "push" &&
		words[1].Text != "send-pack" {
		return false
	}
	return !words[1].Known || slices.ContainsFunc(words[2:], func(w shell.Word) bool {
		return !w.Known || force.MatchString(w.Text)
	})
}

// aliased reports whether git is given an alias for such a push.
func aliased(words []shell.Word) bool {
	return slices.ContainsFunc(words, func(w shell.Word) bool {
		return strings.HasPrefix(w.Text, "alias.") && mayPush("git "+w.Text)
	})
}
