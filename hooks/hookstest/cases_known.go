package hookstest

import "minigem/hooks"

// The traps and the known faults of Gemini CLI (docs/spec/faults.md), and scripts
// written for Claude Code. What needs more than one event is tested where it
// lives: loops by the agent, trees of processes by the Runner, settings by the
// loader.

var trapCases = []Case{
	{Name: "T1 exit 2 with nothing printed blocks", Event: beforeTool, Hooks: one(Hook{Exit: 2}), Want: Want{Decision: "deny", Reason: "No reason provided"}},
	{Name: "T2 exit 2 with {} blocks", Event: beforeTool, Hooks: one(Hook{Exit: 2, Out: "{}", Err: "why"}), Want: Want{Decision: "deny", Reason: "why"}},
	{Name: "T3 exit 2 with a systemMessage blocks", Event: beforeTool, Hooks: one(Hook{Exit: 2, Out: `{"systemMessage":"x"}`}), Want: Want{Decision: "deny", Reason: "x", Message: "x"}},
	{Name: "T3 exit 2 with allow blocks", Event: beforeTool, Hooks: one(Hook{Exit: 2, Out: `{"decision":"allow"}`}), Want: Want{Decision: "deny", Reason: "No reason provided", Warn: []string{"exit 2 blocks"}}},
	{Name: "T4 exit 3 with stderr is a warning", Event: beforeTool, Hooks: one(Hook{Exit: 3, Err: "hm"}), Want: Want{Failed: []string{"exit status 3: hm"}}},
	{Name: "T5 a missing command is a warning", Event: beforeTool, Hooks: one(Hook{Missing: true}), Want: Want{Failed: []string{"command not found"}}},
	{Name: "T6 a signal is a failure, not exit 0", Event: beforeTool, Hooks: one(Hook{Signal: "KILL", Out: "text"}), Want: Want{Failed: []string{"killed by signal"}}},
	{Name: "T7 a debug line before a deny: it holds, and is told", Event: beforeTool, Hooks: out("debug\n" + denyNo), Want: Want{Decision: "deny", Reason: "no", Message: "debug\n" + denyNo, Warn: []string{"(line 2) among other output: its deny holds"}}},
	{Name: "T8 JSON on stderr", Event: beforeTool, Hooks: one(Hook{Err: denyNo}), Want: Want{Decision: "deny", Reason: "no"}},
	{Name: "T9 denied is not a decision", Event: beforeTool, Hooks: out(`{"decision":"denied"}`), Want: Want{Warn: []string{`did you mean "deny"?`}}},
	{Name: "T9 an array is not an answer", Event: beforeTool, Hooks: out(`["deny"]`), Want: Want{Message: `["deny"]`, Warn: []string{"JSON array"}}},
	{Name: "T10 permissionDecision is told", Event: beforeTool, Hooks: out(`{"hookSpecificOutput":{"permissionDecision":"deny"}}`), Want: Want{Warn: []string{"it is Claude Code's"}}},
	{Name: "T11 a hook that outlives its time-out ends there", Event: beforeTool, Hooks: one(Hook{Hangs: true}), Want: Want{Failed: []string{"timed out after 1000ms"}}},
	{Name: "T15 sequential makes all sequential", Event: beforeTool, Hooks: []Hook{{Out: toolInput(`{"content":"1"}`)}, {Sequential: true}}, Want: Want{Args: `{"content":"1","file_path":"a.txt"}`, Read: []string{`"content":"x"`, `"content":"1"`}}},
	{Name: "T16 an unanchored matcher", Event: beforeTool, Tool: "my_read_file_x", Hooks: one(Hook{Out: "m", Matcher: "read_file"}), Want: Want{Message: "m"}},
	{Name: "T16 an invalid matcher is told", Event: beforeTool, Hooks: one(Hook{Matcher: "(write"}), Want: Want{Skipped: []string{"a: matcher"}, Warn: []string{"not a valid regular expression"}}},
	{Name: "T17 a duplicate is told", Event: beforeTool, Hooks: []Hook{{Name: "x", Matcher: "write"}, {Name: "x", Matcher: "file"}}, Want: Want{Skipped: []string{"x: shadowed"}, Warn: []string{"shadows the hook"}}},
	{Name: "T18 ask is an ask", Event: beforeTool, Hooks: out(askWhy), Want: Want{Decision: "ask", Reason: "sure?"}},
	{Name: "T19 the flag of a retry is told", Event: afterAgent, Hooks: out(""), Want: Want{Read: []string{`"stop_hook_active":false`}}},
}

var faultCases = []Case{
	{Name: "9.1.1 exit 2 with a bare number", Event: beforeTool, Hooks: one(Hook{Exit: 2, Out: "42"}), Want: Want{Decision: "deny", Reason: "42"}},
	{Name: "9.1.1 exit 2 of BeforeModel", Event: beforeModel, Hooks: one(Hook{Exit: 2}), Want: Want{Decision: "deny", Reason: "No reason provided"}},
	{Name: "9.1.2 a deny printed before the time-out", Event: beforeTool, Hooks: one(Hook{Hangs: true, Out: denyNo}), Want: Want{Decision: "deny", Reason: "no", Failed: []string{"timed out"}}},
	{Name: "9.1.3 a string in one hook cancels no other", Event: beforeTool, Hooks: outs(denyNo, `{"hookSpecificOutput":"x"}`), Want: Want{Decision: "deny", Reason: "no", Warn: []string{"must be an object"}}},
	{Name: "9.1.4 a later allow overturns nothing", Event: beforeModel, Hooks: outs(denyNo, allowYes), Want: Want{Decision: "deny", Reason: "no"}},
	{Name: "9.1.4 later text overturns nothing", Event: afterModel, Hooks: outs(denyNo, "text"), Want: Want{Decision: "deny", Reason: "no", Message: "text"}},
	{Name: "9.1.5 a malformed response voids no deny", Event: beforeModel, Hooks: out(`{"decision":"deny","reason":"no","hookSpecificOutput":{"llm_response":{}}}`), Want: Want{Decision: "deny", Reason: "no", Failed: []string{"llm_response is malformed"}, Warn: []string{"llm_response ignored"}}},
	{Name: "9.1.7 a denied chunk is denied", Event: afterModel, Chunk: withCall(), Hooks: out(denyNo), Want: Want{Decision: "deny", Reason: "no", Effect: "deny"}},
	{Name: "9.1.8 blanking a chunk", Event: afterModel, Hooks: out(response(`{"candidates":[{"content":{"parts":[]}}]}`)), Want: Want{Chunk: "(empty) STOP"}},
	{Name: "9.1.9 user hooks run where the project's are not trusted", Event: beforeTool, Hooks: []Hook{{Layer: hooks.LayerProject, Untrusted: "why"}, {Layer: hooks.LayerUser, Out: denyNo}, {Layer: hooks.LayerSystem, Out: denyNo}}, Want: Want{Decision: "deny", Reason: "no\nno", Skipped: []string{"a: not trusted"}}},
	{Name: "9.1.12 stdout does not mask stderr", Event: beforeTool, Hooks: one(Hook{Exit: 2, Out: "noise", Err: "why"}), Want: Want{Decision: "deny", Reason: "why"}},
	{Name: "9.2.23 PreCompress is not waited for", Event: preCompress, Hooks: one(Hook{Hangs: true}), Want: Want{Skipped: []string{"a: left running"}}},
	{Name: "9.2.23 Notification is not waited for", Event: notification, Hooks: one(Hook{Hangs: true}), Want: Want{Skipped: []string{"a: left running"}}},
	{Name: "9.3.25 the answer as it is", Event: afterAgent, Hooks: out(""), Want: Want{Read: []string{`"prompt_response":"the answer"`}}},
	{Name: "9.3.27 tool_input merges", Event: beforeTool, Hooks: inTurn(Hook{Out: toolInput(`{"file_path":"b"}`)}, Hook{Out: toolInput(`{"content":"y"}`)}), Want: Want{Args: `{"content":"y","file_path":"b"}`}},
	{Name: "9.3.28 a partial config wipes nothing", Event: beforeModel, Hooks: out(request(`{"config":{"topP":0.5}}`)), Want: Want{Request: gemini + " t=1 p=0.5 k=64 think=8192 [be brief]" + conversation + allTools}},
	{Name: "9.3.28 another model keeps no budget of the old one", Event: beforeModel, Hooks: out(request(`{"model":"m2"}`)), Want: Want{Request: "m2 t=1 p=0.95 k=64 [be brief]" + conversation + allTools}},
	{Name: "9.3.29 an empty answer leaves the selection alone", Event: selection, Hooks: out("{}")},
	{Name: "9.3.29 hooks see the tools", Event: selection, Hooks: out(""), Want: Want{Read: []string{`"tools":["read_file","write_file","glob"]`}}},
	{Name: "9.3.29 a string is not split into characters", Event: selection, Hooks: out(config(`{"allowedFunctionNames":"glob"}`)), Want: Want{Warn: []string{"it must be an array of strings, not \"glob\""}}},
	{Name: "9.3.35 Notification's matcher counts", Event: notification, Hooks: one(Hook{Out: "m", Matcher: "Nothing"}), Want: Want{Skipped: []string{"a: matcher"}}},
	{Name: "9.3.36 an allow's reason is not the deny's", Event: beforeTool, Hooks: inTurn(Hook{Out: denyNo}, Hook{Out: allowYes}), Want: Want{Decision: "deny", Reason: "no"}},
	{Name: "9.4.42 a block is not a failure", Event: beforeTool, Hooks: one(Hook{Exit: 2, Err: "why"}), Want: Want{Decision: "deny", Reason: "why", Failed: nil}},
	{Name: "9.4.50 a difference of duplicates is told", Event: beforeTool, Hooks: []Hook{{Name: "x"}, {Name: "x", OnError: "block"}}, Want: Want{Skipped: []string{"x: shadowed"}, Warn: []string{"shadows the hook"}}},
}

func claudeHook(h Hook) []Hook {
	h.Dialect = "claude"
	return []Hook{h}
}

func permission(json string) string { return `{"hookSpecificOutput":` + json + `}` }

var claudeCases = []Case{
	{Name: "claude: reads its own names", Event: beforeTool, Tool: "run_shell_command", Args: `{"command":"ls"}`, Hooks: claudeHook(Hook{}), Want: Want{Read: []string{`"hook_event_name":"PreToolUse","permission_mode":"default","prompt_id":`}}},
	{Name: "claude: tool names", Event: beforeTool, Tool: "run_shell_command", Args: `{"command":"ls"}`, Hooks: claudeHook(Hook{}), Want: Want{Read: []string{`"tool_input":{"command":"ls"},"tool_name":"Bash"`}}},
	{Name: "claude: argument names", Event: beforeTool, Tool: "list_directory", Args: `{"dir_path":"."}`, Hooks: claudeHook(Hook{}), Want: Want{Read: []string{`"tool_input":{"path":"/"},"tool_name":"LS"`}}},
	{Name: "claude: matcher", Event: beforeTool, Hooks: claudeHook(Hook{Out: denyNo, Matcher: "Edit|Write"}), Want: Want{Decision: "deny", Reason: "no"}},
	{Name: "claude: a list of names is exact", Event: beforeTool, Hooks: claudeHook(Hook{Matcher: "Wri"}), Want: Want{Skipped: []string{"a: matcher"}}},
	{Name: "claude: an expression is not", Event: beforeTool, Hooks: claudeHook(Hook{Out: denyNo, Matcher: "Wri.*"}), Want: Want{Decision: "deny", Reason: "no"}},
	{Name: "claude: commas", Event: beforeTool, Hooks: claudeHook(Hook{Out: denyNo, Matcher: "Edit, Write"}), Want: Want{Decision: "deny", Reason: "no"}},
	{Name: "claude: MCP", Event: beforeTool, Tool: "mcp_git_hub_list_issues", MCP: mcpTool, Hooks: claudeHook(Hook{Out: denyNo, Matcher: "mcp__git-hub__.*"}), Want: Want{Decision: "deny", Reason: "no", Read: []string{`"tool_name":"mcp__git-hub__list.issues"`}}},
	{Name: "claude: permissionDecision deny", Event: beforeTool, Hooks: claudeHook(Hook{Out: permission(`{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}`)}), Want: Want{Decision: "deny", Reason: "no"}},
	{Name: "claude: permissionDecision ask", Event: beforeTool, Hooks: claudeHook(Hook{Out: permission(`{"permissionDecision":"ask","permissionDecisionReason":"sure?"}`)}), Want: Want{Decision: "ask", Reason: "sure?"}},
	{Name: "claude: permissionDecision allow", Event: beforeTool, Hooks: claudeHook(Hook{Out: permission(`{"permissionDecision":"allow"}`)})},
	{Name: "claude: permissionDecision defer asks", Event: beforeTool, Hooks: claudeHook(Hook{Out: permission(`{"permissionDecision":"defer"}`)}), Want: Want{Decision: "ask"}},
	{Name: "claude: updatedInput replaces the input", Event: beforeTool, Hooks: claudeHook(Hook{Out: permission(`{"permissionDecision":"allow","updatedInput":{"file_path":"b"}}`)}), Want: Want{Args: `{"file_path":"b"}`}},
	{Name: "claude: an absolute path that was read is no change", Event: beforeTool, Tool: "list_directory", Args: `{"dir_path":"a"}`, Hooks: claudeHook(Hook{Out: permission(`{"updatedInput":{"path":"/a"}}`)})},
	{Name: "claude: replace_all that was read is no change", Event: beforeTool, Tool: "replace", Args: `{"file_path":"a","old_string":"x"}`, Hooks: claudeHook(Hook{Out: permission(`{"updatedInput":{"file_path":"/a","old_string":"x","replace_all":false}}`)}),
		Want: Want{Read: []string{`"tool_input":{"file_path":"/a","old_string":"x","replace_all":false},"tool_name":"Edit"`}}},
	{Name: "claude: an address is a url", Event: beforeTool, Tool: "web_fetch", Args: `{"prompt":"Sum up (https://go.dev/doc)."}`, Hooks: claudeHook(Hook{Out: permission(`{"updatedInput":{"url":"https://go.dev/ref","prompt":"Sum up (https://go.dev/doc)."}}`)}),
		Want: Want{Args: `{"prompt":"Sum up (https://go.dev/ref)."}`, Read: []string{`"tool_input":{"prompt":"Sum up (https://go.dev/doc).","url":"https://go.dev/doc"},"tool_name":"WebFetch"`}}},
	{Name: "claude: lines are offset and limit", Event: beforeTool, Tool: "read_file", Args: `{"file_path":"a","start_line":3,"end_line":4}`, Hooks: claudeHook(Hook{Out: permission(`{"updatedInput":{"file_path":"/a","offset":3,"limit":1}}`)}),
		Want: Want{Args: `{"end_line":3,"file_path":"a","start_line":3}`, Read: []string{`"tool_input":{"file_path":"/a","limit":2,"offset":3},"tool_name":"Read"`}}},
	{Name: "claude: updatedInput has its argument names", Event: beforeTool, Tool: "list_directory", Args: `{"dir_path":"."}`, Hooks: claudeHook(Hook{Out: permission(`{"updatedInput":{"path":"src"}}`)}), Want: Want{Args: `{"dir_path":"src"}`}},
	{Name: "claude: decision block", Event: beforeTool, Hooks: claudeHook(Hook{Out: `{"decision":"block","reason":"no"}`}), Want: Want{Decision: "deny", Reason: "no"}},
	{Name: "claude: decision approve", Event: beforeTool, Hooks: claudeHook(Hook{Out: `{"decision":"approve"}`})},
	{Name: "claude: continue false", Event: afterTool, Hooks: claudeHook(Hook{Out: stopNow}), Want: Want{Decision: "stop", Reason: "enough"}},
	{Name: "claude: exit 2", Event: beforeTool, Hooks: claudeHook(Hook{Exit: 2, Err: "why"}), Want: Want{Decision: "deny", Reason: "why"}},
	{Name: "claude: exit 1", Event: beforeTool, Hooks: claudeHook(Hook{Exit: 1, Err: "why"}), Want: Want{Failed: []string{"exit status 1: why"}}},
	{Name: "claude: Stop blocks", Event: afterAgent, Hooks: claudeHook(Hook{Out: `{"decision":"block","reason":"again"}`}), Want: Want{Decision: "deny", Reason: "again", Read: []string{`"last_assistant_message":"the answer"`}}},
	{Name: "claude: UserPromptSubmit, plain text is context", Event: beforeAgent, Hooks: claudeHook(Hook{Out: "branch: main"}), Want: Want{Context: "<hook_context>branch: main</hook_context>"}},
	{Name: "claude: a matcher has Claude Code's name of a notification", Event: notification, Hooks: claudeHook(Hook{Matcher: "idle_prompt|permission_prompt"}), Want: Want{Read: []string{`"notification_type":"permission_prompt"`}}},
	{Name: "that name is not one of Gemini CLI's", Event: notification, Hooks: one(Hook{Matcher: "permission_prompt"}), Want: Want{Skipped: []string{"a: matcher"}}},
	{Name: "claude: SessionStart, plain text is context", Event: sessionStart, Hooks: claudeHook(Hook{Out: "memory"}), Want: Want{Context: "<hook_context>memory</hook_context>"}},
	{Name: "claude: PostToolUse, plain text is a message", Event: afterTool, Hooks: claudeHook(Hook{Out: "ok"}), Want: Want{Message: "ok"}},
	{Name: "claude: additionalContext", Event: beforeAgent, Hooks: claudeHook(Hook{Out: permission(`{"hookEventName":"UserPromptSubmit","additionalContext":"c"}`)}), Want: Want{Context: "<hook_context>c</hook_context>"}},
	{Name: "claude: tool_input is not its", Event: beforeTool, Hooks: claudeHook(Hook{Out: toolInput(`{"content":"y"}`)}), Want: Want{Warn: []string{"it is Gemini CLI's"}}},
	{Name: "claude: beside a hook of Gemini CLI's", Event: beforeTool, Hooks: []Hook{{Dialect: "claude", Out: permission(`{"updatedInput":{"file_path":"b","content":"x"}}`), Sequential: true}, {}}, Want: Want{Args: `{"content":"x","file_path":"b"}`, Read: []string{`"tool_name":"Write"`, `"tool_name":"write_file"`}}},
}
