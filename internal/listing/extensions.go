package listing

import (
	"cmp"
	"fmt"
	"strings"

	"minigem/hooks"
	"minigem/internal/app"
	"minigem/internal/text"
)

// WriteExtensions prints the list for --list-extensions.
func WriteExtensions(c *app.Configuration, sys *app.System) error {
	found, problems := hooks.FindExtensions(c.Dir, c.ExtensionRoots())
	rows := make([][]string, len(found))
	for i, e := range found {
		off, err := c.ExtensionOff(e)
		if err != nil {
			return err
		}
		state := cmp.Or(off, "enabled")
		rows[i] = []string{text.VisibleLine(e.Name), text.VisibleLine(c.ShortenIn(state)), c.Shorten(e.Dir)}
	}
	text.Align(rows)
	for _, row := range rows {
		fmt.Fprintln(sys.Stdout, strings.Join(row, "  "))
	}
	if len(rows) == 0 {
		fmt.Fprintf(sys.Stdout, "No extensions are installed; they would be in %s\n", c.Shorten(c.ExtensionRoots().User))
	}
	for _, p := range problems {
		fmt.Fprintf(sys.Stderr, "[WARNING] %s: %s\n", c.Shorten(p.File), c.ShortenIn(p.Text))
	}
	return nil
}
