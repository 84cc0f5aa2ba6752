package slash

import (
	"slices"
	"strings"

	"minigem/internal/text"
)

// chatNames lists the commands of the chat and their aliases.
const chatNames = `about agents auth bg background bug bug-memory chat checkpoints clear new commands compress
	summarize compact copy corgi profile oncall voice directory dir docs editor export export-session extensions
	footer statusline gemma help ? shortcuts hooks ide init last mcp memory mode model permissions plan policies
	privacy quit exit resume restore rewind settings setup-github skills stats usage tasks terminal-setup theme
	tools upgrade vim`

// Names returns the names of the chat's commands. No other command may use them.
func Names() []string { return strings.Fields(chatNames) }

// Meant reports whether word, which follows a "/", is probably a command of the chat: its
// name, a prefix of it, or a misspelling.
func Meant(word string) bool {
	begins := func(name string) bool { return strings.HasPrefix(name, word) }
	return slices.ContainsFunc(Names(), begins) || text.Nearest(word, Names()) != ""
}
