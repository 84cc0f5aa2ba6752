package text

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// HelpWidth is the width of help texts in columns.
const HelpWidth = 80

// Hanging wraps words that start at a column of a help text, counted from 0, and
// indents the following lines to that column.
func Hanging(words string, column int) string {
	return strings.ReplaceAll(ansi.Wrap(words, HelpWidth-column, ""), "\n", "\n"+strings.Repeat(" ", column))
}
