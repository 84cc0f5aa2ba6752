package hookstest

import "strings"

// Exit codes, and what is read of the streams.

var exitCases = []Case{
	// Exit 0.
	{Name: "0: nothing printed", Event: beforeTool, Hooks: out("")},
	{Name: "0: an empty object", Event: beforeTool, Hooks: out("{}")},
	{Name: "0: an object is obeyed", Event: beforeTool, Hooks: out(denyNo), Want: Want{Decision: "deny", Reason: "no", Effect: "deny"}},
	{Name: "0: text is a message and the action goes on", Event: beforeTool, Hooks: out("all well\n"), Want: Want{Message: "all well"}},
	{Name: "0: several lines are one message", Event: beforeTool, Hooks: out("one\ntwo\n"), Want: Want{Message: "one\ntwo"}},
	{Name: "0: plain stderr is for the log alone", Event: beforeTool, Hooks: one(Hook{Err: "debug"})},
	{Name: "0: stdout and stderr", Event: beforeTool, Hooks: one(Hook{Out: "shown", Err: "debug"}), Want: Want{Message: "shown"}},

	// Exit 2 always blocks.
	{Name: "2: nothing printed", Event: beforeTool, Hooks: one(Hook{Exit: 2}), Want: Want{Decision: "deny", Reason: "No reason provided"}},
	{Name: "2: reason on stderr", Event: beforeTool, Hooks: one(Hook{Exit: 2, Err: "bad\n"}), Want: Want{Decision: "deny", Reason: "bad"}},
	{Name: "2: reason on stdout", Event: beforeTool, Hooks: one(Hook{Exit: 2, Out: "bad\n"}), Want: Want{Decision: "deny", Reason: "bad"}},
	{Name: "2: stderr before stdout", Event: beforeTool, Hooks: one(Hook{Exit: 2, Out: "noise", Err: "why"}), Want: Want{Decision: "deny", Reason: "why"}},
	{Name: "2: reason of an object before stderr", Event: beforeTool, Hooks: one(Hook{Exit: 2, Out: `{"reason":"json"}`, Err: "err"}), Want: Want{Decision: "deny", Reason: "json"}},
	{Name: "2: object without reason, stderr", Event: beforeTool, Hooks: one(Hook{Exit: 2, Out: `{}`, Err: "err"}), Want: Want{Decision: "deny", Reason: "err"}},
	{Name: "2: object without reason, nothing else", Event: beforeTool, Hooks: one(Hook{Exit: 2, Out: `{}`}), Want: Want{Decision: "deny", Reason: "No reason provided"}},
	{Name: "2: object on stderr", Event: beforeTool, Hooks: one(Hook{Exit: 2, Err: denyNo}), Want: Want{Decision: "deny", Reason: "no"}},
	{Name: "2: text on stdout, object on stderr", Event: beforeTool, Hooks: one(Hook{Exit: 2, Out: "noise", Err: `{"reason":"why"}`}), Want: Want{Decision: "deny", Reason: "why"}},
	{Name: "2: a systemMessage serves as reason", Event: beforeTool, Hooks: one(Hook{Exit: 2, Out: `{"systemMessage":"see"}`}), Want: Want{Decision: "deny", Reason: "see", Message: "see"}},
	{Name: "2: a number", Event: beforeTool, Hooks: one(Hook{Exit: 2, Out: "42"}), Want: Want{Decision: "deny", Reason: "42"}},
	{Name: "2: although it says allow", Event: beforeTool, Hooks: one(Hook{Exit: 2, Out: `{"decision":"allow"}`, Err: "why"}), Want: Want{Decision: "deny", Reason: "why", Warn: []string{`exit 2 blocks, although decision says "allow"`}}},
	{Name: "2: although it asks", Event: beforeTool, Hooks: one(Hook{Exit: 2, Out: askWhy}), Want: Want{Decision: "deny", Reason: "No reason provided", Warn: []string{"exit 2 blocks"}}},
	{Name: "2: a stop is stronger", Event: beforeTool, Hooks: one(Hook{Exit: 2, Out: stopNow}), Want: Want{Decision: "stop", Reason: "enough"}},
	{Name: "2: broken JSON", Event: beforeTool, Hooks: one(Hook{Exit: 2, Out: `{"decision":"al`}), Want: Want{Decision: "deny", Reason: `{"decision":"al`, Warn: []string{"not valid JSON"}}},
	{Name: "2: BeforeAgent", Event: beforeAgent, Hooks: one(Hook{Exit: 2, Err: "why"}), Want: Want{Decision: "deny", Reason: "why"}},
	{Name: "2: AfterAgent retries", Event: afterAgent, Hooks: one(Hook{Exit: 2, Err: "again"}), Want: Want{Decision: "deny", Reason: "again", Effect: "retry"}},
	{Name: "2: BeforeModel", Event: beforeModel, Hooks: one(Hook{Exit: 2, Err: "why"}), Want: Want{Decision: "deny", Reason: "why"}},
	{Name: "2: AfterModel", Event: afterModel, Hooks: one(Hook{Exit: 2, Err: "why"}), Want: Want{Decision: "deny", Reason: "why"}},
	{Name: "2: AfterTool", Event: afterTool, Hooks: one(Hook{Exit: 2, Err: "why"}), Want: Want{Decision: "deny", Reason: "why"}},
	{Name: "2: SessionStart cannot be blocked", Event: sessionStart, Hooks: one(Hook{Exit: 2, Err: "why"}), Want: Want{Warn: []string{"exit 2 cannot block SessionStart"}, Failed: []string{"exit status 2: why"}}},
	{Name: "2: SessionEnd cannot be blocked", Event: sessionEnd, Hooks: one(Hook{Exit: 2}), Want: Want{Warn: []string{"exit 2 cannot block SessionEnd"}, Failed: []string{"exit status 2"}}},
	{Name: "2: PreCompress cannot be blocked", Event: preCompress, Hooks: one(Hook{Exit: 2}), Want: Want{Warn: []string{"cannot block PreCompress"}, Failed: []string{"exit status 2"}}},
	{Name: "2: PostCompact cannot be blocked", Event: postCompact, Hooks: one(Hook{Exit: 2}), Want: Want{Warn: []string{"cannot block PostCompact"}, Failed: []string{"exit status 2"}}},
	{Name: "2: StopFailure cannot be blocked", Event: stopFailure, Hooks: one(Hook{Exit: 2}), Want: Want{Warn: []string{"cannot block StopFailure"}, Failed: []string{"exit status 2"}}},
	{Name: "2: Notification cannot be blocked", Event: notification, Hooks: one(Hook{Exit: 2}), Want: Want{Warn: []string{"cannot block Notification"}, Failed: []string{"exit status 2"}}},
	{Name: "2: BeforeToolSelection cannot be blocked", Event: selection, Hooks: one(Hook{Exit: 2}), Want: Want{Warn: []string{"cannot block BeforeToolSelection"}, Failed: []string{"exit status 2"}}},

	// Other exits are warnings.
	{Name: "1: a warning", Event: beforeTool, Hooks: one(Hook{Exit: 1, Err: "oops"}), Want: Want{Failed: []string{"exit status 1: oops"}}},
	{Name: "1: text is not a message", Event: beforeTool, Hooks: one(Hook{Exit: 1, Out: "text"}), Want: Want{Failed: []string{"exit status 1"}}},
	{Name: "1: the first line of stderr is the cause", Event: beforeTool, Hooks: one(Hook{Exit: 1, Err: "\n  first\nsecond"}), Want: Want{Failed: []string{"exit status 1: first"}}},
	{Name: "1: a deny is obeyed", Event: beforeTool, Hooks: one(Hook{Exit: 1, Out: denyNo}), Want: Want{Decision: "deny", Reason: "no", Failed: []string{"exit status 1"}}},
	{Name: "1: a stop is obeyed", Event: beforeTool, Hooks: one(Hook{Exit: 1, Out: stopNow}), Want: Want{Decision: "stop", Reason: "enough", Failed: []string{"exit status 1"}}},
	{Name: "1: an ask is obeyed", Event: beforeTool, Hooks: one(Hook{Exit: 1, Out: askWhy}), Want: Want{Decision: "ask", Reason: "sure?", Failed: []string{"exit status 1"}}},
	{Name: "1: a deny on stderr is obeyed", Event: beforeTool, Hooks: one(Hook{Exit: 1, Err: denyNo}), Want: Want{Decision: "deny", Reason: "no", Failed: []string{"exit status 1"}}},
	{Name: "1: changes are not", Event: beforeTool, Hooks: one(Hook{Exit: 1, Out: `{"hookSpecificOutput":{"tool_input":{"content":"y"}}}`}), Want: Want{Failed: []string{"exit status 1"}, Warn: []string{"only its decision is obeyed"}}},
	{Name: "1: context is not", Event: beforeAgent, Hooks: one(Hook{Exit: 1, Out: `{"hookSpecificOutput":{"additionalContext":"c"}}`}), Want: Want{Failed: []string{"exit status 1"}, Warn: []string{"only its decision is obeyed"}}},
	{Name: "1: a message to the user is", Event: beforeTool, Hooks: one(Hook{Exit: 1, Out: `{"systemMessage":"m"}`}), Want: Want{Message: "m", Failed: []string{"exit status 1"}}},
	{Name: "126: not executable", Event: beforeTool, Hooks: one(Hook{Exit: 126}), Want: Want{Failed: []string{"exit status 126 (not executable)"}}},
	{Name: "127: no such command", Event: beforeTool, Hooks: one(Hook{Missing: true}), Want: Want{Failed: []string{"exit status 127 (command not found): "}}},
	{Name: "255", Event: beforeTool, Hooks: one(Hook{Exit: 255}), Want: Want{Failed: []string{"exit status 255"}}},

	// Signals and time-outs.
	{Name: "signal", Event: beforeTool, Hooks: one(Hook{Signal: "KILL"}), Want: Want{Failed: []string{"killed by signal"}}},
	{Name: "signal after a deny", Event: beforeTool, Hooks: one(Hook{Signal: "KILL", Out: denyNo}), Want: Want{Decision: "deny", Reason: "no", Failed: []string{"killed by signal"}}},
	{Name: "signal after text", Event: beforeTool, Hooks: one(Hook{Signal: "TERM", Out: "text"}), Want: Want{Failed: []string{"killed by signal"}}},
	{Name: "time-out", Event: beforeTool, Hooks: one(Hook{Hangs: true}), Want: Want{Failed: []string{"timed out after 1000ms"}}},
	{Name: "time-out after a deny", Event: beforeTool, Hooks: one(Hook{Hangs: true, Out: denyNo}), Want: Want{Decision: "deny", Reason: "no", Failed: []string{"timed out after 1000ms"}}},
	{Name: "time-out after a stop", Event: beforeAgent, Hooks: one(Hook{Hangs: true, Out: stopNow}), Want: Want{Decision: "stop", Reason: "enough", Failed: []string{"timed out"}}},
	{Name: "time-out after an ask", Event: beforeTool, Hooks: one(Hook{Hangs: true, Out: askWhy}), Want: Want{Decision: "ask", Reason: "sure?", Failed: []string{"timed out"}}},
	{Name: "time-out after a change", Event: beforeTool, Hooks: one(Hook{Hangs: true, Out: `{"hookSpecificOutput":{"tool_input":{"content":"y"}}}`}), Want: Want{Failed: []string{"timed out"}, Warn: []string{"only its decision is obeyed"}}},
	{Name: "time-out: exit 2 when told to end blocks", Event: beforeTool, Hooks: one(Hook{Hangs: true, OnTerm: 2, Err: "why"}), Want: Want{Decision: "deny", Reason: "why", Failed: []string{"timed out after 1000ms"}, Warn: []string{"exited with 2 when it was told to end: that blocks too"}}},
	{Name: "time-out: exit 2 when told to end, an object printed before", Event: beforeTool, Hooks: one(Hook{Hangs: true, OnTerm: 2, Out: `{"decision":"allow","reason":"fine"}`}), Want: Want{Decision: "deny", Reason: "No reason provided", Failed: []string{"timed out"}, Warn: []string{`exit 2 blocks, although decision says "allow"`, "that blocks too"}}},
	{Name: "time-out: exit 1 when told to end does not block", Event: beforeTool, Hooks: one(Hook{Hangs: true, OnTerm: 1}), Want: Want{Failed: []string{"timed out"}}},
	{Name: "time-out: exit 2 when told to end, Claude Code's dialect", Event: beforeTool, Hooks: one(Hook{Hangs: true, OnTerm: 2, Dialect: "claude", Err: "why"}), Want: Want{Decision: "deny", Reason: "why", Failed: []string{"timed out"}, Warn: []string{"that blocks too"}}},
	{Name: "time-out of one of two", Event: beforeTool, Hooks: []Hook{{Hangs: true}, {Out: denyNo}}, Want: Want{Decision: "deny", Reason: "no", Failed: []string{"timed out"}}},
	{Name: "SessionEnd is left running", Event: sessionEnd, Hooks: one(Hook{Hangs: true}), Want: Want{Skipped: []string{"a: left running"}}},
	{Name: "PostCompact is left running", Event: postCompact, Hooks: one(Hook{Hangs: true}), Want: Want{Skipped: []string{"a: left running"}}},
	{Name: "StopFailure is left running", Event: stopFailure, Hooks: one(Hook{Hangs: true}), Want: Want{Skipped: []string{"a: left running"}}},
	{Name: "PreCompress is left running", Event: preCompress, Hooks: one(Hook{Hangs: true}), Want: Want{Skipped: []string{"a: left running"}}},

	// onError: block.
	{Name: "onError block: nothing printed is no error", Event: beforeTool, Hooks: one(Hook{OnError: "block"})},
	{Name: "onError block: an answer is no error", Event: beforeTool, Hooks: one(Hook{OnError: "block", Out: allowYes})},
	{Name: "onError block: exit 1", Event: beforeTool, Hooks: one(Hook{OnError: "block", Exit: 1, Err: "oops"}), Want: Want{Decision: "deny", Reason: `hook "a" failed, and its onError is block: exit status 1: oops`, Failed: []string{"exit status 1"}}},
	{Name: "onError block: missing", Event: beforeTool, Hooks: one(Hook{OnError: "block", Exit: 127, Err: "gone"}), Want: Want{Decision: "deny", Reason: `hook "a" failed, and its onError is block: exit status 127 (command not found): gone`, Failed: []string{"127"}}},
	{Name: "onError block: time-out", Event: beforeTool, Hooks: one(Hook{OnError: "block", Hangs: true}), Want: Want{Decision: "deny", Reason: `hook "a" failed, and its onError is block: timed out after 1000ms`, Failed: []string{"timed out"}}},
	{Name: "onError block: a stop said before stays one", Event: beforeTool, Hooks: one(Hook{OnError: "block", Hangs: true, Out: stopNow}), Want: Want{Decision: "stop", Reason: "enough", Failed: []string{"timed out"}}},
	{Name: "onError block: text", Event: beforeTool, Hooks: one(Hook{OnError: "block", Out: "ok"}), Want: Want{Decision: "deny", Reason: `hook "a" failed, and its onError is block: its output is not a valid answer`, Message: "ok"}},
	{Name: "onError block: a decision that is none", Event: beforeTool, Hooks: one(Hook{OnError: "block", Out: `{"decision":"denied"}`}), Want: Want{Decision: "deny", Reason: `hook "a" failed, and its onError is block: its output is not a valid answer`, Warn: []string{`did you mean "deny"`}}},
	{Name: "onError block: where nothing can be blocked", Event: sessionStart, Hooks: one(Hook{OnError: "block", Exit: 1}), Want: Want{Failed: []string{"exit status 1"}, Warn: []string{"cannot be blocked"}}},
	{Name: "onError allow", Event: beforeTool, Hooks: one(Hook{OnError: "allow", Exit: 1}), Want: Want{Failed: []string{"exit status 1"}}},
}

var streamCases = []Case{
	{Name: "white space around an object", Event: beforeTool, Hooks: out("\n\t " + denyNo + " \r\n"), Want: Want{Decision: "deny", Reason: "no"}},
	{Name: "byte order mark", Event: beforeTool, Hooks: out("\ufeff" + denyNo), Want: Want{Decision: "deny", Reason: "no"}},
	{Name: "CRLF inside", Event: beforeTool, Hooks: out("{\r\n\"decision\": \"deny\",\r\n\"reason\": \"no\"\r\n}\r\n"), Want: Want{Decision: "deny", Reason: "no"}},
	{Name: "encoded twice", Event: beforeTool, Hooks: out(`"{\"decision\":\"deny\",\"reason\":\"no\"}"`), Want: Want{Decision: "deny", Reason: "no"}},
	{Name: "a JSON string", Event: beforeTool, Hooks: out(`"plain"`), Want: Want{Message: `"plain"`}},
	{Name: "a number", Event: beforeTool, Hooks: out("42"), Want: Want{Message: "42"}},
	{Name: "null", Event: beforeTool, Hooks: out("null"), Want: Want{Message: "null"}},
	{Name: "true", Event: beforeTool, Hooks: out("true"), Want: Want{Message: "true"}},
	{Name: "an array", Event: beforeTool, Hooks: out(`[{"decision":"allow"}]`), Want: Want{Message: `[{"decision":"allow"}]`, Warn: []string{"(line 1) among other output, so it was not obeyed"}}},
	{Name: "a deny in an array holds", Event: beforeTool, Hooks: out(`[{"decision":"deny","reason":"no"}]`), Want: Want{Decision: "deny", Reason: "no", Message: `[{"decision":"deny","reason":"no"}]`, Warn: []string{"its deny holds"}}},

	// A block is legible in what is not valid JSON.
	{Name: "broken JSON", Event: beforeTool, Hooks: out(`{"decision":"allow"`), Want: Want{Message: `{"decision":"allow"`, Warn: []string{"not valid JSON"}}},
	{Name: "broken: never closed", Event: beforeTool, Hooks: out(`{"decision":"deny"`), Want: Want{Decision: "deny", Reason: `{"decision":"deny"`, Message: `{"decision":"deny"`, Warn: []string{"not valid JSON (line 1): its deny holds"}}},
	{Name: "broken: ends in its reason", Event: beforeTool, Hooks: out(`{"decision":"deny","reason":"half a sen`), Want: Want{Decision: "deny", Reason: "half a sen", Message: `{"decision":"deny","reason":"half a sen`, Warn: []string{"its deny holds"}}},
	{Name: "broken: a reason of two lines", Event: beforeTool, Hooks: out("{\"decision\":\"block\",\"reason\":\"one\ntwo\"}"), Want: Want{Decision: "deny", Reason: "one\ntwo", Message: "{\"decision\":\"block\",\"reason\":\"one\ntwo\"}", Warn: []string{"its deny holds"}}},
	{Name: "broken: quotes in a reason", Event: beforeTool, Hooks: out(`{"reason":"no "rm" here","decision":"deny"}`), Want: Want{Decision: "deny", Reason: "no ", Message: `{"reason":"no "rm" here","decision":"deny"}`, Warn: []string{"its deny holds"}}},
	{Name: "broken: NaN beside it", Event: beforeTool, Hooks: out(`{"decision":"deny","reason":"no","score":NaN}`), Want: Want{Decision: "deny", Reason: "no", Message: `{"decision":"deny","reason":"no","score":NaN}`, Warn: []string{"its deny holds"}}},
	{Name: "broken: a comma too many", Event: beforeTool, Hooks: out(`{"continue": false, "stopReason": "enough",}`), Want: Want{Decision: "stop", Reason: "enough", Message: `{"continue": false, "stopReason": "enough",}`, Warn: []string{"its stop holds"}}},
	{Name: "broken: a comma missing", Event: beforeTool, Hooks: out(`{"reason":"sure?" "decision":"ask"}`), Want: Want{Decision: "ask", Reason: "sure?", Message: `{"reason":"sure?" "decision":"ask"}`, Warn: []string{"its ask holds"}}},
	{Name: "broken: comments and bare keys", Event: beforeTool, Hooks: out("{\n  // policy\n  decision: \"deny\",\n}"), Want: Want{Decision: "deny", Reason: "{\n  // policy\n  decision: \"deny\",\n}", Message: "{\n  // policy\n  decision: \"deny\",\n}", Warn: []string{"(line 3): its deny holds"}}},
	{Name: "broken: as Python shows a dict", Event: beforeTool, Hooks: out(`{'continue': False, 'stopReason': 'enough'}`), Want: Want{Decision: "stop", Reason: "enough", Message: `{'continue': False, 'stopReason': 'enough'}`, Warn: []string{"its stop holds"}}},
	{Name: "broken: encoded three times", Event: beforeTool, Hooks: out(`"\"{\\\"decision\\\":\\\"deny\\\"}\""`), Want: Want{Decision: "deny", Reason: `"\"{\\\"decision\\\":\\\"deny\\\"}\""`, Message: `"\"{\\\"decision\\\":\\\"deny\\\"}\""`, Warn: []string{"its deny holds"}}},
	{Name: "broken: the strongest holds", Event: beforeTool, Hooks: out(`{"decision":"allow","decision":"ask","decision":"deny",}`), Want: Want{Decision: "deny", Reason: `{"decision":"allow","decision":"ask","decision":"deny",}`, Message: `{"decision":"allow","decision":"ask","decision":"deny",}`, Warn: []string{"its deny holds"}}},
	{Name: "broken: beside a valid object", Event: beforeTool, Hooks: out(allowYes + "\n{'decision': 'deny'}"), Want: Want{Decision: "deny", Reason: allowYes + "\n{'decision': 'deny'}", Message: allowYes + "\n{'decision': 'deny'}", Warn: []string{"(line 2): its deny holds"}}},
	{Name: "broken: where nothing can be blocked", Event: sessionStart, Hooks: out(`{"decision":"deny"`), Want: Want{Message: `{"decision":"deny"`, Warn: []string{"not valid JSON"}}},
	{Name: "broken: after the braces of other output", Event: beforeTool, Hooks: out(braces + denyNo), Want: Want{Decision: "deny", Reason: "no", Message: braces + denyNo, Warn: []string{"(line 101) among other output: its deny holds"}}},
	{Name: "broken: talk in the middle of a line", Event: beforeTool, Hooks: out("print {'decision': 'deny'} to block"), Want: Want{Message: "print {'decision': 'deny'} to block"}},
	{Name: "broken: a word without an object", Event: beforeTool, Hooks: out(`decision: "deny"`), Want: Want{Message: `decision: "deny"`}},
	{Name: "a valid object that quotes a deny", Event: beforeTool, Hooks: out(`{"systemMessage":"print {\"decision\":\"deny\"} to block"}`), Want: Want{Message: `print {"decision":"deny"} to block`}},
	{Name: "an object among noise that quotes a deny", Event: beforeTool, Hooks: out("x\n" + `{"systemMessage":"{\"decision\":\"deny\"}"}`), Want: Want{Message: "x\n" + `{"systemMessage":"{\"decision\":\"deny\"}"}`, Warn: []string{"so it was not obeyed"}}},

	// Other encodings.
	{Name: "byte order mark twice", Event: beforeTool, Hooks: out("\ufeff \ufeff" + denyNo), Want: Want{Decision: "deny", Reason: "no"}},
	{Name: "UTF-16, little-endian", Event: beforeTool, Hooks: out(utf16Text(denyNo, "\xff\xfe", 0)), Want: Want{Decision: "deny", Reason: "no", Warn: []string{"stdout is UTF-16"}}},
	{Name: "UTF-16, big-endian", Event: beforeTool, Hooks: out(utf16Text(denyNo, "\xfe\xff", 1)), Want: Want{Decision: "deny", Reason: "no", Warn: []string{"stdout is UTF-16"}}},
	{Name: "UTF-16 without its mark", Event: beforeTool, Hooks: out(utf16Text(denyNo, "", 0)), Want: Want{Decision: "deny", Reason: "no", Warn: []string{"stdout is UTF-16"}}},
	{Name: "UTF-16 on stderr", Event: beforeTool, Hooks: one(Hook{Err: utf16Text(denyNo, "\xff\xfe", 0)}), Want: Want{Decision: "deny", Reason: "no", Warn: []string{"stderr is UTF-16"}}},
	{Name: "NUL bytes", Event: beforeTool, Hooks: out("\x00{\"decision\":\"de\x00ny\",\"reason\":\"no\"}\x00\x00"), Want: Want{Decision: "deny", Reason: "no", Warn: []string{"NUL bytes"}}},

	{Name: "single quotes", Event: beforeTool, Hooks: out(`{'decision':'deny','reason':'no'}`), Want: Want{Decision: "deny", Reason: "no", Message: `{'decision':'deny','reason':'no'}`, Warn: []string{"not valid JSON (line 1): its deny holds"}}},
	{Name: "a line before the object", Event: beforeTool, Hooks: out("debug\n" + `{"decision":"allow","hookSpecificOutput":{"tool_input":{"file_path":"b"}}}`), Want: Want{Message: "debug\n" + `{"decision":"allow","hookSpecificOutput":{"tool_input":{"file_path":"b"}}}`, Warn: []string{"a JSON object (line 2) among other output, so it was not obeyed"}}},
	{Name: "a line after a deny: garbage turns no block into a go-ahead", Event: beforeTool, Hooks: out(denyNo + "\ndone"), Want: Want{Decision: "deny", Reason: "no", Message: denyNo + "\ndone", Warn: []string{"(line 1) among other output: its deny holds"}}},
	{Name: "words before a deny on its line", Event: beforeTool, Hooks: out("checking... " + denyNo), Want: Want{Decision: "deny", Reason: "no", Message: "checking... " + denyNo, Warn: []string{"its deny holds"}}},
	{Name: "a deny quoted in the middle of a line is talk", Event: beforeTool, Hooks: out("print " + denyNo + " to block"), Want: Want{Message: "print " + denyNo + " to block"}},
	{Name: "two objects, one denies", Event: beforeTool, Hooks: out(denyNo + "\n" + allowYes), Want: Want{Decision: "deny", Reason: "no", Message: denyNo + "\n" + allowYes, Warn: []string{"its deny holds"}}},
	{Name: "two objects, the strongest holds", Event: beforeTool, Hooks: out(askWhy + "\n" + `{"continue":false,"stopReason":"end"}` + "\n" + denyNo), Want: Want{Decision: "stop", Reason: "end", Message: askWhy + "\n" + `{"continue":false,"stopReason":"end"}` + "\n" + denyNo, Warn: []string{"its ask holds", "its stop holds", "its deny holds"}}},
	{Name: "a failed hook's deny among noise holds", Event: beforeTool, Hooks: one(Hook{Exit: 1, Out: "debug\n" + denyNo}), Want: Want{Decision: "deny", Reason: "no", Failed: []string{"exit status 1"}, Warn: []string{"its deny holds"}}},
	{Name: "exit 2 takes its reason from an object among noise", Event: beforeTool, Hooks: one(Hook{Exit: 2, Out: "debug\n" + denyNo}), Want: Want{Decision: "deny", Reason: "no", Warn: []string{"its deny holds"}}},
	{Name: "what an object among noise would change is not obeyed", Event: beforeTool, Hooks: out("debug\n" + `{"decision":"ask","reason":"sure?","hookSpecificOutput":{"tool_input":{"file_path":"b"}}}`), Want: Want{Decision: "ask", Reason: "sure?", Message: "debug\n" + `{"decision":"ask","reason":"sure?","hookSpecificOutput":{"tool_input":{"file_path":"b"}}}`, Warn: []string{"its ask holds, and nothing else in it is obeyed"}}},
	{Name: "stdout empty, object on stderr", Event: beforeTool, Hooks: one(Hook{Err: denyNo}), Want: Want{Decision: "deny", Reason: "no"}},
	{Name: "stdout blank, object on stderr", Event: beforeTool, Hooks: one(Hook{Out: " \n", Err: denyNo}), Want: Want{Decision: "deny", Reason: "no"}},
	{Name: "text on stdout, object on stderr", Event: beforeTool, Hooks: one(Hook{Out: "hi", Err: allowYes}), Want: Want{Message: "hi"}},
	{Name: "text on stdout masks no deny on stderr", Event: beforeTool, Hooks: one(Hook{Out: "hi", Err: denyNo}), Want: Want{Decision: "deny", Reason: "no", Message: "hi", Warn: []string{"stderr holds a JSON object (line 1) among other output: its deny holds"}}},
	{Name: "a deny among other output on stderr holds", Event: beforeTool, Hooks: one(Hook{Err: "bash: warning: setlocale\n" + denyNo + "\nbye"}), Want: Want{Decision: "deny", Reason: "no", Warn: []string{"stderr holds a JSON object (line 2) among other output: its deny holds"}}},
	{Name: "code on stderr is not an answer", Event: beforeTool, Hooks: one(Hook{Exit: 1, Err: "+ echo '" + denyNo + "'\n  print(" + denyNo + ")"}), Want: Want{Failed: []string{"exit status 1"}}},
	{Name: "object on stdout, object on stderr", Event: beforeTool, Hooks: one(Hook{Out: allowYes, Err: denyNo})},
	{Name: "bytes that are not UTF-8", Event: beforeTool, Hooks: out("caf\xe9"), Want: Want{Message: "caf\ufffd", Warn: []string{"not valid UTF-8"}}},
	{Name: "an object with bytes that are not UTF-8", Event: beforeTool, Hooks: out("{\"decision\":\"deny\",\"reason\":\"caf\xe9\"}"), Want: Want{Decision: "deny", Reason: "caf\ufffd", Warn: []string{"not valid UTF-8"}}},
	{Name: "characters outside ASCII", Event: beforeTool, Hooks: out(`{"decision":"deny","reason":"värde 日本 😀"}`), Want: Want{Decision: "deny", Reason: "värde 日本 😀"}},
	{Name: "a quote in a command", Event: beforeTool, Hooks: out(`{"decision":"deny","reason":"it's"}`), Want: Want{Decision: "deny", Reason: "it's"}},
}

// braces are a hundred lines of code.
var braces = strings.Repeat("func f() { return \"{\" }\n", 100)

// utf16Text writes ASCII text in UTF-16; low is where its byte stands in a pair.
func utf16Text(text, mark string, low int) string {
	out := []byte(mark)
	for _, c := range []byte(text) {
		pair := [2]byte{}
		pair[low] = c
		out = append(out, pair[:]...)
	}
	return string(out)
}
