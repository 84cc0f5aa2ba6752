package slash

import "strings"

// The text around a user's command and its output, for the model, and between a prompt
// and the files that it names.
const ran, ranPrinted, ranEnd, referenced = "I ran this command:\n```sh\n", "\n```\n\nIt printed:\n```\n", "\n```",
	"\n--- Content from referenced files ---"

// Ran returns the message that tells the model about a command that the user ran, and
// its output.
func Ran(line, printed string) string {
	return ran + line + ranPrinted + strings.TrimSpace(printed) + ranEnd
}

// Typed returns what the user typed, given the message that the model received: a
// prompt without the files that it names, or "!" and a command, and then its output.
func Typed(message string) (typed, printed string) {
	if rest, ok := strings.CutPrefix(message, ran); ok {
		if line, rest, ok := strings.Cut(rest, ranPrinted); ok {
			return "!" + line, strings.TrimSuffix(rest, ranEnd)
		}
	}
	typed, _, _ = strings.Cut(message, referenced)
	return strings.TrimSpace(typed), ""
}
