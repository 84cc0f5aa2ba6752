package manage

import (
	"fmt"
	"maps"
	"slices"

	"minigem/internal/app"
	"minigem/internal/trust"
)

// NeverTrust records that the folder must never be trusted, nor asked about.
func NeverTrust(c *app.Configuration, sys *app.System) error {
	if err := trust.Set(c.TrustedFolders(), c.Dir, trust.Never); err != nil {
		return err
	}
	fmt.Fprintf(sys.Stdout, "%s will not be trusted; minigem trust changes that\n", c.Dir)
	return nil
}

// ListTrusted lists the folders that the user has decided about.
func ListTrusted(c *app.Configuration, sys *app.System) error {
	rules, warnings, err := trust.Load(c.TrustedFolders())
	if err != nil {
		return err
	}
	for _, w := range warnings {
		fmt.Fprintf(sys.Stderr, "[WARNING] %s\n", w)
	}
	for _, dir := range slices.Sorted(maps.Keys(rules)) {
		fmt.Fprintf(sys.Stdout, "%-13s  %s\n", rules[dir], dir)
	}
	if len(rules) == 0 {
		fmt.Fprintln(sys.Stdout, "you have not decided about any folder yet")
	}
	return nil
}
