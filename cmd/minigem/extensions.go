package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"minigem/hooks"
	"minigem/internal/contextfile"
	"minigem/internal/trust"
)

// extensionRoots are the directories that extensions are looked for in; those
// of a folder that is not trusted are not.
func (c *configuration) extensionRoots() []string {
	roots := []string{filepath.Join(c.dotGemini, "extensions")}
	if project := filepath.Join(c.dir, ".gemini", "extensions"); c.trust.trusted && project != roots[0] {
		roots = append(roots, project)
	}
	return roots
}

// findExtensions finds those in force. -e names the ones to use; "none" is none
// of them.
func (c *configuration) findExtensions() []hooks.Problem {
	found, problems := hooks.FindExtensions(c.dir, c.extensionRoots()...)
	for _, e := range found {
		off := e.Off != "" || slices.Contains(c.settings.Extensions.Disabled, e.Name)
		if !off && (c.onlyExtensions == nil || slices.Contains(c.onlyExtensions, e.Name)) {
			c.extensions = append(c.extensions, e)
		}
	}
	return problems
}

// extensionContext is where extensions may have context files.
func (c *configuration) extensionContext() []contextfile.Extension {
	var out []contextfile.Extension
	for _, e := range c.extensions {
		out = append(out, contextfile.Extension{Dir: e.Dir, Files: e.Context})
	}
	return out
}

// listExtensions is what --list-extensions prints.
func (c *configuration) listExtensions(sys *system) error {
	found, problems := hooks.FindExtensions(c.dir, c.extensionRoots()...)
	rows := make([][]string, len(found))
	for i, e := range found {
		state := "enabled"
		switch {
		case e.Off != "":
			state = e.Off
		case slices.Contains(c.settings.Extensions.Disabled, e.Name):
			state = "disabled in the settings"
		}
		rows[i] = []string{trust.Printable(e.Name), trust.Printable(c.shortenIn(state)), c.shorten(e.Dir)}
	}
	align(rows)
	for _, row := range rows {
		fmt.Fprintln(sys.Stdout, strings.Join(row, "  "))
	}
	if len(rows) == 0 {
		fmt.Fprintf(sys.Stdout, "No extensions are installed; they would stand in %s\n", c.shorten(c.extensionRoots()[0]))
	}
	for _, p := range problems {
		fmt.Fprintf(sys.Stderr, "[WARNING] %s: %s\n", c.shorten(p.File), c.shortenIn(p.Text))
	}
	return nil
}
