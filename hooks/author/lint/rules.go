package lint

import (
	"fmt"
	"strings"

	"minigem/hooks"
	"minigem/hooks/elsewhere"
)

// Rule is one kind of finding. A code is never reused for anything else.
type Rule struct {
	// Code is "HK" and three digits.
	Code string
	// Name is a word for programs, such as "unknown-event".
	Name string
	// Severity is that of all findings of the rule.
	Severity Severity
	// Title says what is wrong.
	Title string
	// Why says what happens because of it.
	Why string
	// Do says what to do.
	Do string
	// Example shows what is found, shortened; may be empty.
	Example string
	// Fixes says that --fix can mend it if the answer is clear.
	Fixes bool
}

// Rules lists all rules, by code. It must not be changed.
var Rules = []Rule{
	// the settings file
	{"HK001", "unknown-event", Error, "There is no such event", "Hooks under an unknown event name never run.",
		"Use a name that minigem hooks schema lists.", `"BeforeTols": [...]`, true},
	{"HK002", "claude-name", Error, "A name of Claude Code's",
		"Gemini CLI and minigem have other names for events and tools: hooks under Claude Code's never run.",
		"minigem hooks migrate moves a whole configuration over.", `"PreToolUse": [...], "matcher": "Bash"`, true},
	{"HK003", "unknown-tool", Warning, "No tool has this name",
		"The matcher names a tool that neither minigem nor Gemini CLI has. Tools of extensions and MCP servers can have " +
			"any name.", "Compare with the names that minigem hooks explain BeforeTool shows.", `"matcher": "write_fil"`, true},
	{"HK004", "unknown-trigger", Error, "The event never has this trigger",
		"Matchers of lifecycle events are compared with a few fixed words.",
		"Use one of the words that the message lists, or no matcher.", `"SessionStart": [{"matcher": "begin", ...}]`, false},
	{"HK005", "unknown-field", Warning, "There is no such field",
		"The field is ignored; the rest of the entry is in force.", "Correct the name, or remove the field.",
		`"timeOut": 5000`, false},
	{"HK006", "dropped-group", Error, "A group is left out",
		"An event holds groups, a group holds hooks. Anything else is left out.",
		`Write "BeforeTool": [{"matcher": "...", "hooks": [{"type": "command", "command": "..."}]}].`,
		`"BeforeTool": [{"type": "command", "command": "./x"}]`, false},
	{"HK007", "wrong-type", Error, "Unknown type of hook",
		`"command", "http", "prompt" and "mcp_tool", in lower case, can be run. Other entries are left out.`,
		`Write "type": "command".`, `"type": "Command"`, true},
	{"HK008", "no-command", Error, "A hook has no command",
		"There is nothing to run, to send to, to ask or to call; the entry is left out.",
		"Give it what its type needs: a command, a url, a prompt, or a server and a tool.", `"command": ""`, false},
	{"HK009", "wrong-value", Warning, "A value has the wrong type",
		"The value is ignored or replaced by the default, as the message says.", "Write the value that the message asks for.",
		`"timeout": "soon"`, false},
	{"HK010", "older-name", Warning, "A setting has its older name", "Hooks that you disabled by it run in Gemini CLI.",
		"Move it to hooksConfig.", `"hooks": {"disabled": ["guard"]}`, true},
	{"HK011", "twice", Warning, "A name occurs twice in an object",
		"Only the last one counts; what is under the first is lost.", "Join the two.",
		`{"BeforeTool": [...], "BeforeTool": [...]}`, false},
	{"HK012", "seconds", Warning, "A timeout of less than a second",
		"Timeouts are in milliseconds. Claude Code's are in seconds, and gemini hooks migrate copies the number: a hook " +
			"with 30 ms never ends in time, and what it would have stopped goes on.", "Multiply by 1000.", `"timeout": 30`,
		true},
	{"HK013", "not-portable", Error, "Gemini CLI cannot read the file", "The hooks run only in minigem.",
		"Remove what the message names.", "[1, 2,]", true},
	{"HK014", "loose-type", Note, "A value is read though its type is wrong",
		"It is understood here; other readers may be less lenient.", "Write the type that the message asks for.",
		`"timeout": "5000"`, true},
	{"HK015", "minigem-only", Note, "Gemini CLI ignores this key", "What you rely on here does not happen there.",
		"Keep it if the hook runs only in minigem; otherwise decide in the program.", `"onError": "block"`, false},
	{"HK016", "not-utf8", Warning, "The file holds bytes that are not UTF-8",
		"They are read as U+FFFD; a name or command that contains one is not what you wrote.",
		"Save the file as UTF-8.", "", false},
	{"HK017", "not-read", Error, "A file of hooks cannot be read", "Its hooks do not run.",
		"Correct what the message names.", `hooks/hooks.json of an extension: {"hooks": `, false},
	{"HK018", "no-hooks", Warning, "There are no hooks",
		"Nothing was checked: the hooks are elsewhere, or under a key that no agent reads.",
		"Run it in the folder of the project or the extension; minigem hooks explain lists the files that are looked for.",
		"", false},
	{"HK019", "moved", Note, "Hooks of Claude Code are read in its dialect",
		"They run here, and what the message names differs from Claude Code. Gemini CLI knows neither their events nor " +
			"their answers.", "Keep them, or write them with minigem hooks migrate --from-claude.",
		`"PreToolUse": [...] in hooks/hooks.json of an extension`, false},
	// matchers
	{"HK020", "invalid-matcher", Error, "A matcher is not a regular expression",
		"It is compared literally, in Gemini CLI too: no tool has such a name.",
		"Correct the expression; the syntax is JavaScript's.", `"matcher": "[write"`, false},
	{"HK021", "loose-matcher", Warning, "A matcher matches more than it names",
		"Matchers of tools are not anchored: a name matches every tool whose name contains it.", "Anchor it: ^(write_file)$.",
		`"matcher": "write"`, false},
	{"HK022", "dead-matcher", Warning, "A matcher matches no tool",
		"No built-in tool matches, or none matches one of its alternatives, which then has no effect, unless a tool of an " +
			"extension matches.",
		"Try it: minigem hooks explain BeforeTool.", `"matcher": "^writefile$"`, false},
	{"HK023", "no-subject", Warning, "The event has nothing to match", "The matcher has no effect: the hook always runs.",
		"Remove it, or look at the payload in the program.", `"BeforeAgent": [{"matcher": "deploy", ...}]`, false},
	{"HK024", "matcher-differs", Warning, "Gemini CLI matches differently",
		"The hook runs here but not there, or the other way round.", "Use the tool's own name; write one group per trigger.",
		`"SessionStart": [{"matcher": "startup|resume", ...}]`, false},
	{"HK025", "shadowed", Warning, "The same hook occurs twice",
		"Of hooks with the same name and command only the first runs, whatever the matcher, timeout and environment of " +
			"the other say.", "Join the two, or name them differently.", "", false},
	{"HK026", "disabled-nobody", Warning, "A list disables a hook that does not exist",
		"Hooks are known by their name, or by their command if they have none. A name that no hook has disables nothing.",
		"Correct the name, or remove it.", `"disabled": ["gaurd"]`, false},
	{"HK027", "all-sequential", Note, "One sequential hook makes all of them sequential",
		`"sequential" applies to the whole event, including the hooks of other groups and files.`,
		"Expect the sum of their times.", "",
		false},
	{"HK028", "unanchored", Note, "A matcher is not anchored",
		"It matches only the tools it names while no other tool's name contains one of them; an extension or an MCP " +
			"server may bring such a tool.", "Anchor it: ^(write_file|replace)$.", `"matcher": "write_file"`, false},
	// commands
	{"HK030", "no-program", Error, "The program does not exist", "The shell exits with 127, and the hook decides nothing.",
		"Correct the path. Relative ones start at the working directory; ${GEMINI_PROJECT_DIR} is the project's root.",
		`"command": "./no-such.sh"`, false},
	{"HK031", "not-executable", Error, "The program is not executable",
		"The shell exits with 126, which here is a warning.", "chmod +x, or name the interpreter: bash ./guard.sh.", "",
		true},
	{"HK032", "crlf", Error, "The program's lines end with CR LF",
		"The kernel looks for an interpreter whose name ends with a carriage return.",
		"Save it with LF; .gitattributes can enforce it.", "", true},
	{"HK033", "byte-order-mark", Error, "A byte order mark before #!",
		"The first line is not recognized, so the shell runs a program that was written for another interpreter.",
		"Save it without the mark.", "", true},
	{"HK035", "quoted-variable", Note, "The command breaks on spaces in Gemini CLI",
		"The quotes become part of the path there, or the shell splits it: the program is not found, and every tool is " +
			"blocked.", "Write the variable with braces and in double quotes.", `"command": "\"$GEMINI_PROJECT_DIR/guard.sh\""`,
		true},
	{"HK036", "syntax", Error, "The shell cannot read it",
		"A syntax error ends the shell with 2, which blocks, or with 1, which does not.", "bash -n shows where.", "",
		false},
	{"HK037", "early-expansion", Note, "Gemini CLI expands inside single quotes",
		"A value with a quote or a $ changes the command.", "Move the command into a script.", `"command": "echo '$USER'"`,
		false},
	// programs
	{"HK040", "exit-1", Warning, "exit 1 does not block",
		"A program that exits with 1 has failed: a warning, and the action goes on. 2 blocks.",
		"exit 2, with the reason on stderr.", "exit 1", false},
	{"HK041", "exit-above-2", Warning, "An exit above 2", "The manual of Gemini CLI says that it is a warning.",
		"exit 2 to block, exit 1 for a failure.", "exit 3", false},
	{"HK042", "silent-block", Warning, "exit 2 without a reason", "The model is not told why.",
		"Print the reason on stderr before exit 2.", "exit 2", false},
	{"HK043", "exit-2-json", Warning, "exit 2 with JSON that does not deny",
		"The exit code says block, and the JSON does not.",
		`Print {"decision": "deny", "reason": "..."}, or nothing on stdout.`, `echo '{}'; exit 2`, false},
	{"HK044", "endless-retry", Warning, "An AfterAgent or SubagentStop hook never reads stop_hook_active",
		"A deny sends the answer back. A program that does not check whether this is a retry can do so forever.",
		"Let the answer pass where stop_hook_active is true.", "", false},
	{"HK045", "json-on-stderr", Warning, "JSON on stderr",
		"It is obeyed only where stdout is empty, though the manual says never.",
		"Print JSON on stdout, and messages for the log on stderr.", `echo '{"decision": "deny"}' >&2`, false},
	{"HK046", "text-before-json", Error, "Text before the JSON",
		"stdout must be one JSON object and nothing else. With a line before it, all of it is a message for the user, and " +
			"only the decision in the JSON counts.", "Print messages on stderr.", `echo checking; echo '{"decision": "deny"}'`,
		false},
	{"HK047", "no-decision", Error, "No such decision",
		"An unknown word, or an array, is ignored: the action goes on.", "allow, deny (or block), ask.",
		`{"decision": "denied"}`, false},
	{"HK048", "claude-output", Error, "Claude Code's fields in the answer",
		"permissionDecision, updatedInput and the like are ignored: the action goes on.",
		`"dialect": "claude" in the hook's entry for minigem; decision, reason and hookSpecificOutput.tool_input for both.`,
		`{"hookSpecificOutput": {"permissionDecision": "deny"}}`, false},
	{"HK049", "ignores-term", Warning, "The program ignores TERM", "It cannot shut down cleanly at its timeout.",
		"Leave TERM alone, or exit in its trap.", "trap '' TERM", false},
	{"HK050", "leaves-child", Warning, "A child is left behind with stdout open",
		"Whatever reads the hook's output waits until the child closes it too.",
		"Redirect the child's output: >/dev/null 2>&1 &.", "sleep 100 &", false},
	{"HK051", "ask", Note, "ask is weaker in Gemini CLI", "The same answer protects less there.",
		"Deny if there may be nobody to ask.", `{"decision": "ask"}`, false},
	{"HK052", "signal", Warning, "The program ends itself with a signal", "That is a failure, which does not block.",
		"exit 2.", "kill -9 $$", false},
	{"HK053", "unread-field", Warning, "A field of the answer that nothing reads",
		"Each field has its place: additionalContext, for one, belongs in hookSpecificOutput. Elsewhere it is ignored, and " +
			"reaches nobody.", "minigem hooks schema EVENT --output shows where fields belong.", `{"additionalContext": "..."}`,
		false},
	{"HK054", "no-block", Warning, "The event cannot be blocked",
		"A denial at SessionStart, SessionEnd, Notification, PreCompress, PostCompact, StopFailure or " +
			"BeforeToolSelection, and exit 2 there, is a warning: what was to be stopped goes on.",
		"Deny where it happens: BeforeAgent, BeforeModel, BeforeTool. BeforeToolSelection removes tools with toolConfig.",
		`"SessionStart": exit 2`, false},
	{"HK055", "ask-nobody", Warning, "The event cannot ask",
		"Only BeforeTool can ask for the permission prompt; elsewhere ask is not a decision, and the action goes on.",
		"Deny, or ask at BeforeTool.", `"AfterTool": {"decision": "ask"}`, false},
	// what is missing
	{"HK060", "unset-variable", Warning, "A variable that no agent sets",
		"It is empty: what the hook is about is in the JSON on stdin, not in the environment.",
		"Read stdin: jq -r '.tool_input.file_path'.", `$CLAUDE_TOOL_INPUT_FILE_PATH`, false},
	{"HK061", "no-such-field", Warning, "A field that no payload has", "It is null, so nothing is ever found in it.",
		"minigem hooks payload EVENT shows what there is.", `jq -r .arguments`, false},
	{"HK062", "foreign-tool", Warning, "A tool name that never occurs",
		"The program compares the tool's name with names of another agent, or with display names, and " +
			"never finds a match.", `Compare with this dialect's names, or give the hook "dialect": "claude".`,
		`[ "$tool_name" = Bash ]`, false},
	{"HK063", "unescaped", Note, "A variable inside JSON",
		"A quote or a line break in it makes the output invalid JSON: the answer is lost.",
		"jq -n --arg reason \"$reason\" '{decision: \"deny\", reason: $reason}'", `echo "{\"reason\": \"$reason\"}"`, false},
	{"HK064", "empty-alternative", Warning, "An alternative of the matcher is empty",
		"An empty one matches everything: the hook runs for all tools.", "Remove a |.", `"matcher": "write_file||replace"`,
		false},
	{"HK065", "no-argument", Warning, "A hook gets no arguments",
		"$1 is empty: what the hook is about is in the JSON on stdin.", "Read stdin: jq -r '.tool_input.command'.",
		`case "$1" in`, false},
	{"HK066", "accidental-block", Warning, "A fault in the program blocks",
		"Under set -e the hook ends with the code of the command that failed, and where sh is dash, an unset variable, a " +
			"cd or a shift that fails is 2, as it is for grep, jq and ls if they cannot read: an unintended block, " +
			"on some systems and not on others.",
		"Begin with #!/usr/bin/env bash and handle what may fail; a guard that should block if it fails says " +
			"\"onError\": \"block\".", "#!/bin/sh; set -eu", false},
	{"HK067", "glob-matcher", Warning, "A matcher looks like a glob",
		"Matchers are regular expressions: _* is any number of underscores, including none.",
		"Write .* for any text: ^mcp_.*$.",
		`"matcher": "mcp_*"`, true},
	// other agents: --for
	{"HK068", "not-for-guards", Warning, "A guard that does not always guard",
		"A hook with once is silent for the rest of the session as soon as it has allowed something; one with async is not " +
			"waited for, and refuses nothing.", "Remove once and async from hooks that refuse.",
		`"command": "./guard.sh", "once": true`, false},
	{"HK069", "unencrypted", Error, "A hook would send without encryption",
		"It fails each time, and the action goes on unless onError is block.",
		"Use https, or list the host in hooksConfig.allowedHttpHosts of your own settings.", `"url": "http://hooks.example/"`,
		false},
	{"HK070", "refusal-lost", Warning, "A refusal does not refuse elsewhere",
		"This answer refuses here, but not there, as measured: the action goes on.",
		"minigem hooks run --portable translates; minigem hooks compat EVENT shows which answers refuse where.",
		`--for claude: {"decision": "deny"}`, false},
	{"HK071", "matcher-elsewhere", Warning, "A matcher never fires elsewhere",
		"Tools have other names there, and matchers other rules: the hook never runs, and no message says so.",
		"minigem hooks migrate --to AGENT translates.", `--for copilot: "matcher": "Bash"`, false},
	{"HK072", "event-elsewhere", Warning, "The agent has no such event", "The hook never runs there.",
		"minigem hooks compat lists the events of each agent.", `--for codex: "BeforeModel": [...]`, false},
	{"HK073", "silent-trust", Note, "Untrusted hooks are left out silently",
		"A run without a terminal goes on as if there were no hooks.",
		"Trust them first, or start the agent as the message says.", `--for codex`, false},
	{"HK074", "variable-elsewhere", Warning, "The agent does not set the variable",
		"It is empty there: paths that begin with it lead elsewhere, and the program is not found.",
		"minigem hooks run --portable sets it; or begin at the working directory.",
		`--for codex: $GEMINI_PROJECT_DIR/guard.sh`, false},
	{"HK075", "field-elsewhere", Warning, "The agent's payload has no such field",
		"jq, Python and JavaScript read null there, or nothing: a guard that compares it allows everything.",
		"minigem hooks run --portable translates the payload; or read both: .tool_input.file_path // .tool_input.path.",
		`--for kimi: jq -r .tool_input.file_path`, false},
}

// differences lists, by the code of a rule, the IDs of the differences of Gemini CLI
// that it warns of.
var differences = map[string][]string{
	"HK006": {"silent-faults"}, "HK007": {"silent-faults"}, "HK009": {"bad-timeout"}, "HK010": {"older-disabled"},
	"HK013": {"not-strict", "extension-comment"}, "HK015": {"on-error", "dialect", "event-added", "trigger-added",
		"max-retries", "blocked-exit-code"},
	"HK024": {"matcher-tool", "matcher-trigger", "matcher-notification"}, "HK030": {"missing-program"},
	"HK035": {"quoted-variable"},
	"HK037": {"early-expansion"}, "HK041": {"exit-above-2"}, "HK042": {"exit-2-silent"}, "HK043": {"exit-2-json"},
	"HK044": {"retries"},
	"HK046": {"deny-in-noise"}, "HK049": {"ignores-term"}, "HK050": {"leaves-child"}, "HK051": {"ask"},
	"HK052": {"signal"},
}

// Differences returns the differences of Gemini CLI that the rule warns of. It returns
// nil for a rule that warns of none.
func (r Rule) Differences() []hooks.Difference {
	var out []hooks.Difference
	for _, id := range differences[r.Code] {
		out = append(out, elsewhere.DifferenceByID(id))
	}
	return out
}

// effect describes how both agents treat what the rule finds. If the rule has several
// differences, it uses the first.
func effect(code string) string { return elsewhere.DifferenceByID(differences[code][0]).Effect() }

// Page returns the section of docs/LINT.md about the rule, in Markdown.
func (r Rule) Page() string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n**%s** (%s, `%s`", r.Code, r.Title, r.Severity, r.Name)
	if r.Fixes {
		b.WriteString(", `--fix`")
	}
	fmt.Fprintf(&b, ")\n\n%s\n\n", r.Why)
	for _, d := range r.Differences() {
		fmt.Fprintf(&b, "- %s (%s)\n", d, d.Source)
	}
	if len(r.Differences()) > 0 {
		b.WriteByte('\n')
	}
	if r.Example != "" {
		fmt.Fprintf(&b, "Found: `%s`\n\n", r.Example)
	}
	fmt.Fprintf(&b, "What to do: %s\n", r.Do)
	return b.String()
}
