package testbed

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"minigem/internal/text"
)

// The names of sections that are not files of the workspace.
const (
	modelSection     = "model"           // the model's answers in the short form
	agentPrefix      = "model agent="    // with a name: the model's answers to that subagent
	serverPrefix     = "http "           // with a URL: the program that answers requests of http hooks to it
	responsesSection = "model.responses" // the model's answers as a fake-responses file
	settingsSection  = "settings.json"   // short for .gemini/settings.json
	wantPrefix       = "want/"           // expected values
	homePrefix       = "home/"           // files in the user's home
)

// isModel reports whether a section belongs to the model.
func isModel(name string) bool {
	return name == modelSection || name == responsesSection || strings.HasPrefix(name, agentPrefix)
}

// misspelt returns the workspace file whose name looks like one of the sections that the
// case lacks, or "".
func (c *Case) misspelt(lacks ...string) string {
	for _, f := range c.files {
		if !slices.Contains(lacks, f.name) && text.Nearest(f.name, lacks) != "" {
			return fmt.Sprintf(" (-- %s --, line %d, is a file of the project)", f.name, f.line-1)
		}
	}
	return ""
}

func (c *Case) firstPrompt() string {
	for _, cmd := range c.Commands {
		if cmd.verb.Name == "prompt" {
			text, _ := rawText(cmd.Text) // checked when the case was read
			return text
		}
	}
	return ""
}

// base returns the name of the case's file, without folder and extension.
func (c *Case) base() string { return strings.TrimSuffix(filepath.Base(c.Path), ".txtar") }
