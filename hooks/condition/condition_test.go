package condition_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/condition"
	"minigem/hooks/hookstest"
	"minigem/hooks/protocol"
	"minigem/llm"
)

// TestConditions checks that a hook with a condition runs for the calls that meet it,
// and for calls for which that cannot be decided.
func TestConditions(t *testing.T) {
	t.Parallel()
	shell := func(command string) llm.ToolCall {
		return llm.ToolCall{Name: "run_shell_command", Args: map[string]any{"command": command}}
	}
	fetch := func(prompt string) llm.ToolCall {
		return llm.ToolCall{Name: "web_fetch", Args: map[string]any{"prompt": prompt}}
	}
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "src", "b"), 0o755))
	require.NoError(t, os.Symlink("src", filepath.Join(dir, "link")))
	write := func(path string) llm.ToolCall {
		return llm.ToolCall{Name: "write_file", Args: map[string]any{"file_path": path}}
	}
	for _, c := range []struct {
		condition string
		call      llm.ToolCall
		runs      bool
	}{
		{"Bash(git *)", shell("git push"), true},
		{"Bash(git *)", shell("git"), true},
		{"Bash(git *)", shell("gitk"), false},
		{"Bash(git *)", shell("ls"), false},
		{"Bash(git *)", shell("cd x && A=1 git push"), true},
		{"Bash(git *)", shell("echo $(git rev-parse HEAD)"), true},
		{"Bash(git *)", shell("echo git push"), false},
		{"Bash(git *)", shell("$GIT push"), true},
		{"Bash(git *)", shell("git 'push"), true},
		{"Bash(git push *)", shell("git  push origin"), true},
		{"Bash(git push *)", shell("g\\it 'push' origin"), true},
		{"Bash(git push *)", shell("/usr/bin/git push"), true},
		{"Bash(git push *)", shell("git -C sub push"), true},
		{"Bash(git push *)", shell("env A=1 timeout 5 git push"), true},
		{"Bash(git push *)", shell("bash -c 'ls; git push'"), true},
		{"Bash(git push *)", shell("ls | xargs git push"), true},
		{"Bash(git push *)", shell("xargs git"), true},
		{"Bash(git push *)", shell("git $x"), true},
		{"Bash(git push *)", shell("no-such-program -- git push"), true},
		{"Bash(git push *)", shell("python3 -c 'os.system(\"git push\")'"), true},
		{"Bash(git push *)", shell("eval \"$x\""), true},
		{"Bash(git * main)", shell("git push $x"), true},
		{"Bash(git * main)", shell("git push main"), true},
		{"Bash(git * main)", shell("git push"), false},
		{"Bash(git push)", shell("git push"), true},
		{"Bash(git push)", shell("git push origin"), false},
		{"Bash(git pu*)", shell("git  push origin"), true},
		{"Bash(git push *)", shell("git commit -m 'git push'"), true},
		{"Bash(git push *)", shell("npm run $x && git commit"), false},
		{"Bash(git *)", shell("ls # \\\ngit push"), true},
		{"Bash(git *)", shell("ls \r#; git push"), true},
		{"Bash(git push *)", shell("git status"), false},
		{"Bash(npm run test:*)", shell("npm run test -- -u"), true},
		{"Bash(git *)", write("git x"), false},
		{"Bash", shell("ls"), true},
		{"run_shell_command(ls *)", shell("ls -l"), true},
		{"Edit(src/**)", write("src/a/b.go"), true},
		{"Edit(src/**)", write(filepath.Join(dir, "src/a.go")), true},
		{"Edit(src/**)", write("src/../doc/a.go"), false},
		{"Edit(src/**)", write("doc/src/a.go"), false},
		{"Edit(src)", write("doc/src/a.go"), true},
		{"Write(*.ts)", write("a/b/c.ts"), true},
		{"Write(*.ts)", write("a/b/c.tsx"), false},
		{"Write(/doc/*.md)", write("doc/a.md"), true},
		{"Write(//etc/**)", write("/etc/passwd"), true},
		{"Read(*.ts)", write("a.ts"), false},
		{"Read(*.env)", llm.ToolCall{Name: "read_file", Args: map[string]any{"file_path": "sub/a.env"}}, true},
		{"Read(*.env)", llm.ToolCall{Name: "read_file", Args: map[string]any{"file_path": "a.go"}}, false},
		{"Read(*.env)", llm.ToolCall{Name: "read_many_files", Args: map[string]any{"include": []any{"*"}}}, true},
		{"Read(*.env)", llm.ToolCall{Name: "grep_search", Args: map[string]any{"pattern": "KEY"}}, true},
		{"Read(*.env)", llm.ToolCall{Name: "search_file_content", Args: map[string]any{"pattern": "KEY"}}, true},
		{"Read", llm.ToolCall{Name: "read_many_files", Args: map[string]any{"include": []any{"*"}}}, true},
		{"Grep(*.env)", llm.ToolCall{Name: "read_file", Args: map[string]any{"file_path": "a.env"}}, false},
		{"Read(*.env)", llm.ToolCall{Name: "glob", Args: map[string]any{"pattern": "*.env"}}, false}, // only names
		{"Write(a", write("b"), true},                                                                // cannot be parsed
		{"Edit(src/**)", write("link/a.go"), true},                                                   // a link to src
		{"Edit(/src/**)", write("link/b/../a.go"), true},
		{"Edit(src/**)", write("link/../a.go"), false},
		{"list_directory(src/**)", llm.ToolCall{Name: "list_directory", Args: map[string]any{"dir_path": "."}}, true},
		{"Grep(src/**)", llm.ToolCall{Name: "grep_search", Args: map[string]any{"pattern": "x", "dir_path": "."}}, true},
		{"WebFetch(domain:example.com)", fetch("read http://EXAMPLE.com/x"), true},
		{"WebFetch(domain:example.com)", fetch("read http://example\u3002com/x"), true}, // a dot, for a host
		{"WebFetch(domain:example.com)", fetch("read http://example.org"), false},
	} {
		runner := &hookstest.Runner{Scripts: map[string]hookstest.Script{"./guard": {Exit: 2, Stderr: "no"}}}
		for _, sequential := range []bool{false, true} {
			e := &hooks.Engine{Runner: runner, Origin: hooks.Origin{Cwd: dir, ProjectDir: dir},
				Config: hooks.Config{Conditions: condition.Rules{}, Hooks: []hooks.Hook{
					{Event: protocol.BeforeTool, Command: "./guard", Dialect: "claude", If: c.condition, Sequential: sequential},
				}}}
			out := e.BeforeTool(t.Context(), hooks.ToolUse{Call: c.call})
			assert.Equal(t, c.runs, out.Denied(), "%s for %v", c.condition, c.call)
		}
	}
}

// TestConditionOfARewrittenCall checks that the condition of a later hook is evaluated
// on the arguments that an earlier hook changed.
func TestConditionOfARewrittenCall(t *testing.T) {
	t.Parallel()
	runner := &hookstest.Runner{Scripts: map[string]hookstest.Script{
		"./rewrite": {Stdout: `{"hookSpecificOutput":{"tool_input":{"command":"git push"}}}`},
		"./guard":   {Exit: 2, Stderr: "no"},
	}}
	e := &hooks.Engine{Runner: runner, Config: hooks.Config{Conditions: condition.Rules{}, Hooks: []hooks.Hook{
		{Event: protocol.BeforeTool, Command: "./rewrite", Sequential: true},
		{Event: protocol.BeforeTool, Command: "./guard", If: "Bash(git *)"},
	}}}
	out := e.BeforeTool(
		t.Context(), hooks.ToolUse{Call: llm.ToolCall{Name: "run_shell_command", Args: map[string]any{"command": "ls"}}})
	assert.True(t, out.Denied())
}

// FuzzCondition checks that no command line and no condition causes a panic, and that a
// condition that names only the tool, or matches anything, holds.
func FuzzCondition(f *testing.F) {
	f.Add("git *", "cd x && git push")
	f.Add("a**b", "'")
	f.Add("(", "$(")
	f.Fuzz(func(t *testing.T, pattern, command string) {
		runner := &hookstest.Runner{Scripts: map[string]hookstest.Script{"./guard": {Exit: 2, Stderr: "no"}}}
		fire := func(rule string) bool {
			e := &hooks.Engine{
				Runner: runner, Config: hooks.Config{
					Conditions: condition.Rules{}, Hooks: []hooks.Hook{{Event: protocol.BeforeTool, Command: "./guard", If: rule}}}}
			return e.BeforeTool(
				t.Context(), hooks.ToolUse{
					Call: llm.ToolCall{Name: "run_shell_command", Args: map[string]any{"command": command}}}).Denied()
		}
		fire("Bash(" + pattern + ")")
		assert.True(t, fire("Bash(*)"))
		assert.True(t, fire("Bash"))
	})
}
