package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/fakemodel"
	"minigem/llm"
)

// around lists the steps of a model that uses every feature around the loop.
var around = strings.Join([]string{
	`call activate_skill {"name": "review"}`,
	`call read_file {"file_path": "HOME/.gemini/skills/review/ref.txt"}`,
	`call list_directory {"dir_path": "."}`,
	`call mcp_service_grow {}`,
	`call mcp_service_grown {}`,
	`call invoke_agent {"agent_name": "mine", "prompt": "find the notes"}`,
	`call read_file {"file_path": "notes.txt"}`,
	`call complete_task {"result": "buy milk"}`,
	`call activate_skill {"name": "nosuch"}`,
	`say Done.`,
}, "\n\n")

// TestTheSameAroundTheLoop: with the same home, which has a skill, an agent, an MCP
// server, a policy and hooks, Gemini CLI and minigem offer the same tools, end each call
// the same way, and run the same hooks in the same order.
func TestTheSameAroundTheLoop(t *testing.T) {
	t.Parallel()
	program := oracle(t)
	type seen struct{ offered, results, hooks []string }
	run := func(start func(h home, server api)) seen {
		h := aroundHome(t)
		entries, err := parseAnswers("answers", strings.ReplaceAll(around, "HOME", h.dir))
		require.NoError(t, err)
		fake := fakemodel.New(fakemodel.Options{Entries: entries}) // not strict: Gemini CLI's agents omit the ids of calls
		url, stop, err := fake.Start("127.0.0.1:0")
		require.NoError(t, err)
		defer stop()
		server := api{fake, url}
		start(h, server)
		return seen{offered(server.Log()), results(server.Log()), strings.Split(h.read(t, "hooks.log"), "\n")}
	}
	ours := run(func(h home, server api) {
		o := h.run(t, runOf(server))
		require.Equal(t, 0, o.Code, o.Stderr)
	})
	theirs := run(func(h home, server api) {
		cmd := exec.CommandContext(t.Context(), program, "-m", "gemini-2.5-flash", "-y", "-p", "go")
		cmd.Dir = h.workspace
		cmd.Env = append(server.env(), "HOME="+h.dir, "PATH="+os.Getenv("PATH"), "TERM=dumb", "GEMINI_CLI_NO_RELAUNCH=true",
			"GEMINI_CLI_TRUST_WORKSPACE=true")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	})
	assert.Equal(t, theirs, ours)
	assert.Equal(t, []string{"activate_skill", "invoke_agent", "mcp_service_grow"}, ours.offered)
	assert.Len(t, ours.results, 7)
}

func runOf(server api) run {
	return run{Args: []string{"-m", "gemini-2.5-flash", "-y", "-p", "go"},
		Env: append(server.env(), "GEMINI_CLI_TRUST_WORKSPACE=true")}
}

func aroundHome(t *testing.T) home {
	t.Helper()
	h := newHome(t, map[string]string{"notes.txt": "buy milk\n"})
	exe, err := os.Executable()
	require.NoError(t, err)
	hook := func(event string) string {
		return fmt.Sprintf(
			`%q: [{"matcher": "*", "hooks": [{"type": "command", "name": "log", `+
				`"command": "cat >/dev/null; echo %s >> '%s/hooks.log'"}]}]`, event, event, h.workspace)
	}
	tools := func(event string) string {
		return fmt.Sprintf(
			`%q: [{"matcher": "*", "hooks": [{"type": "command", "name": "log", `+
				`"command": "echo %s $(sed 's/.*\"tool_name\":\"\\([a-z_]*\\)\".*/\\1/') >> '%s/hooks.log'"}]}]`, event, event,
			h.workspace)
	}
	h.write(t, "../.gemini/settings.json",
		`{"security": {"auth": {"selectedType": "gemini-api-key"}}, "general": {"enableAutoUpdate": false},
		"privacy": {"usageStatisticsEnabled": false}, "experimental": {"enableAgents": true}, "skills": {"enabled": true},
		"mcpServers": {"service": {"command": "`+exe+`", "env": {"`+growingServerMode+`": "yes"}, "trust": true}},
		"hooks": {`+strings.Join([]string{hook("SessionStart"), hook("BeforeAgent"), tools("BeforeTool"), tools("AfterTool"),
			hook("AfterAgent"), hook("SessionEnd")}, ",\n")+`}}`)
	h.write(t, "../.gemini/skills/review/SKILL.md",
		"---\nname: review\ndescription: Reviews code.\n---\nRead ref.txt first.\n")
	h.write(t, "../.gemini/skills/review/ref.txt", "tabs, not spaces\n")
	h.write(t, "../.gemini/agents/mine.md",
		"---\nname: mine\ndescription: Looks around.\ntools:\n  - read_file\n---\nLook.\n")
	h.write(t, "../.gemini/policies/deny.toml",
		"[[rule]]\ntoolName = \"list_directory\"\ndecision = \"deny\"\npriority = 900\n")
	return h
}

// offered returns the tools around the loop that the first request offers.
func offered(log []fakemodel.Request) (names []string) {
	for _, r := range log {
		if r.Side {
			continue
		}
		for _, tool := range r.Parsed.Tools {
			if slices.Contains([]string{"activate_skill", "invoke_agent", "list_directory"}, tool.Name) ||
				strings.HasPrefix(tool.Name, "mcp_") {
				names = append(names, tool.Name)
			}
		}
		slices.Sort(names)
		return names
	}
	return nil
}

// results returns the calls that the last request of the conversation answers: their
// names, how they ended, and the part of their texts that both programs share.
func results(log []fakemodel.Request) (out []string) {
	last := slices.IndexFunc(log, func(r fakemodel.Request) bool { return !r.Side })
	for i, r := range log {
		if !r.Side {
			last = i
		}
	}
	for _, m := range log[last].Parsed.Messages {
		for _, part := range m.Parts {
			result, ok := part.(llm.ToolResult)
			if !ok {
				continue
			}
			line := result.Name
			for _, kind := range []string{"output", "error"} {
				if text, ok := result.Response[kind]; ok {
					line += " " + kind
					// If a tool exists but is not offered, minigem explains that instead
					// of "not found".
					text = strings.ReplaceAll(fmt.Sprint(text), "is not available: ", "not found: ")
					for _, word := range []string{"<activated_skill name=\"review\">", "tabs, not spaces", "it grew", "buy milk",
						"Termination Reason: GOAL", "denied by policy", "not found"} {
						if strings.Contains(fmt.Sprint(text), word) {
							line += ", " + word
						}
					}
				}
			}
			out = append(out, line)
		}
	}
	return out
}

// TestSkillsAndServersAcrossPrograms: each program sees, disables and removes the skills
// and MCP servers that the other has added.
func TestSkillsAndServersAcrossPrograms(t *testing.T) {
	t.Parallel()
	program := oracle(t)
	h := newHome(t, nil)
	h.write(t, "../.gemini/settings.json", `{"security": {"auth": {"selectedType": "gemini-api-key"}}, `+
		`"general": {"enableAutoUpdate": false}, "privacy": {"usageStatisticsEnabled": false}}`)
	for _, name := range []string{"tea", "coffee"} {
		h.write(t, "../sources/"+name+"/SKILL.md", "---\nname: "+name+"\ndescription: Makes "+name+".\n---\nBoil water.\n")
	}
	theirs := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Dir = h.workspace
		cmd.Env = []string{"HOME=" + h.dir, "PATH=" + os.Getenv("PATH"), "TERM=dumb", "NO_COLOR=1", "GEMINI_API_KEY=x",
			"GEMINI_CLI_NO_RELAUNCH=true", "GEMINI_CLI_TRUST_WORKSPACE=true"}
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%q: %s", args, out)
		return string(out)
	}
	ours := func(args ...string) string {
		o := h.run(t, run{Args: args, Env: []string{"GEMINI_CLI_TRUST_WORKSPACE=true"}})
		require.Equal(t, 0, o.Code, "%q: %s%s", args, o.Stdout, o.Stderr)
		return o.Stdout
	}
	ours("skills", "install", h.dir+"/sources/tea", "--consent")
	theirs("skills", "install", h.dir+"/sources/coffee", "--consent")
	for _, listed := range []string{ours("skills", "list"), theirs("skills", "list")} {
		assert.Contains(t, listed, "tea [Enabled]")
		assert.Contains(t, listed, "coffee [Enabled]")
	}
	ours("skills", "disable", "coffee", "--scope", "user")
	theirs("skills", "disable", "tea", "--scope", "user")
	for _, listed := range []string{ours("skills", "list", "--all"), theirs("skills", "list", "--all")} {
		assert.Contains(t, listed, "tea [Disabled]")
		assert.Contains(t, listed, "coffee [Disabled]")
	}
	ours("skills", "uninstall", "coffee")
	theirs("skills", "uninstall", "tea")
	assert.Empty(t, filesIn(t, h.dir+"/.gemini/skills"))

	ours("mcp", "add", "--scope", "user", "one", "no-such-program", "a b")
	theirs("mcp", "add", "--scope", "user", "two", "no-such-program")
	for _, listed := range []string{ours("mcp", "list"), theirs("mcp", "list")} {
		assert.Contains(t, listed, "one: no-such-program a b (stdio)")
		assert.Contains(t, listed, "two: no-such-program ")
	}
	ours("mcp", "remove", "--scope", "user", "two")
	theirs("mcp", "remove", "--scope", "user", "one")
	for _, listed := range []string{ours("mcp", "list"), theirs("mcp", "list")} {
		assert.NotContains(t, listed, "no-such-program")
	}
}
