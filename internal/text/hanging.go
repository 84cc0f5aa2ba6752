package text

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// HelpWidth is how many columns a help text may fill.
const HelpWidth = 80

// Hanging wraps words that begin in a column of a help text, counted from 0, and
// indents the further lines to that column.
func Hanging(words string, column int) string {
	return strings.ReplaceAll(ansi.Wrap(words, HelpWidth-column, ""), "\n", "\n"+strings.Repeat(" ", column))
}
