package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/text"
)

// forged would be a command to a CI system on a separate line.
const forged = "\n::error file=x::forged\n  ::set-output name=x::forged\r::error::forged\n##[error]forged\n"

// hostileRuns lists, for each command, ways to run it with hostile text in every file
// that it may read. An entry with only a reason says why there is no hostile text.
var hostileRuns = map[string][]string{
	"minigem":           {"--list-extensions", "-p hi --fake-responses answers --debug", "-r nope" + hostile + " -p hi"},
	"agents":            {"agents"},
	"agents install":    {"because: it downloads, and prints what npm says; its refusals are of flags"},
	"version":           {"version"},
	"demo":              {"because: its project and its hooks are in the program"},
	"fake-api":          {"because: it serves until it is ended, and prints its address"},
	"hooks":             {"hooks"},
	"hooks attack":      {"hooks attack nope" + hostile + " --path .env", "hooks attack #name --text hunter2hunter2", "hooks attack #name --command evil" + hostile},
	"hooks compat":      {"hooks compat", "hooks compat --json", "hooks compat nope" + hostile},
	"hooks disable":     {"hooks disable nope" + hostile, "hooks disable #name"},
	"hooks disable-all": {"hooks disable-all"},
	"hooks enable":      {"hooks enable nope" + hostile, "hooks enable #name"},
	"hooks enable-all":  {"hooks enable-all"},
	"hooks explain":     {"hooks explain", "hooks explain --json"},
	"hooks fire":        {"hooks fire BeforeTool --tool write_file", "hooks fire BeforeTool --tool write_file --json", "hooks fire BeforeTool --tool evil" + hostile, "hooks fire nope" + hostile},
	"hooks lint":        {"hooks lint", "hooks lint --format github", "hooks lint --format sarif", "hooks lint --format json"},
	"hooks list":        {"hooks list", "hooks list --json"},
	"hooks migrate":     {"hooks migrate", "hooks migrate --from-claude"},
	"hooks new":         {"hooks new nope" + hostile},
	"hooks payload":     {"hooks payload nope" + hostile, "hooks payload BeforeTool"},
	"hooks record":      {"hooks record nope" + hostile},
	"hooks replay":      {"hooks replay latest", "hooks replay chat.jsonl", "hooks replay nope" + hostile},
	"hooks schema":      {"hooks schema nope" + hostile},
	"hooks test": {"hooks test ./cases", "hooks test ./cases -v", "hooks test ./cases --format tap", "hooks test ./cases --format github", "hooks test ./cases --format junit", "hooks test ./cases --format json", "hooks test ./passing --mutate", "hooks test nope" + hostile,
		"hooks test ./compared.txtar --binary #program", "hooks test ./cases --binary nope" + hostile, "hooks test ./cases --on nope" + hostile},
	"hooks torture":         {"hooks torture nope" + hostile, "hooks torture #name --run survives"},
	"hooks view":            {"hooks view nope" + hostile, "hooks view trace.jsonl"},
	"hooks why":             {"hooks why BeforeTool write_file", "hooks why BeforeTool evil" + hostile, "hooks why nope" + hostile},
	"mcp":                   {"mcp", "mcp nope" + hostile},
	"mcp add":               {"mcp add", "mcp add evil" + hostile + " cat", "mcp add ok https://x" + hostile + " evil" + hostile, "mcp add ok cat -e evil" + hostile},
	"mcp auth":              {"mcp auth nope" + hostile, "mcp auth evil" + hostile + forged},
	"mcp disable":           {"mcp disable nope" + hostile},
	"mcp enable":            {"mcp enable nope" + hostile},
	"mcp list":              {"mcp list", "mcp list --json"},
	"mcp remove":            {"mcp remove nope" + hostile},
	"policies":              {"policies"},
	"sessions":              {"sessions"},
	"sessions delete":       {"sessions delete nope" + hostile},
	"sessions list":         {"sessions list", "sessions list --json"},
	"sessions restore":      {"sessions restore", "sessions restore nope" + hostile},
	"sessions rewind":       {"sessions rewind 1", "sessions rewind nope" + hostile},
	"sessions show":         {"sessions show 1", "sessions show nope" + hostile},
	"settings":              {"settings"},
	"settings list":         {"settings list"},
	"settings schema":       {"settings schema nope" + hostile},
	"skills":                {"skills", "skills nope" + hostile},
	"skills disable":        {"skills disable nope" + hostile},
	"skills enable":         {"skills enable nope" + hostile},
	"skills install":        {"skills install nope" + hostile, "skills install .gemini/skills", "skills install .gemini/skills --consent"},
	"skills link":           {"skills link nope" + hostile, "skills link .gemini/skills"},
	"skills list":           {"skills list", "skills list --json"},
	"skills uninstall":      {"skills uninstall nope" + hostile},
	"trust":                 {"trust"},
	"hooks run":             {"hooks run --portable --dialect nope" + hostile, "hooks run --portable --for claude" + hostile + " -- cat"},
	"extensions":            {"extensions", "extensions nope" + hostile},
	"extensions config":     {"extensions config nope" + hostile, "extensions config ok nope" + hostile},
	"extensions disable":    {"extensions disable nope" + hostile},
	"extensions enable":     {"extensions enable nope" + hostile},
	"extensions install":    {"extensions install nope" + hostile, "extensions install evil-extension", "extensions install evil-extension --consent"},
	"extensions link":       {"extensions link nope" + hostile, "extensions link evil-extension"},
	"extensions list":       {"extensions list", "extensions list -o json"},
	"extensions new":        {"extensions new evil" + hostile, "extensions new good evil" + hostile},
	"extensions uninstall":  {"extensions uninstall nope" + hostile, "extensions uninstall ok"},
	"extensions update":     {"extensions update nope" + hostile, "extensions update --all"},
	"extensions validate":   {"extensions validate nope" + hostile, "extensions validate evil-extension"},
	"help":                  {"help flags"},
	"completion":            {"because: it prints a script of the program"},
	"completion bash":       {"because: it prints a script of the program"},
	"completion fish":       {"because: it prints a script of the program"},
	"completion zsh":        {"because: it prints a script of the program"},
	"completion powershell": {"because: it prints a script of the program"},
}

// inLines lists the commands that print other people's text over several lines
// unchanged: a conversation, an answer, the reason of a hook. README.md says how a
// workflow keeps GitHub from obeying it.
var inLines = []string{"sessions show", "hooks fire"}

// commandsIn returns the paths of a command and its subcommands.
func commandsIn(c *cobra.Command) []string {
	out := []string{strings.TrimPrefix(c.CommandPath(), "minigem ")}
	for _, sub := range c.Commands() {
		out = append(out, commandsIn(sub)...)
	}
	return out
}

// hostileFiles have hostile text in each place that commands print.
func hostileFiles(t *testing.T) map[string]string {
	quoted := func(s string) string {
		data, err := json.Marshal(s)
		require.NoError(t, err)
		return string(data)
	}
	name, speech := quoted("evil"+hostile+forged), quoted("evil"+hostile+forged)
	speak := quoted("cat <<'EOF'\n{\"decision\":\"deny\",\"reason\":" + speech + ",\"systemMessage\":" + speech + "}\nEOF\nprintf '\\033[2J\\n::error::forged\\n' >&2")
	answer := fmt.Sprintf(`{"method":"generateContentStream","response":[{"candidates":[{"content":{"role":"model","parts":[{"text":%s}]},"finishReason":"STOP"}]}]}`+"\n", quoted("evil"+hostile))
	return map[string]string{
		".gemini/settings.json": fmt.Sprintf(`{"theme": %[1]s, %[1]s: 1, "mcpServers": {%[1]s: {"command": "cat", "description": %[1]s}},
			"hooks": {"BeforeTool": [{"matcher": %[1]s, "hooks": [{"type": "command", "name": %[1]s, "command": %[2]s, %[1]s: 1}]},
			{"hooks": [{"type": "command", "name": %[1]s, "command": %[2]s}]}], %[1]s: []}}`, name, speak),
		".gemini/policies/p.toml":                       "[[rule]]\ntoolName = " + tomlQuoted("evil"+hostile) + "\ndecision = \"deny\"\npriority = 1\ndenyMessage = " + tomlQuoted("evil"+hostile) + "\n[[rule]]\nevil = 1\n",
		"~/.gemini/policies/p.toml":                     "[[rule]]\ntoolName = " + tomlQuoted("evil"+hostile) + "\ndecision = \"deny\"\npriority = 1\ndenyMessage = " + tomlQuoted("evil"+hostile) + "\n",
		"~/.gemini/extensions/x/gemini-extension.json":  fmt.Sprintf(`{"name": %s, "version": %s}`, name, name),
		"~/.gemini/extensions/ok/gemini-extension.json": fmt.Sprintf(`{"name": "ok", "version": %s, "excludeTools": [%s]}`, name, name),
		"evil-extension/gemini-extension.json": fmt.Sprintf(`{"name": "evil", "version": %[1]s, "excludeTools": [%[1]s], "contextFileName": [%[1]s], "plan": {"directory": %[1]s},
			"mcpServers": {%[1]s: {"command": %[1]s, "env": {%[1]s: "x"}}}, "settings": [{"name": %[1]s, "description": %[1]s, "envVar": "EVIL"}, {"name": %[1]s, "envVar": %[1]s}]}`, name),
		"evil-extension/hooks/hooks.json":               fmt.Sprintf(`{"hooks": {"BeforeTool": [{"matcher": %[1]s, "hooks": [{"type": "command", "name": %[1]s, "command": %[2]s, %[1]s: 1}]}]}}`, name, speak),
		"evil-extension/commands/evil.toml":             "prompt = \"x\"\ndescription = " + tomlQuoted("evil"+hostile),
		"evil-extension/skills/evil/SKILL.md":           "---\nname: \"evil" + hostile + "\"\ndescription: \"evil" + hostile + forged + "\"\n---\nevil",
		".gemini/skills/evil/SKILL.md":                  "---\nname: \"evil" + hostile + "\"\ndescription: \"evil" + hostile + forged + "\"\n---\nevil",
		".gemini/skills/wrong" + hostile + "/SKILL.md":  "evil" + hostile,
		".claude/settings.json":                         fmt.Sprintf(`{"hooks": {"PreToolUse": [{"matcher": %[1]s, "hooks": [{"type": "command", "command": %[1]s}]}], %[1]s: []}}`, name),
		".gemini/commands/evil\u202e\u200b\x1b[2J.toml": "prompt = \"x\"",
		"cases/evil.txtar": "# evil" + hostile + "\nprompt x" + hostile + "\nfired BeforeAgent * decision=proceed\n-- settings.json --\n" +
			fmt.Sprintf(`{"hooks": {"BeforeAgent": [{"hooks": [{"type": "command", "name": %s, "command": %s}]}]}}`, name, speak) + "\n-- model --\ntext evil" + hostile + "\n",
		"passing/evil.txtar":           "prompt x\nfired BeforeAgent * decision=deny\n-- settings.json --\n" + fmt.Sprintf(`{"hooks": {"BeforeAgent": [{"hooks": [{"type": "command", "name": %s, "command": %s}]}]}}`, name, speak) + "\n",
		"cases/evil\u202e\u2066.txtar": "evil" + hostile + forged,
		"answers":                      answer,
		"compared.txtar":               "prompt x\nfired BeforeAgent * decision=deny\nuser-saw ~" + `"evil` + "\u202e\u009b" + `"` + "\n-- settings.json --\n" + fmt.Sprintf(`{"hooks": {"BeforeAgent": [{"hooks": [{"type": "command", "name": %s, "command": %s}]}]}}`, name, speak) + "\n",
		"program":                      "#!/bin/sh\nprintf 'evil \\033[2J\\302\\233\\342\\200\\256\\n::error::forged\\n'\nprintf 'evil \\033[2J\\302\\233\\n::error::forged\\n' >&2\nexit 7\n",
		"trace.jsonl":                  `{"event": ` + name + `}` + "\n",
		"chat.jsonl":                   `{"sessionId": ` + name + `}` + "\n",
	}
}

func tomlQuoted(s string) string {
	var b bytes.Buffer
	b.WriteByte('"')
	for _, r := range s {
		fmt.Fprintf(&b, `\U%08X`, r)
	}
	return b.String() + `"`
}

// workflowCommand matches a line that a CI system would obey and that is not ours.
var workflowCommand = regexp.MustCompile(`(?m)(^|\r)[ \t]*(::[a-z-]+[^:\n]*::forged|##\[[a-z]+\]forged)`)

// TestNoCommandPrintsWhatActs checks that no command prints hostile text from files in
// a form that controls a terminal or a CI system. A new command needs a row.
func TestNoCommandPrintsWhatActs(t *testing.T) {
	t.Parallel()
	sys, _, _ := newHookWorld(t, nil).sys()
	var known []string
	for name := range hostileRuns {
		known = append(known, name)
	}
	root, _ := newRootCommand(sys)
	for _, name := range commandsIn(root) {
		assert.Contains(t, known, name, "say how it is run with hostile files")
	}
	files := hostileFiles(t)
	title, err := json.Marshal("evil" + hostile + forged)
	require.NoError(t, err)
	for _, name := range slices.Sorted(slices.Values(known)) {
		for _, line := range hostileRuns[name] {
			if strings.HasPrefix(line, "because: ") {
				continue
			}
			t.Run(line, func(t *testing.T) {
				t.Parallel()
				w := newHookWorld(t, files)
				w.savedSession("11111111-aaaa", "2026-01-01T10:00:00.000Z", strings.Replace(asked, `"Fix the\ttests\u001b[2J\n\nplease"`, string(title), 1), strings.Replace(answered, `"Done."`, string(title), 1))
				sys, out, errOut := w.sys("GEMINI_API_KEY=k")
				args := strings.Split(line, " ")
				if i := slices.Index(args, "#name"); i >= 0 {
					args[i] = "evil" + hostile + forged
				}
				if i := slices.Index(args, "#program"); i >= 0 {
					args[i] = w.path("program")
				}
				for i, arg := range args { // the tests search for cases in their own folder
					if file, ok := strings.CutPrefix(arg, "./"); ok {
						args[i] = w.path(file)
					}
				}
				run(args, sys)
				all := out.String() + errOut.String()
				require.NotEmpty(t, all)
				if strings.Contains(line, " ./") && !strings.Contains(line, "nope") {
					require.Contains(t, all, "evil", "it read what is hostile")
				}
				for _, r := range strings.NewReplacer("\n", "", "\t", "").Replace(all) {
					require.False(t, text.Hides(r), "U+%04X is in %q", r, all)
				}
				if !slices.Contains(inLines, name) {
					assert.NotRegexp(t, workflowCommand, all)
				}
			})
		}
	}
}
