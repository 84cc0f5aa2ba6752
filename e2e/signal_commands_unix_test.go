//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/waittest"
)

// TestSignalledCommands: a signal ends a command that waits for another program, with the
// signal's exit code, and also ends that program.
func TestSignalledCommands(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		".gemini/settings.json": `{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "name": "slow", "command": "` +
			busy + `"}]}]},
			"mcpServers": {"slow": {"command": "sh", "args": ["-c", "` + busy + `"]}}}`,
		"past.jsonl": `{"type": "user", "uuid": "1", "sessionId": "s", "message": {"role": "user", "content": "go"}}
{"type": "assistant", "uuid": "2", "parentUuid": "1", "sessionId": "s", "message": {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}}]}}
`,
		"slow.txtar": "allow write WORKSPACE\nprompt go\n-- settings.json --\n" +
			`{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "cd WORKSPACE; ` + busy + `"}]}]}}` +
			"\n-- model --\ncall list_directory {\"dir_path\": \".\"}\n\ntext done\n",
		"bin/git":  "#!/bin/sh\ncd WORKSPACE; " + busy, // programs that never exit
		"bin/bash": "#!/bin/sh\ncd WORKSPACE; " + busy,
	}
	for _, args := range []string{
		"hooks fire BeforeTool", "hooks attack slow --command env", "hooks torture slow", "hooks test slow.txtar",
		"hooks test slow.txtar --mutate",
		"hooks replay past.jsonl", "mcp list", "skills install https://git.invalid/skills --consent",
		"agents --self-test --agent-bin codex=bin/git", "demo",
	} {
		for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
			t.Run(args+" "+signal.String(), func(t *testing.T) {
				t.Parallel()
				h := newHome(t, files)
				for _, name := range []string{"slow.txtar", "bin/git", "bin/bash"} {
					h.write(t, name, strings.ReplaceAll(files[name], "WORKSPACE", h.workspace))
				}
				bin := filepath.Join(h.workspace, "bin")
				require.NoError(t, os.Chmod(filepath.Join(bin, "git"), 0o755))
				require.NoError(t, os.Chmod(filepath.Join(bin, "bash"), 0o755))
				env := []string{"GEMINI_CLI_TRUST_WORKSPACE=true"}
				if strings.HasPrefix(args, "skills") || args == "demo" {
					env = append(env, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
				}
				cmd, stdout, stderr := h.command(t, run{Args: strings.Fields(args), Env: env})
				require.NoError(t, cmd.Start())
				waittest.Until(t, func() bool { // an agent of a self-test must not write here
					_, err := os.Stat(filepath.Join(h.workspace, "started"))
					return err == nil || runs(filepath.Join(bin, "git"))
				}, "the command started no program")
				require.NoError(t, cmd.Process.Signal(signal))
				_ = cmd.Wait() // the exit code is checked below
				code := map[bool]int{true: 130, false: 143}[signal == syscall.SIGINT]
				assert.Equal(t, code, cmd.ProcessState.ExitCode(), stderr.String())
				assert.Contains(
					t, stderr.String(), map[bool]string{true: "interrupted", false: "terminated"}[signal == syscall.SIGINT])
				assert.NotContains(t, stdout.String(), "goes on")
				h.assertTidy(t, outcome{Stderr: stderr.String()})
			})
		}
	}
}

// runs reports whether a shell is running the script, if there is a /proc.
func runs(script string) bool {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	return slices.ContainsFunc(lines, func(file string) bool {
		words, _ := os.ReadFile(file)
		return slices.Contains(strings.Split(string(words), "\x00"), script)
	})
}

// TestPipesOfTools: SIGPIPE ends a command that writes to a closed pipe, as in every
// shell, although minigem itself survives the signal.
func TestPipesOfTools(t *testing.T) {
	t.Parallel()
	const pipe = `{ yes | head -n 1; } 2>`
	h := newHome(t, map[string]string{".gemini/settings.json": `{"hooks": {"BeforeAgent": [{"hooks": [{"type": ` +
		`"command", "command": "` + pipe + `hook.txt"}]}]}}`})
	args := append(h.answersFile(t, `call run_shell_command {"command": "`+pipe+`tool.txt"}`, "say Done."), "--yolo", "-p",
		"do it")
	o := h.run(t, run{Args: args, Env: []string{"GEMINI_CLI_TRUST_WORKSPACE=true"}})
	require.Equal(t, 0, o.Code, o.Stderr)
	for _, file := range []string{"hook.txt", "tool.txt"} {
		assert.Empty(t, h.read(t, file), file)
	}
}
