package hookstest

// What hooks change: arguments, results, prompts, tools.

func added(text string) string {
	return `{"hookSpecificOutput":{"additionalContext":"` + text + `"}}`
}

func updated(json string) string { return `{"hookSpecificOutput":{"updatedOutput":` + json + `}}` }

func toolInput(json string) string { return `{"hookSpecificOutput":{"tool_input":` + json + `}}` }

var toolCases = []Case{
	{Name: "tool_input is merged", Event: beforeTool, Hooks: out(toolInput(`{"content":"y"}`)), Want: Want{Args: `{"content":"y","file_path":"a.txt"}`, Effect: "rewrite"}},
	{Name: "tool_input: a whole object", Event: beforeTool, Hooks: out(toolInput(`{"content":"y","file_path":"b"}`)), Want: Want{Args: `{"content":"y","file_path":"b"}`}},
	{Name: "tool_input: null deletes", Event: beforeTool, Hooks: out(toolInput(`{"content":null,"x":1}`)), Want: Want{Args: `{"file_path":"a.txt","x":1}`}},
	{Name: "tool_input: the same is not a change", Event: beforeTool, Hooks: out(toolInput(`{"content":"x"}`)), Want: Want{Effect: "none"}},
	{Name: "tool_input: empty is not a change", Event: beforeTool, Hooks: out(toolInput(`{}`))},
	{Name: "tool_input: nested objects are replaced", Event: beforeTool, Args: `{"o":{"a":1,"b":2}}`, Hooks: out(toolInput(`{"o":{"a":3}}`)), Want: Want{Args: `{"o":{"a":3}}`}},
	{Name: "tool_input: of a call without arguments", Event: beforeTool, Args: `{}`, Hooks: out(toolInput(`{"x":1}`)), Want: Want{Args: `{"x":1}`}},
	{Name: "tool_input: a string", Event: beforeTool, Hooks: out(toolInput(`"x"`)), Want: Want{Warn: []string{"hookSpecificOutput.tool_input ignored: it must be an object"}}},
	{Name: "tool_input: an array", Event: beforeTool, Hooks: out(toolInput(`[1]`)), Want: Want{Warn: []string{"it must be an object, not an array"}}},
	{Name: "tool_input: key by key, later wins", Event: beforeTool, Hooks: outs(toolInput(`{"content":"1","p":1}`), toolInput(`{"content":"2","q":2}`)), Want: Want{Args: `{"content":"2","file_path":"a.txt","p":1,"q":2}`}},
	{Name: "tool_input: beside ask", Event: beforeTool, Hooks: out(`{"decision":"ask","hookSpecificOutput":{"tool_input":{"content":"y"}}}`), Want: Want{Decision: "ask", Args: `{"content":"y","file_path":"a.txt"}`}},
	{Name: "tool_input: beside the deny of another", Event: beforeTool, Hooks: outs(toolInput(`{"content":"y"}`), denyNo), Want: Want{Decision: "deny", Reason: "no", Args: `{"content":"y","file_path":"a.txt"}`}},

	{Name: "BeforeTool: context", Event: beforeTool, Hooks: outs(added("c"), toolInput(`{"content":"y"}`)), Want: Want{Context: "<hook_context>c</hook_context>", Args: `{"content":"y","file_path":"a.txt"}`}},
	{Name: "BeforeTool: no context beside a deny", Event: beforeTool, Hooks: outs(added("c"), denyNo), Want: Want{Decision: "deny", Reason: "no"}},
	{Name: "AfterTool: updatedOutput", Event: afterTool, Hooks: outs(updated(`"old"`), updated(`"new"`)), Want: Want{Instead: "new", Effect: "replace"}},
	{Name: "AfterTool: updatedOutput that is no text", Event: afterTool, Hooks: out(updated(`{"a":"<b>"}`)), Want: Want{Instead: `{"a":"<b>"}`}},
	{Name: "AfterTool: updatedOutput in turn", Event: afterTool, Hooks: []Hook{{Out: updated(`"new"`), Sequential: true}, {}}, Want: Want{Instead: "new", Read: []string{`"llmContent":"written"`, `"llmContent":"new"`}}},
	{Name: "AfterTool: updatedOutput beside a deny", Event: afterTool, Hooks: outs(updated(`"new"`), denyNo), Want: Want{Decision: "deny", Reason: "no", Instead: "new"}},
	{Name: "AfterTool: updatedOutput in Claude's word", Event: afterTool, Hooks: out(`{"hookSpecificOutput":{"updatedToolOutput":"x"}}`), Want: Want{Warn: []string{`say "updatedOutput"`}}},
	{Name: "claude: updatedToolOutput", Event: afterTool, Hooks: claudeHook(Hook{Out: `{"hookSpecificOutput":{"updatedToolOutput":{"stdout":"o","stderr":"e"}}}`}), Want: Want{Instead: "o\ne"}},
	{Name: "claude: updatedToolOutput of a file", Event: afterTool, Hooks: claudeHook(Hook{Out: `{"hookSpecificOutput":{"updatedToolOutput":{"type":"text","file":{"content":"c"}}}}`}), Want: Want{Instead: "c"}},
	{Name: "claude: additionalContext of PreToolUse", Event: beforeTool, Hooks: claudeHook(Hook{Out: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"c"}}`}), Want: Want{Context: "<hook_context>c</hook_context>"}},
	{Name: "AfterTool: deny replaces the result", Event: afterTool, Hooks: out(denyNo), Want: Want{Decision: "deny", Reason: "no"}},
	{Name: "AfterTool: context", Event: afterTool, Hooks: out(`{"hookSpecificOutput":{"additionalContext":"lint: ok"}}`), Want: Want{Context: "<hook_context>lint: ok</hook_context>", Effect: "context"}},
	{Name: "AfterTool: context is escaped", Event: afterTool, Hooks: out(`{"hookSpecificOutput":{"additionalContext":"<b> & </hook_context>"}}`), Want: Want{Context: "<hook_context>&lt;b&gt; & &lt;/hook_context&gt;</hook_context>"}},
	{Name: "AfterTool: context of a wrong type", Event: afterTool, Hooks: out(`{"hookSpecificOutput":{"additionalContext":{"a":1}}}`), Want: Want{Warn: []string{"additionalContext ignored: it must be a string, not an object"}}},
	{Name: "AfterTool: deny and context", Event: afterTool, Hooks: outs(denyNo, `{"hookSpecificOutput":{"additionalContext":"c"}}`), Want: Want{Decision: "deny", Reason: "no", Context: "<hook_context>c</hook_context>"}},
	{Name: "AfterTool: tail call", Event: afterTool, Hooks: out(`{"hookSpecificOutput":{"tailToolCallRequest":{"name":"read_file","args":{"file_path":"a.txt"}}}}`), Want: Want{Tail: `read_file {"file_path":"a.txt"}`, Effect: "tail call"}},
	{Name: "AfterTool: tail call without arguments", Event: afterTool, Hooks: out(`{"hookSpecificOutput":{"tailToolCallRequest":{"name":"glob"}}}`), Want: Want{Tail: `glob {}`}},
	{Name: "AfterTool: tail call without a name", Event: afterTool, Hooks: out(`{"hookSpecificOutput":{"tailToolCallRequest":{"args":{}}}}`), Want: Want{Warn: []string{"tailToolCallRequest.name ignored"}}},
	{Name: "AfterTool: tail call with arguments of a wrong type", Event: afterTool, Hooks: out(`{"hookSpecificOutput":{"tailToolCallRequest":{"name":"glob","args":"x"}}}`), Want: Want{Tail: `glob {}`, Warn: []string{"tailToolCallRequest.args ignored"}}},
	{Name: "AfterTool: tail call that is a string", Event: afterTool, Hooks: out(`{"hookSpecificOutput":{"tailToolCallRequest":"glob"}}`), Want: Want{Warn: []string{"tailToolCallRequest ignored: it must be an object"}}},
	{Name: "AfterTool: no tail call after a deny", Event: afterTool, Hooks: out(`{"decision":"deny","reason":"no","hookSpecificOutput":{"tailToolCallRequest":{"name":"glob"}}}`), Want: Want{Decision: "deny", Reason: "no"}},
	{Name: "AfterTool: the last tail call counts", Event: afterTool, Hooks: outs(`{"hookSpecificOutput":{"tailToolCallRequest":{"name":"glob"}}}`, `{"hookSpecificOutput":{"tailToolCallRequest":{"name":"replace"}}}`), Want: Want{Tail: `replace {}`}},
	{Name: "AfterTool: stop", Event: afterTool, Hooks: out(stopNow), Want: Want{Decision: "stop", Reason: "enough"}},
}

var agentCases = []Case{
	{Name: "BeforeAgent: deny", Event: beforeAgent, Hooks: out(denyNo), Want: Want{Decision: "deny", Reason: "no"}},
	{Name: "BeforeAgent: stop", Event: beforeAgent, Hooks: out(stopNow), Want: Want{Decision: "stop", Reason: "enough"}},
	{Name: "BeforeAgent: context", Event: beforeAgent, Hooks: out(`{"hookSpecificOutput":{"additionalContext":"branch: main"}}`), Want: Want{Context: "<hook_context>branch: main</hook_context>"}},
	{Name: "BeforeAgent: text is no context", Event: beforeAgent, Hooks: out("text"), Want: Want{Message: "text"}},
	{Name: "BeforeAgent: empty context is none", Event: beforeAgent, Hooks: out(`{"hookSpecificOutput":{"additionalContext":""}}`)},
	{Name: "SessionStart: context", Event: sessionStart, Hooks: out(`{"hookSpecificOutput":{"additionalContext":"5 memories"}}`), Want: Want{Context: "<hook_context>5 memories</hook_context>"}},
	{Name: "SessionStart: context and message", Event: sessionStart, Hooks: out(`{"systemMessage":"hi","hookSpecificOutput":{"additionalContext":"c"}}`), Want: Want{Context: "<hook_context>c</hook_context>", Message: "hi"}},
	{Name: "AfterAgent: deny", Event: afterAgent, Hooks: out(denyNo), Want: Want{Decision: "deny", Reason: "no", Effect: "retry"}},
	{Name: "AfterAgent: deny without a reason", Event: afterAgent, Hooks: out(`{"decision":"block"}`), Want: Want{Decision: "deny", Reason: "No reason provided"}},
	{Name: "AfterAgent: stop wins over deny", Event: afterAgent, Hooks: outs(denyNo, stopNow), Want: Want{Decision: "stop", Reason: "enough"}},
	{Name: "AfterAgent: clearContext with deny", Event: afterAgent, Hooks: out(`{"decision":"deny","reason":"no","hookSpecificOutput":{"clearContext":true}}`), Want: Want{Decision: "deny", Reason: "no", Clear: true}},
	{Name: "AfterAgent: clearContext with stop", Event: afterAgent, Hooks: out(`{"continue":false,"stopReason":"enough","hookSpecificOutput":{"clearContext":true}}`), Want: Want{Decision: "stop", Reason: "enough", Clear: true}},
	{Name: "AfterAgent: clearContext at the top level", Event: afterAgent, Hooks: out(`{"decision":"deny","reason":"no","clearContext":true}`), Want: Want{Decision: "deny", Reason: "no", Clear: true}},
	{Name: "AfterAgent: clearContext alone", Event: afterAgent, Hooks: out(`{"hookSpecificOutput":{"clearContext":true}}`), Want: Want{Warn: []string{"clearContext has no effect unless"}}},
	{Name: "AfterAgent: clearContext of a wrong type", Event: afterAgent, Hooks: out(`{"decision":"deny","reason":"no","hookSpecificOutput":{"clearContext":1}}`), Want: Want{Decision: "deny", Reason: "no", Warn: []string{"clearContext ignored: it must be true or false"}}},
	{Name: "AfterAgent: context goes on", Event: afterAgent, Hooks: outs(added("c"), added("d")), Want: Want{Context: "<hook_context>c\nd</hook_context>", Effect: "retry"}},
	{Name: "AfterAgent: context beside a deny", Event: afterAgent, Hooks: outs(denyNo, added("c")), Want: Want{Decision: "deny", Reason: "no", Context: "<hook_context>c</hook_context>", Effect: "retry"}},
	{Name: "AfterAgent: no context after a stop", Event: afterAgent, Hooks: outs(stopNow, added("c")), Want: Want{Decision: "stop", Reason: "enough", Effect: "stop"}},
	{Name: "PostToolUseFailure: context", Event: toolFailed, Hooks: outs(added("a"), added("b")), Want: Want{Context: "<hook_context>a\nb</hook_context>", Effect: "context"}},
	{Name: "PostToolUseFailure: a deny", Event: toolFailed, Hooks: outs(denyNo, added("b")), Want: Want{Decision: "deny", Reason: "no", Context: "<hook_context>b</hook_context>", Effect: "deny"}},
	{Name: "PostToolUseFailure: a stop", Event: toolFailed, Hooks: out(stopNow), Want: Want{Decision: "stop", Reason: "enough", Effect: "stop"}},
	{Name: "PostToolUseFailure: by the tool's name", Event: toolFailed, Hooks: []Hook{{Out: denyNo, Matcher: "glob"}}, Want: Want{Skipped: []string{"does not match"}}},
	{Name: "PreCompress: context for the summary", Event: preCompress, Hooks: out(added("keep ids")), Want: Want{Context: "<hook_context>keep ids</hook_context>", Effect: "context"}},
	{Name: "PreCompress: what comes too late does not count", Event: preCompress, Hooks: []Hook{{Out: added("c"), Hangs: true}}, Want: Want{Skipped: []string{"a: left running"}}},
	{Name: "claude: text of PreCompact is for the summary", Event: preCompress, Hooks: claudeHook(Hook{Out: "keep ids"}), Want: Want{Context: "<hook_context>keep ids</hook_context>"}},
}

func config(json string) string { return `{"hookSpecificOutput":{"toolConfig":` + json + `}}` }

var selectionCases = []Case{
	{Name: "nothing said", Event: selection, Hooks: out("{}")},
	{Name: "text", Event: selection, Hooks: out("looks good"), Want: Want{Message: "looks good"}},
	{Name: "ANY with a list", Event: selection, Hooks: out(config(`{"mode":"ANY","allowedFunctionNames":["read_file"]}`)), Want: Want{Request: plain + " tools=read_file ANY:read_file", Effect: "tools"}},
	{Name: "ANY alone", Event: selection, Hooks: out(config(`{"mode":"ANY"}`)), Want: Want{Request: plain + allTools + " ANY"}},
	{Name: "NONE", Event: selection, Hooks: out(config(`{"mode":"NONE"}`)), Want: Want{Request: plain + allTools + " NONE"}},
	{Name: "AUTO with a list holds too", Event: selection, Hooks: out(config(`{"mode":"AUTO","allowedFunctionNames":["glob"]}`)), Want: Want{Request: plain + " tools=glob AUTO"}},
	{Name: "a list alone", Event: selection, Hooks: out(config(`{"allowedFunctionNames":["glob","read_file"]}`)), Want: Want{Request: plain + " tools=read_file,glob"}},
	{Name: "an empty list allows all", Event: selection, Hooks: out(config(`{"mode":"ANY","allowedFunctionNames":[]}`)), Want: Want{Request: plain + allTools + " ANY"}},
	{Name: "under functionCallingConfig", Event: selection, Hooks: out(config(`{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["glob"]}}`)), Want: Want{Request: plain + " tools=glob ANY:glob"}},
	{Name: "at the top level", Event: selection, Hooks: out(`{"toolConfig":{"mode":"NONE"}}`), Want: Want{Request: plain + allTools + " NONE"}},
	{Name: "a plain list of names", Event: selection, Hooks: out("read_file, glob\n"), Want: Want{Request: plain + " tools=read_file,glob ANY:glob,read_file"}},
	{Name: "one plain name", Event: selection, Hooks: out("glob"), Want: Want{Request: plain + " tools=glob ANY:glob"}},
	{Name: "a plain list with an unknown name is text", Event: selection, Hooks: out("glob,frobnicate"), Want: Want{Message: "glob,frobnicate"}},
	{Name: "NONE wins", Event: selection, Hooks: outs(config(`{"mode":"NONE"}`), config(`{"mode":"ANY","allowedFunctionNames":["glob"]}`)), Want: Want{Request: plain + allTools + " NONE"}},
	{Name: "ANY wins over AUTO", Event: selection, Hooks: outs(config(`{"mode":"ANY"}`), config(`{"mode":"AUTO"}`)), Want: Want{Request: plain + allTools + " ANY"}},
	{Name: "lists are united", Event: selection, Hooks: outs(config(`{"mode":"ANY","allowedFunctionNames":["glob"]}`), config(`{"mode":"AUTO","allowedFunctionNames":["read_file","glob"]}`)), Want: Want{Request: plain + " tools=read_file,glob ANY:glob,read_file"}},
	{Name: "an output without toolConfig adds nothing", Event: selection, Hooks: outs(config(`{"mode":"ANY","allowedFunctionNames":["glob"]}`), `{}`, "text"), Want: Want{Request: plain + " tools=glob ANY:glob", Message: "text"}},
	{Name: "an unknown name", Event: selection, Hooks: out(config(`{"mode":"ANY","allowedFunctionNames":["glob","frobnicate"]}`)), Want: Want{Request: plain + " tools=glob ANY:glob", Warn: []string{`no tool "frobnicate" is offered`}}},
	{Name: "only unknown names", Event: selection, Hooks: out(config(`{"mode":"ANY","allowedFunctionNames":["frobnicate"]}`)), Want: Want{Request: plain + allTools + " NONE", Warn: []string{`no tool "frobnicate"`, "no tool can be called"}}},
	{Name: "a string for the list", Event: selection, Hooks: out(config(`{"mode":"ANY","allowedFunctionNames":"read_file"}`)), Want: Want{Request: plain + allTools + " ANY", Warn: []string{"it must be an array of strings"}}},
	{Name: "an unknown mode", Event: selection, Hooks: out(config(`{"mode":"SOME"}`)), Want: Want{Warn: []string{"toolConfig.mode ignored: it must be AUTO, ANY or NONE"}}},
	{Name: "a mode in lower case", Event: selection, Hooks: out(config(`{"mode":"none"}`)), Want: Want{Request: plain + allTools + " NONE", Warn: []string{`"none" is taken as "NONE"`}}},
	{Name: "a string for toolConfig", Event: selection, Hooks: out(config(`"NONE"`)), Want: Want{Warn: []string{"toolConfig ignored: it must be an object"}}},
	{Name: "a slip", Event: selection, Hooks: out(config(`{"mode":"ANY","allowedFunctions":["glob"]}`)), Want: Want{Request: plain + allTools + " ANY", Warn: []string{`did you mean "allowedFunctionNames"?`}}},
	{Name: "a message is shown", Event: selection, Hooks: out(`{"systemMessage":"m"}`), Want: Want{Message: "m"}},
}
