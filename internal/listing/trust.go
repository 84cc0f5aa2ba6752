package listing

import (
	"fmt"

	"minigem/internal/app"
	"minigem/internal/inspection"
)

// WriteTrusted lists what is trusted now.
func WriteTrusted(c *app.Configuration, sys *app.System) {
	fmt.Fprintf(sys.Stdout, "%s is trusted, and so is what it contains:\n", c.Dir)
	items := c.Brings()
	for _, item := range items {
		fmt.Fprintf(sys.Stdout, "  %s\n", item)
	}
	if len(items) == 0 {
		fmt.Fprintln(sys.Stdout, "  nothing that is in use so far")
	}
	for _, p := range inspection.Problems(c) {
		fmt.Fprintf(sys.Stderr, "[WARNING] %s\n", p)
	}
}
