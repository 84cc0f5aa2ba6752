package hookstest

import (
	"time"

	"minigem/hooks"
	"minigem/hooks/protocol"
)

// Several hooks: decisions, order, and which of them run.

var severalCases = []Case{
	// The strongest wins, whatever the order.
	{Name: "allow, deny", Event: beforeTool, Hooks: outs(allowYes, denyNo), Want: Want{Decision: "deny", Reason: "no"}},
	{Name: "deny, allow", Event: beforeTool, Hooks: outs(denyNo, allowYes), Want: Want{Decision: "deny", Reason: "no"}},
	{Name: "deny, text", Event: beforeTool, Hooks: outs(denyNo, "text"), Want: Want{Decision: "deny", Reason: "no", Message: "text"}},
	{Name: "deny, garbage", Event: beforeTool, Hooks: outs(denyNo, `{"hookSpecificOutput":7}`), Want: Want{Decision: "deny", Reason: "no", Warn: []string{"must be an object"}}},
	{Name: "garbage, deny", Event: beforeTool, Hooks: outs(`{"hookSpecificOutput":"x"}`, denyNo), Want: Want{Decision: "deny", Reason: "no", Warn: []string{"must be an object"}}},
	{Name: "deny, exit 1", Event: beforeTool, Hooks: []Hook{{Out: denyNo}, {Exit: 1}}, Want: Want{Decision: "deny", Reason: "no", Failed: []string{"exit status 1"}}},
	{Name: "deny, missing", Event: beforeTool, Hooks: []Hook{{Out: denyNo}, {Missing: true}}, Want: Want{Decision: "deny", Reason: "no", Failed: []string{"127"}}},
	{Name: "deny, time-out", Event: beforeTool, Hooks: []Hook{{Out: denyNo}, {Hangs: true}}, Want: Want{Decision: "deny", Reason: "no", Failed: []string{"timed out"}}},
	{Name: "ask, allow", Event: beforeTool, Hooks: outs(askWhy, allowYes), Want: Want{Decision: "ask", Reason: "sure?"}},
	{Name: "ask, deny", Event: beforeTool, Hooks: outs(askWhy, denyNo), Want: Want{Decision: "deny", Reason: "no"}},
	{Name: "deny, stop", Event: beforeTool, Hooks: outs(denyNo, stopNow), Want: Want{Decision: "stop", Reason: "enough"}},
	{Name: "stop, allow", Event: beforeTool, Hooks: outs(stopNow, allowYes), Want: Want{Decision: "stop", Reason: "enough"}},
	{Name: "stop, deny, ask", Event: beforeTool, Hooks: outs(stopNow, denyNo, askWhy), Want: Want{Decision: "stop", Reason: "enough"}},
	{Name: "BeforeModel: deny, allow", Event: beforeModel, Hooks: outs(denyNo, allowYes), Want: Want{Decision: "deny", Reason: "no"}},
	{Name: "BeforeModel: deny, text", Event: beforeModel, Hooks: outs(denyNo, "text"), Want: Want{Decision: "deny", Reason: "no", Message: "text"}},
	{Name: "AfterModel: deny, allow", Event: afterModel, Hooks: outs(denyNo, allowYes), Want: Want{Decision: "deny", Reason: "no"}},
	{Name: "AfterAgent: deny, allow", Event: afterAgent, Hooks: outs(denyNo, allowYes), Want: Want{Decision: "deny", Reason: "no"}},
	{Name: "a deny of any layer holds", Event: beforeTool, Hooks: []Hook{{Out: allowYes, Layer: hooks.LayerProject}, {Out: denyNo, Layer: hooks.LayerExtension}}, Want: Want{Decision: "deny", Reason: "no"}},

	// Reasons and messages.
	{Name: "reasons of those that deny are joined", Event: beforeTool, Hooks: outs(`{"decision":"deny","reason":"one"}`, allowYes, `{"decision":"block","reason":"two"}`), Want: Want{Decision: "deny", Reason: "one\ntwo"}},
	{Name: "a deny without a reason adds none", Event: beforeTool, Hooks: outs(`{"decision":"deny"}`, denyNo), Want: Want{Decision: "deny", Reason: "no"}},
	{Name: "reasons of weaker decisions are left out", Event: beforeTool, Hooks: outs(askWhy, denyNo, stopNow), Want: Want{Decision: "stop", Reason: "enough"}},
	{Name: "reasons of those that ask are joined", Event: beforeTool, Hooks: outs(askWhy, allowYes, `{"decision":"ask","reason":"really?"}`), Want: Want{Decision: "ask", Reason: "sure?\nreally?"}},
	{Name: "messages of all are joined", Event: beforeTool, Hooks: outs(`{"systemMessage":"one"}`, `{"decision":"deny","reason":"no","systemMessage":"two"}`, "three"), Want: Want{Decision: "deny", Reason: "no", Message: "one\ntwo\nthree"}},
	{Name: "contexts are joined", Event: beforeAgent, Hooks: outs(`{"hookSpecificOutput":{"additionalContext":"one"}}`, `{"hookSpecificOutput":{"additionalContext":"two"}}`), Want: Want{Context: "<hook_context>one\ntwo</hook_context>"}},

	// Configured order.
	{Name: "layers run in their order", Event: beforeTool, Hooks: []Hook{
		{Out: "e", Layer: hooks.LayerExtension}, {Out: "s", Layer: hooks.LayerSystem}, {Out: "d", Layer: hooks.LayerSystemDefaults}, {Out: "u", Layer: hooks.LayerUser}, {Out: "p", Layer: hooks.LayerProject},
	}, Want: Want{Message: "p\nu\nd\ns\ne"}},
	{Name: "within a layer as configured", Event: beforeTool, Hooks: outs("1", "2", "3", "4"), Want: Want{Message: "1\n2\n3\n4"}},

	{Name: "layers: a project's extension runs with the project", Event: beforeTool, Hooks: []Hook{
		{Out: "e", Layer: hooks.LayerExtension}, {Out: "u", Layer: hooks.LayerUser}, {Out: "x", Layer: hooks.LayerExtension, InProject: true}, {Out: "p", Layer: hooks.LayerProject},
	}, Want: Want{Message: "p\nx\nu\ne"}},

	// Sequential.
	{Name: "sequential: arguments pass from one to the next", Event: beforeTool, Hooks: inTurn(Hook{Out: `{"hookSpecificOutput":{"tool_input":{"content":"y"}}}`}, Hook{Out: `{"hookSpecificOutput":{"tool_input":{"mode":"w"}}}`}, Hook{}), Want: Want{
		Args: `{"content":"y","file_path":"a.txt","mode":"w"}`, Read: []string{`"content":"x"`, `"content":"y"`, `"mode":"w"`}}},
	{Name: "sequential: a deny does not end the others", Event: beforeTool, Hooks: inTurn(Hook{Out: denyNo}, Hook{Out: "seen"}), Want: Want{Decision: "deny", Reason: "no", Message: "seen"}},
	{Name: "sequential: after a stop the rest do not run", Event: beforeTool, Hooks: inTurn(Hook{Out: stopNow}, Hook{Out: "seen"}, Hook{}), Want: Want{Decision: "stop", Reason: "enough", Skipped: []string{`b: hook "a" stopped`, `c: hook "a" stopped`}}},
	{Name: "sequential: a failure does not end the others", Event: beforeTool, Hooks: inTurn(Hook{Exit: 1}, Hook{Out: "seen"}), Want: Want{Message: "seen", Failed: []string{"exit status 1"}}},
	{Name: "sequential: context joins the prompt", Event: beforeAgent, Hooks: inTurn(Hook{Out: `{"hookSpecificOutput":{"additionalContext":"<c>"}}`}, Hook{}), Want: Want{Context: "<hook_context>&lt;c&gt;</hook_context>", Read: []string{`"prompt":"hello"`, `"prompt":"hello\n\n<c>"`}}},
	{Name: "sequential: the request passes on", Event: beforeModel, Hooks: inTurn(Hook{Out: `{"hookSpecificOutput":{"llm_request":{"model":"m2"}}}`}, Hook{Out: `{"hookSpecificOutput":{"llm_request":{"config":{"temperature":0}}}}`}, Hook{}), Want: Want{
		Request: "m2 t=0 p=0.95 k=64 [be brief]" + conversation + allTools, Read: []string{`"temperature":1`, `"model":"m2"`, `"temperature":0`}}},
	{Name: "sequential: the chunk passes on", Event: afterModel, Hooks: inTurn(Hook{Out: `{"hookSpecificOutput":{"llm_response":{"text":"one"}}}`}, Hook{Out: `{"hookSpecificOutput":{"llm_response":{"text":"two"}}}`}, Hook{}), Want: Want{
		Chunk: "two!s3 STOP", Read: []string{`"text":"Hello world"`, `"text":"one"`, `"text":"two"`}}},
	{Name: "sequential: the selection passes on", Event: selection, Hooks: inTurn(Hook{Out: `{"hookSpecificOutput":{"toolConfig":{"mode":"ANY","allowedFunctionNames":["glob"]}}}`}, Hook{}), Want: Want{
		Request: plain + " tools=glob ANY:glob", Read: []string{`"tools":["read_file","write_file","glob"]`, `"tools":["glob"],"toolConfig":{"mode":"ANY","allowedFunctionNames":["glob"]}`}}},
	{Name: "one sequential hook makes all so", Event: beforeTool, Hooks: []Hook{{Out: stopNow}, {Sequential: true}}, Want: Want{Decision: "stop", Reason: "enough", Skipped: []string{"b: "}}},
	{Name: "one that does not match does not", Event: beforeTool, Hooks: []Hook{{Out: stopNow}, {Sequential: true, Matcher: "glob"}, {Out: "seen"}}, Want: Want{Decision: "stop", Reason: "enough", Message: "seen", Skipped: []string{"b: matcher"}}},
	{Name: "parallel: all read the same", Event: beforeTool, Hooks: outs(`{"hookSpecificOutput":{"tool_input":{"content":"y"}}}`, ""), Want: Want{Args: `{"content":"y","file_path":"a.txt"}`, Read: []string{`"content":"x"`, `"content":"x"`}}},
	{Name: "parallel: a stop does not take back the others", Event: beforeTool, Hooks: outs(stopNow, "seen"), Want: Want{Decision: "stop", Reason: "enough", Message: "seen"}},

	// Same name and command.
	{Name: "the same twice runs once", Event: beforeTool, Hooks: []Hook{{Name: "x", Out: "m"}, {Name: "x", Out: "m"}}, Want: Want{Message: "m", Skipped: []string{"x: shadowed by the hook of the same name and command at settings.json:1"}}},
	{Name: "the higher layer's runs", Event: beforeTool, Hooks: []Hook{{Name: "x", Out: "m", Layer: hooks.LayerUser}, {Name: "x", Out: "m", Layer: hooks.LayerProject}}, Want: Want{Message: "m", Skipped: []string{"x: shadowed by the hook of the same name and command at usersettings.json:1"}}},
	{Name: "the higher layer's runs at its place", Event: beforeTool, Hooks: []Hook{{Name: "x", Out: "guard", Layer: hooks.LayerProject}, {Out: "project", Layer: hooks.LayerProject}, {Name: "x", Out: "guard", Layer: hooks.LayerUser}}, Want: Want{Message: "project\nguard", Skipped: []string{"x: shadowed"}}},
	{Name: "the higher layer's runs: the system's before the user's", Event: beforeTool, Hooks: []Hook{{Name: "x", Out: denyNo, Layer: hooks.LayerUser, Timeout: time.Minute}, {Name: "x", Out: denyNo, Layer: hooks.LayerSystem}}, Want: Want{Decision: "deny", Reason: "no", Skipped: []string{"x: shadowed by the hook of the same name and command at systemsettings.json:2"}, Warn: []string{"shadows the hook at usersettings.json:1"}}},
	{Name: "the higher layer's runs: an extension of the user's before the project's", Event: beforeTool, Hooks: []Hook{{Name: "x", Out: denyNo, Layer: hooks.LayerProject}, {Name: "x", Out: denyNo, Layer: hooks.LayerExtension}}, Want: Want{Decision: "deny", Reason: "no", Skipped: []string{"x: shadowed by the hook of the same name and command at extensionsettings.json:2"}}},
	{Name: "the higher layer's runs: the user's before a project's extension's", Event: beforeTool, Hooks: []Hook{{Name: "x", Out: "m", Layer: hooks.LayerExtension, InProject: true}, {Name: "x", Out: "m", Layer: hooks.LayerUser}}, Want: Want{Message: "m", Skipped: []string{"x: shadowed by the hook of the same name and command at usersettings.json:2"}}},
	{Name: "a guard listed by the project too reads what the project's rewriter leaves", Event: beforeTool, Hooks: []Hook{{Name: "x", Layer: hooks.LayerProject}, {Out: `{"hookSpecificOutput":{"tool_input":{"content":"y"}}}`, Layer: hooks.LayerProject}, {Name: "x", Layer: hooks.LayerUser, Sequential: true}}, Want: Want{
		Args: `{"content":"y","file_path":"a.txt"}`, Skipped: []string{"x: shadowed"}, Read: []string{`"content":"x"`, `"content":"y"`}}},
	{Name: "a shadowed sequential hook makes the others so", Event: beforeTool, Hooks: []Hook{{Name: "x", Out: stopNow, Sequential: true, Layer: hooks.LayerProject}, {Name: "x", Out: stopNow, Layer: hooks.LayerUser}, {Name: "y", Out: "seen", Layer: hooks.LayerSystem}}, Want: Want{Decision: "stop", Reason: "enough", Skipped: []string{"x: shadowed", `y: hook "x" stopped`}}},
	{Name: "another name is another hook", Event: beforeTool, Hooks: []Hook{{Name: "x", Out: "m"}, {Name: "y", Out: "m"}}, Want: Want{Message: "m\nm"}},
	{Name: "another command is another hook", Event: beforeTool, Hooks: []Hook{{Name: "x", Out: "m"}, {Name: "x", Out: "n"}}, Want: Want{Message: "m\nn"}},
	{Name: "one that does not match shadows nothing", Event: beforeTool, Hooks: []Hook{{Name: "x", Out: "m", Matcher: "glob"}, {Name: "x", Out: "m"}}, Want: Want{Message: "m", Skipped: []string{"x: matcher"}}},
	{Name: "a disabled one shadows nothing", Event: beforeTool, Hooks: []Hook{{Name: "x", Out: "m", Disabled: "why"}, {Name: "x", Out: "m"}}, Want: Want{Message: "m", Skipped: []string{"x: disabled"}}},
	{Name: "the project's with another time-out: the user's runs", Event: beforeTool, Hooks: []Hook{{Name: "x", Out: denyNo, Layer: hooks.LayerProject, Timeout: time.Minute}, {Name: "x", Out: denyNo, Layer: hooks.LayerUser}}, Want: Want{Decision: "deny", Reason: "no", Skipped: []string{"x: shadowed"}, Warn: []string{"shadows the hook at projectsettings.json:1, which has another time-out, matcher or environment"}}},
	{Name: "the project's with another environment: the system's runs", Event: beforeTool, Hooks: []Hook{{Name: "x", Out: denyNo, Layer: hooks.LayerProject, Env: map[string]string{"A": "1"}}, {Name: "x", Out: denyNo, Layer: hooks.LayerSystem}}, Want: Want{Decision: "deny", Reason: "no", Skipped: []string{"x: shadowed"}, Warn: []string{"shadows the hook at projectsettings.json:1"}}},
	{Name: "the project's in another dialect takes no block away", Event: beforeAgent, Hooks: []Hook{{Name: "x", Out: denyNo, Layer: hooks.LayerProject, Dialect: "claude"}, {Name: "x", Out: denyNo, Layer: hooks.LayerUser}}, Want: Want{Decision: "deny", Reason: "no\nno"}},
	{Name: "the project's that differs by its matcher alone: the user's runs", Event: beforeTool, Hooks: []Hook{{Name: "x", Out: denyNo, Layer: hooks.LayerProject, Matcher: "write"}, {Name: "x", Out: denyNo, Layer: hooks.LayerUser}}, Want: Want{Decision: "deny", Reason: "no", Skipped: []string{"x: shadowed"}, Warn: []string{"shadows the hook at"}}},
	{Name: "a difference is told", Event: beforeTool, Hooks: []Hook{{Name: "x", Out: "m"}, {Name: "x", Out: "m", Env: map[string]string{"A": "1"}}}, Want: Want{Message: "m", Skipped: []string{"x: shadowed"}, Warn: []string{"shadows the hook at settings.json:2"}}},
}

// plain is showRequest of the fixture up to its tools.
const plain = "gemini-2.5-flash t=1 p=0.95 k=64 think=8192 [be brief]" + conversation

const (
	conversation = " u:hello m:~hm,let me see!s1,read_file#c1!s2 u:=c1 m:done u:and this?,image/png"
	allTools     = " tools=read_file,write_file,glob"
)

var mcpTool = &protocol.MCPContext{ServerName: "git-hub", ToolName: "list.issues"}

var matcherCases = []Case{
	{Name: "none", Event: beforeTool, Hooks: out("m"), Want: Want{Message: "m"}},
	{Name: "star", Event: beforeTool, Hooks: one(Hook{Out: "m", Matcher: "*"}), Want: Want{Message: "m"}},
	{Name: "blank", Event: beforeTool, Hooks: one(Hook{Out: "m", Matcher: "  "}), Want: Want{Message: "m"}},
	{Name: "the name", Event: beforeTool, Hooks: one(Hook{Out: "m", Matcher: "write_file"}), Want: Want{Message: "m"}},
	{Name: "spaces around", Event: beforeTool, Hooks: one(Hook{Out: "m", Matcher: " write_file "}), Want: Want{Message: "m"}},
	{Name: "a part of the name", Event: beforeTool, Hooks: one(Hook{Out: "m", Matcher: "write"}), Want: Want{Message: "m"}},
	{Name: "one of several", Event: beforeTool, Hooks: one(Hook{Out: "m", Matcher: "replace|write_file"}), Want: Want{Message: "m"}},
	{Name: "none of several", Event: beforeTool, Hooks: one(Hook{Matcher: "replace|glob"}), Want: Want{Skipped: []string{`a: matcher "replace|glob" does not match "write_file"`}}},
	{Name: "anchored", Event: beforeTool, Hooks: one(Hook{Matcher: "^write$"}), Want: Want{Skipped: []string{"a: matcher"}}},
	{Name: "anchored whole", Event: beforeTool, Hooks: one(Hook{Out: "m", Matcher: "^(write_file|replace)$"}), Want: Want{Message: "m"}},
	{Name: "write_*", Event: beforeTool, Hooks: one(Hook{Out: "m", Matcher: "write_*"}), Want: Want{Message: "m"}},
	{Name: ".*", Event: beforeTool, Hooks: one(Hook{Out: "m", Matcher: ".*"}), Want: Want{Message: "m"}},
	{Name: "slashes are characters", Event: beforeTool, Hooks: one(Hook{Matcher: "/write/"}), Want: Want{Skipped: []string{"a: matcher"}}},
	{Name: "case counts", Event: beforeTool, Hooks: one(Hook{Matcher: "WRITE_FILE"}), Want: Want{Skipped: []string{"a: matcher"}}},
	{Name: "look-ahead", Event: beforeTool, Hooks: one(Hook{Out: "m", Matcher: "write(?=_file)"}), Want: Want{Message: "m"}},
	{Name: "negative look-ahead", Event: beforeTool, Hooks: one(Hook{Matcher: "^(?!write_file$)"}), Want: Want{Skipped: []string{"a: matcher"}}},
	{Name: "\\d and \\w of JavaScript", Event: beforeTool, Hooks: one(Hook{Out: "m", Matcher: `^\w+_[^\d]+$`}), Want: Want{Message: "m"}},
	{Name: "invalid: compared literally", Event: beforeTool, Hooks: one(Hook{Matcher: "["}), Want: Want{Skipped: []string{"a: matcher"}, Warn: []string{`matcher "[" is not a valid regular expression`}}},
	{Name: "invalid: *.file", Event: beforeTool, Hooks: one(Hook{Matcher: "*.file"}), Want: Want{Skipped: []string{"a: matcher"}, Warn: []string{"compared literally"}}},
	{Name: "unanchored beyond what was meant", Event: beforeTool, Tool: "my_read_file_x", Hooks: one(Hook{Out: "m", Matcher: "read_file"}), Want: Want{Message: "m"}},
	{Name: "an alias", Event: beforeTool, Tool: "grep_search", Hooks: one(Hook{Out: "m", Matcher: "search_file_content"}), Want: Want{Message: "m"}},
	{Name: "the name where the alias was asked for", Event: beforeTool, Tool: "search_file_content", Hooks: one(Hook{Out: "m", Matcher: "^grep_search$"}), Want: Want{Message: "m"}},
	{Name: "delegate_to_agent", Event: beforeTool, Tool: "invoke_agent", Hooks: one(Hook{Out: "m", Matcher: "delegate_to_agent"}), Want: Want{Message: "m"}},
	{Name: "a class name", Event: beforeTool, Hooks: one(Hook{Out: "m", Matcher: "EditTool|WriteFileTool"}), Want: Want{Message: "m"}},
	{Name: "an alias is not what a negation means", Event: beforeTool, Tool: "grep_search", Hooks: one(Hook{Matcher: "^(?!grep_search$)"}), Want: Want{Skipped: []string{"a: matcher"}}},
	{Name: "MCP as upstream writes it", Event: beforeTool, Tool: "mcp_git_hub_list_issues", MCP: mcpTool, Hooks: one(Hook{Out: "m", Matcher: "mcp_git_hub_.*"}), Want: Want{Message: "m"}},
	{Name: "MCP with two underscores", Event: beforeTool, Tool: "mcp_git_hub_list_issues", MCP: mcpTool, Hooks: one(Hook{Out: "m", Matcher: "mcp__git-hub__.*"}), Want: Want{Message: "m"}},
	{Name: "MCP of another server", Event: beforeTool, Tool: "mcp_git_hub_list_issues", MCP: mcpTool, Hooks: one(Hook{Matcher: "mcp__gitlab__.*"}), Want: Want{Skipped: []string{"a: matcher"}}},
	{Name: "AfterTool matches too", Event: afterTool, Hooks: one(Hook{Matcher: "replace"}), Want: Want{Skipped: []string{"a: matcher"}}},
	{Name: "SessionStart: the source", Event: sessionStart, Trigger: "resume", Hooks: one(Hook{Out: "m", Matcher: "resume"}), Want: Want{Message: "m"}},
	{Name: "SessionStart: one of several", Event: sessionStart, Trigger: "resume", Hooks: one(Hook{Out: "m", Matcher: "startup|resume"}), Want: Want{Message: "m"}},
	{Name: "SessionStart: in another case", Event: sessionStart, Hooks: one(Hook{Out: "m", Matcher: "Startup"}), Want: Want{Message: "m"}},
	{Name: "SessionStart: exact", Event: sessionStart, Hooks: one(Hook{Matcher: "start"}), Want: Want{Skipped: []string{"a: matcher"}}},
	{Name: "SessionStart: no expression", Event: sessionStart, Hooks: one(Hook{Matcher: "start.*"}), Want: Want{Skipped: []string{"a: matcher"}}},
	{Name: "SessionEnd: the reason", Event: sessionEnd, Trigger: "clear", Hooks: one(Hook{Matcher: "exit"}), Want: Want{Skipped: []string{"a: matcher"}}},
	{Name: "PreCompress: the trigger", Event: preCompress, Trigger: "manual", Hooks: one(Hook{Out: "m", Matcher: "manual"}), Want: Want{Message: "m"}},
	{Name: "SessionStart: compact where the matcher names it", Event: sessionStart, Trigger: "compact", Hooks: []Hook{{Out: "m", Matcher: "clear|compact"}, {Out: "n"}, {Out: "c", Matcher: "*"}}, Want: Want{Message: "m", Skipped: []string{`b: the agent that it is written for has no SessionStart with "compact"`, "c: the agent"}}},
	{Name: "claude: SessionStart has compact", Event: sessionStart, Trigger: "compact", Hooks: one(Hook{Out: "m", Dialect: "claude"}), Want: Want{Context: "<hook_context>m</hook_context>"}},
	{Name: "Notification: Idle where the matcher names it", Event: notification, Trigger: "Idle", Hooks: []Hook{{Out: "m", Matcher: "Idle"}, {Out: "n"}}, Want: Want{Message: "m", Skipped: []string{"b: the agent"}}},
	{Name: "claude: idle_prompt", Event: notification, Trigger: "Idle", Hooks: one(Hook{Out: "m", Dialect: "claude", Matcher: "idle_prompt"}), Want: Want{Message: "m"}},
	{Name: "StopFailure: the error", Event: stopFailure, Trigger: "loop", Hooks: []Hook{{Out: "m", Matcher: "loop"}, {Out: "n", Matcher: "cancelled"}}, Want: Want{Message: "m", Skipped: []string{"b: matcher"}}},
	{Name: "claude: StopFailure without a loop", Event: stopFailure, Trigger: "loop", Hooks: []Hook{{Out: "m", Dialect: "claude", Matcher: "loop"}, {Out: "n", Dialect: "claude"}}, Want: Want{Message: "m", Skipped: []string{`b: the agent that it is written for has no StopFailure with "loop"`}}},
	{Name: "Notification: the type", Event: notification, Hooks: one(Hook{Matcher: "Other"}), Want: Want{Skipped: []string{"a: matcher"}}},
	{Name: "BeforeModel has nothing to match", Event: beforeModel, Hooks: one(Hook{Out: "m", Matcher: "gemini"}), Want: Want{Message: "m", Warn: []string{`matcher "gemini" has no effect: BeforeModel`}}},
	{Name: "BeforeAgent has nothing to match", Event: beforeAgent, Hooks: one(Hook{Out: "m", Matcher: "x"}), Want: Want{Message: "m", Warn: []string{"has no effect"}}},
}

var lifeCases = []Case{
	{Name: "disabled", Event: beforeTool, Hooks: one(Hook{Out: denyNo, Disabled: "in hooksConfig.disabled"}), Want: Want{Skipped: []string{"a: disabled: in hooksConfig.disabled"}}},
	{Name: "not trusted", Event: beforeTool, Hooks: one(Hook{Out: denyNo, Untrusted: "the folder is not trusted"}), Want: Want{Skipped: []string{"a: not trusted: the folder is not trusted"}}},
	{Name: "a hook that is not trusted hides no other", Event: beforeTool, Hooks: []Hook{{Out: "x", Untrusted: "why", Layer: hooks.LayerProject}, {Out: denyNo, Layer: hooks.LayerUser}}, Want: Want{Decision: "deny", Reason: "no", Skipped: []string{"a: not trusted"}}},
	{Name: "off", Event: beforeTool, Off: "hooksConfig.enabled is false", Hooks: out(denyNo), Want: Want{Skipped: []string{"a: hooks are off: hooksConfig.enabled is false"}}},
}
