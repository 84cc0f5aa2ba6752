package exit

import (
	"bytes"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"minigem/internal/text"
)

// fitted is Report for a terminal, wrapping between words at the window's width. If w
// is not a terminal, it is just Report.
func fitted(w io.Writer, err error) int {
	f, ok := text.Raw(w).(*os.File)
	if !ok {
		return Report(w, err)
	}
	width, _, failed := term.GetSize(int(f.Fd()))
	if failed != nil || width <= 0 {
		return Report(w, err)
	}
	var b bytes.Buffer
	code := Report(&b, err)
	_, _ = io.WriteString(w, fit(b.String(), width)) // nothing is left to report it to
	return code
}

// fit wraps lines wider than a window between words. A word that is wider stays whole,
// so that it can be copied.
func fit(s string, width int) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		at := 0
		for i, word := range strings.SplitAfter(line, " ") {
			w := ansi.StringWidth(strings.TrimRight(word, " \n"))
			if i > 0 && at+w > width {
				b.WriteByte('\n')
				at = 0
			}
			b.WriteString(word)
			at += ansi.StringWidth(strings.TrimSuffix(word, "\n"))
		}
	}
	return b.String()
}
