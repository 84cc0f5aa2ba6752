package prompt

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Surroundings holds the contents of the preamble.
type Surroundings struct {
	Now     time.Time
	OS      string   // GOOS
	TempDir string   // the project's temporary directory
	Dirs    []string // workspace directories, absolute; the project's root first
	Tree    bool     // show the directory tree
	// Ignored reports whether the tree leaves a path out: files are missing, and
	// directories are shown closed. If nil, only those that are always closed, such as
	// .git and node_modules, are.
	Ignored func(path string, dir bool) bool

	Extensions string // context files of extensions, framed; see contextfile
	Project    string // context files of the project, framed
}

// treeTime limits how long walking the directories may take, because the start waits
// for it.
const treeTime = 250 * time.Millisecond

// Preamble returns the text of a session's first message: <session_context>, in Gemini
// CLI's format. (core/utils/environmentContext.ts)
func Preamble(ctx context.Context, s Surroundings) string {
	var b strings.Builder
	b.WriteString("<session_context>\nThis session is minigem's. Here is where it takes place; there is nothing to " +
		"answer yet.\n")
	fmt.Fprintf(&b, "Today is %s.\n", s.Now.Format("Monday, January 2, 2006"))
	fmt.Fprintf(&b, "The operating system is: %s\n", s.OS)
	fmt.Fprintf(&b, "Temporary files of the project go to: %s\n", s.TempDir)
	b.WriteString("- **Workspace Directories:**\n")
	for _, d := range s.Dirs {
		fmt.Fprintf(&b, "  - %s\n", d)
	}
	if s.Tree {
		ctx, cancel := context.WithTimeout(ctx, treeTime)
		defer cancel()
		b.WriteString("- **Directory Structure:**\n\n")
		for _, d := range s.Dirs {
			b.WriteString(Tree(ctx, d, s.Ignored) + "\n\n")
		}
	}
	b.WriteString(loaded(s.Extensions, s.Project))
	b.WriteString("</session_context>")
	return b.String()
}

func loaded(extensions, project string) string {
	extensions, project = strings.TrimSpace(extensions), strings.TrimSpace(project)
	if extensions == "" && project == "" {
		return ""
	}
	var b strings.Builder
	b.WriteString("<loaded_context>\n")
	if extensions != "" {
		fmt.Fprintf(&b, "<extension_context>\n%s\n</extension_context>\n", extensions)
	}
	if project != "" {
		fmt.Fprintf(&b, "<project_context>\n%s\n</project_context>\n", project)
	}
	b.WriteString("</loaded_context>\n\n")
	return b.String()
}
