package slash

import "strings"

// Around a command of the user and what it printed, for the model, and between a
// prompt and the files that it names.
const ran, ranPrinted, ranEnd, referenced = "I ran this command:\n```sh\n", "\n```\n\nIt printed:\n```\n", "\n```",
	"\n--- Content from referenced files ---"

// Ran tells the model of a command that the user ran, and what it printed.
func Ran(line, printed string) string {
	return ran + line + ranPrinted + strings.TrimSpace(printed) + ranEnd
}

// Typed is what the user typed, of a message that the model got for it: a prompt
// without the files that it names, or "!" and a command, which printed something.
func Typed(message string) (typed, printed string) {
	if rest, ok := strings.CutPrefix(message, ran); ok {
		if line, rest, ok := strings.Cut(rest, ranPrinted); ok {
			return "!" + line, strings.TrimSuffix(rest, ranEnd)
		}
	}
	typed, _, _ = strings.Cut(message, referenced)
	return strings.TrimSpace(typed), ""
}
