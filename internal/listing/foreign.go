package listing

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"minigem/e2e/agents"
	"minigem/internal/app"
	"minigem/internal/boundedfile"
	"minigem/internal/text"
)

// WriteForeign names the files of this project that configure hooks for other agents,
// and says how to test them. If there are none, it writes nothing.
func WriteForeign(c *app.Configuration, w io.Writer) error {
	users := map[string][]string{} // the agents that read a file
	var files, names []string
	for _, a := range agents.Adapters() {
		for _, pattern := range a.Hooks.Native {
			if a.Name == "gemini" || strings.HasPrefix(pattern, "home/") {
				continue
			}
			for _, file := range boundedfile.Find(c.ProjectDir, pattern) {
				if !mentionsHooks(file) {
					continue
				}
				if !slices.Contains(files, file) {
					files = append(files, file)
				}
				users[file], names = append(users[file], a.Title), append(names, a.Name)
			}
		}
	}
	if len(files) == 0 {
		return nil
	}
	var b strings.Builder
	b.WriteString("\nHooks of other agents, which minigem does not run:\n")
	claude := false
	for _, file := range files {
		short := c.Shorten(file)
		claude = claude || strings.HasPrefix(short, ".claude"+string(filepath.Separator))
		fmt.Fprintf(&b, "  %s  (%s)\n", text.VisibleLine(short), strings.Join(users[file], ", "))
	}
	fmt.Fprintf(&b, "Test them with a case: minigem hooks test --from native --as %s . CASE\n",
		strings.Join(slices.Compact(names), ","))
	if claude {
		b.WriteString("Or copy Claude Code's to .gemini/settings.json: minigem hooks migrate --from-claude\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// mentionsHooks reports whether a settings file has hooks. Other files that match the
// patterns are hooks themselves.
func mentionsHooks(file string) bool {
	if filepath.Ext(file) != ".json" {
		return true
	}
	data, err := boundedfile.ReadNamed(file, boundedfile.Written)
	return err == nil && strings.Contains(string(data), `"hooks"`)
}
