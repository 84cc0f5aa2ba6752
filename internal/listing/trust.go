package listing

import (
	"fmt"

	"minigem/internal/app"
	"minigem/internal/trust"
)

// WriteTrusted says what is trusted now.
func WriteTrusted(c *app.Configuration, sys *app.System) {
	fmt.Fprintf(sys.Stdout, "%s is trusted, and so is what it contains:\n", c.Dir)
	items := trust.Contents(c.Dir, c.Home)
	for _, item := range items {
		fmt.Fprintf(sys.Stdout, "  %s\n", item)
	}
	if len(items) == 0 {
		fmt.Fprintln(sys.Stdout, "  nothing so far")
	}
	for _, p := range c.HookProblems() {
		fmt.Fprintf(sys.Stderr, "[WARNING] %s\n", p)
	}
}
