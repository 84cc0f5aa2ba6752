package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestHomeIsNotTheProject: however HOME is set, the settings of someone else's project are
// not treated as the user's. They are not trusted, so nothing in them runs.
func TestHomeIsNotTheProject(t *testing.T) {
	t.Parallel()
	project := map[string]string{
		".gemini/settings.json": `{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "touch ran"}]}]}}`,
		"sub/x":                 "",
	}
	for _, c := range []struct {
		name string
		env  []string
		code int
		says string
	}{
		{"HOME of the user", nil, 55, "this folder is not trusted"},
		{"HOME unset", []string{"HOME"}, 55, "this folder is not trusted"},
		{"HOME empty", []string{"HOME="}, 55, "this folder is not trusted"},
		{"HOME .", []string{"HOME=."}, 55, "this folder is not trusted"},
		{"HOME relative", []string{"HOME=sub"}, 55, "this folder is not trusted"},
		{"HOME the project", []string{"HOME=PROJECT"}, 55, "this folder is not trusted"},
		{"HOME the project, longer", []string{"HOME=PROJECT/sub/../"}, 55, "this folder is not trusted"},
		{"GEMINI_CLI_HOME .", []string{"GEMINI_CLI_HOME=."}, 52, `GEMINI_CLI_HOME does not count: "." is not an absolute path`},
		{"GEMINI_CLI_HOME the project", []string{"GEMINI_CLI_HOME=PROJECT"}, 52, "is the project's folder, not yours"},
		{"GEMINI_CLI_HOME a file", []string{"GEMINI_CLI_HOME=PROJECT/sub/x"}, 52, "is not a folder"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, project)
			cmd, _, stderr := h.command(t, run{Args: []string{"-p", "hello"}})
			for _, e := range c.env {
				if e == "HOME" {
					cmd.Env = slices.DeleteFunc(cmd.Env, func(e string) bool { return strings.HasPrefix(e, "HOME=") })
					continue
				}
				cmd.Env = append(cmd.Env, strings.ReplaceAll(e, "PROJECT", h.workspace))
			}
			_ = cmd.Run() // its exit code is checked below
			assert.Equal(t, c.code, cmd.ProcessState.ExitCode(), stderr.String())
			assert.Contains(t, stderr.String(), c.says)
			assert.NoFileExists(t, filepath.Join(h.workspace, "ran"))
			assert.NoDirExists(t, filepath.Join(h.workspace, ".gemini", "tmp"))
		})
	}
}
