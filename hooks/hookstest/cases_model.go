package hookstest

import "minigem/llm"

// What BeforeModel and AfterModel hooks change.

func request(json string) string { return `{"hookSpecificOutput":{"llm_request":` + json + `}}` }

func response(json string) string { return `{"hookSpecificOutput":{"llm_response":` + json + `}}` }

// talk is an llm_request of messages; "$" stands for the fixture's own, and a
// number for one of them.
func talk(messages string) string { return request(`{"messages":[` + messages + `]}`) }

const (
	msg1 = `{"role":"user","content":"hello"}`
	msg2 = `{"role":"model","content":[{"type":"text","text":"let me see"},{"type":"function_call","name":"read_file","args":{"file_path":"a"},"id":"c1"}]}`
	msg3 = `{"role":"user","content":[{"type":"function_response","name":"read_file","response":{"output":"data"},"id":"c1"}]}`
	msg4 = `{"role":"model","content":"done"}`
	msg5 = `{"role":"user","content":[{"type":"text","text":"and this?"},{"type":"inline_data","mimeType":"image/png","bytes":3}]}`

	head    = "gemini-2.5-flash t=1 p=0.95 k=64 think=8192 [be brief]"
	gemini  = "gemini-2.5-flash"
	callTwo = " m:~hm,let me see!s1,read_file#c1!s2 u:=c1"
)

var requestCases = []Case{
	{Name: "what is read", Event: beforeModel, Hooks: out(""), Want: Want{Read: []string{`"llm_request":{"model":"gemini-2.5-flash","messages":[` + Messages + `],"config":{"temperature":1,"topP":0.95,"topK":64},"tools":["read_file","write_file","glob"]}}`}}},
	{Name: "an empty change", Event: beforeModel, Hooks: out(request(`{}`))},
	{Name: "an echo is not a change", Event: beforeModel, Hooks: out(request(`{"model":"gemini-2.5-flash","messages":[` + Messages + `],"config":{"temperature":1,"topP":0.95,"topK":64},"tools":["read_file","write_file","glob"]}`)), Want: Want{Effect: "none"}},

	// Fields that are absent stay.
	{Name: "model", Event: beforeModel, Hooks: out(request(`{"model":"gemini-2.5-pro"}`)), Want: Want{Request: "gemini-2.5-pro t=1 p=0.95 k=64 [be brief]" + conversation + allTools, Effect: "rewrite"}},
	{Name: "model with a prefix", Event: beforeModel, Hooks: out(request(`{"model":"models/m2"}`)), Want: Want{Request: "m2 t=1 p=0.95 k=64 [be brief]" + conversation + allTools}},
	{Name: "temperature", Event: beforeModel, Hooks: out(request(`{"config":{"temperature":0.2}}`)), Want: Want{Request: gemini + " t=0.2 p=0.95 k=64 think=8192 [be brief]" + conversation + allTools}},
	{Name: "temperature 0", Event: beforeModel, Hooks: out(request(`{"config":{"temperature":0}}`)), Want: Want{Request: gemini + " t=0 p=0.95 k=64 think=8192 [be brief]" + conversation + allTools}},
	{Name: "all four", Event: beforeModel, Hooks: out(request(`{"config":{"temperature":0.1,"topP":0.2,"topK":3,"maxOutputTokens":100}}`)), Want: Want{Request: gemini + " t=0.1 p=0.2 k=3 max=100 think=8192 [be brief]" + conversation + allTools}},
	{Name: "a number in quotes", Event: beforeModel, Hooks: out(request(`{"config":{"temperature":"hot","topP":0.5}}`)), Want: Want{Request: gemini + " t=1 p=0.5 k=64 think=8192 [be brief]" + conversation + allTools, Warn: []string{`config.temperature ignored: it must be a number, not "hot"`}}},
	{Name: "half a token", Event: beforeModel, Hooks: out(request(`{"config":{"maxOutputTokens":1.5}}`)), Want: Want{Warn: []string{"maxOutputTokens ignored: it must be a whole number"}}},
	{Name: "another setting", Event: beforeModel, Hooks: out(request(`{"config":{"stopSequences":["x"]}}`)), Want: Want{Warn: []string{"unknown field hookSpecificOutput.llm_request.config.stopSequences"}}},
	{Name: "generationConfig", Event: beforeModel, Hooks: out(request(`{"generationConfig":{"temperature":0}}`)), Want: Want{Request: gemini + " t=0 p=0.95 k=64 think=8192 [be brief]" + conversation + allTools}},
	{Name: "a string for the request", Event: beforeModel, Hooks: out(request(`"x"`)), Want: Want{Warn: []string{"llm_request ignored: it must be an object"}}},
	{Name: "modifiedRequest", Event: beforeModel, Hooks: out(`{"modifiedRequest":{"config":{"temperature":0}}}`), Want: Want{Request: gemini + " t=0 p=0.95 k=64 think=8192 [be brief]" + conversation + allTools}},
	{Name: "toolConfig in the request", Event: beforeModel, Hooks: out(request(`{"toolConfig":{"mode":"ANY","allowedFunctionNames":["glob"]}}`)), Want: Want{Request: plain + " tools=glob ANY:glob"}},
	{Name: "tools in the request", Event: beforeModel, Hooks: out(request(`{"tools":["glob"]}`)), Want: Want{Warn: []string{"llm_request.tools ignored (glob): narrow tools with toolConfig"}}},
	{Name: "two hooks, different fields", Event: beforeModel, Hooks: outs(request(`{"model":"m2"}`), request(`{"config":{"topK":1}}`)), Want: Want{Request: "m2 t=1 p=0.95 k=1 [be brief]" + conversation + allTools}},
	{Name: "two hooks, the same field", Event: beforeModel, Hooks: outs(request(`{"config":{"topK":1}}`), request(`{"config":{"topK":2}}`)), Want: Want{Request: gemini + " t=1 p=0.95 k=2 think=8192 [be brief]" + conversation + allTools}},

	// Messages are matched by identity.
	{Name: "rewrite the first", Event: beforeModel, Hooks: out(talk(`{"role":"user","content":"HELLO"},` + msg2 + "," + msg3 + "," + msg4 + "," + msg5)), Want: Want{Request: head + " u:HELLO" + callTwo + " m:done u:and this?,image/png" + allTools}},
	{Name: "rewrite the last, its image stays", Event: beforeModel, Hooks: out(talk(msg1 + "," + msg2 + "," + msg3 + "," + msg4 + `,{"role":"user","content":"and that?"}`)), Want: Want{Request: head + " u:hello" + callTwo + " m:done u:and that?,image/png" + allTools}},
	{Name: "rewrite text beside a call: call, thought and signatures stay", Event: beforeModel, Hooks: out(talk(msg1 + `,{"role":"model","content":"I look"},` + msg3 + "," + msg4 + "," + msg5)), Want: Want{Request: head + " u:hello m:~hm,I look!s1,read_file#c1!s2 u:=c1 m:done u:and this?,image/png" + allTools}},
	{Name: "rewrite a part in place", Event: beforeModel, Hooks: out(talk(msg1 + `,{"role":"model","content":[{"type":"text","text":"I look"},{"type":"function_call","name":"read_file","args":{"file_path":"a"},"id":"c1"}]},` + msg3 + "," + msg4 + "," + msg5)), Want: Want{Request: head + " u:hello m:~hm,I look!s1,read_file#c1!s2 u:=c1 m:done u:and this?,image/png" + allTools}},
	{Name: "rewrite the arguments of a call in the history", Event: beforeModel, Hooks: out(talk(msg1 + `,{"role":"model","content":[{"type":"text","text":"let me see"},{"type":"function_call","name":"read_file","args":{"file_path":"b"},"id":"c1"}]},` + msg3 + "," + msg4 + "," + msg5)), Want: Want{Request: head + ` u:hello m:~hm,let me see!s1,read_file#c1{"file_path":"b"}!s2 u:=c1 m:done u:and this?,image/png` + allTools}},
	{Name: "rewrite a result", Event: beforeModel, Hooks: out(talk(msg1 + "," + msg2 + `,{"role":"user","content":[{"type":"function_response","name":"read_file","id":"c1","response":{"output":"***"}}]},` + msg4 + "," + msg5)), Want: Want{Request: head + ` u:hello m:~hm,let me see!s1,read_file#c1!s2 u:=c1{"output":"***"} m:done u:and this?,image/png` + allTools}},
	{Name: "add at the end", Event: beforeModel, Hooks: out(talk(Messages + `,{"role":"model","content":"a"},{"role":"user","content":"b"}`)), Want: Want{Request: plain + " m:a u:b" + allTools}},
	{Name: "add at the end, same role", Event: beforeModel, Hooks: out(talk(Messages + `,{"role":"user","content":"b"}`)), Want: Want{Request: plain + ",b" + allTools}},
	{Name: "add in front", Event: beforeModel, Hooks: out(talk(`{"role":"user","content":"rules"},{"role":"model","content":"ok"},` + Messages)), Want: Want{Request: head + " u:rules m:ok" + conversation + allTools}},
	{Name: "add in front, same role", Event: beforeModel, Hooks: out(talk(`{"role":"user","content":"rules"},` + Messages)), Want: Want{Request: head + " u:rules,hello" + callTwo + " m:done u:and this?,image/png" + allTools}},
	{Name: "add in the middle", Event: beforeModel, Hooks: out(talk(msg1 + "," + msg2 + "," + msg3 + "," + msg4 + `,{"role":"user","content":"q"},{"role":"model","content":"a"},` + msg5)), Want: Want{Request: head + " u:hello" + callTwo + " m:done u:q m:a u:and this?,image/png" + allTools}},
	{Name: "add in front and rewrite", Event: beforeModel, Hooks: out(talk(`{"role":"user","content":"rules of the house"},{"role":"user","content":"hello!"},` + msg2 + "," + msg3 + "," + msg4 + "," + msg5)), Want: Want{Request: head + " u:rules of the house,hello!" + callTwo + " m:done u:and this?,image/png" + allTools}},
	{Name: "remove the last two", Event: beforeModel, Hooks: out(talk(msg1 + "," + msg2 + "," + msg3)), Want: Want{Request: head + " u:hello" + callTwo + allTools}},
	{Name: "remove a call with its result", Event: beforeModel, Hooks: out(talk(msg1 + "," + msg4 + "," + msg5)), Want: Want{Request: head + " u:hello m:done u:and this?,image/png" + allTools}},
	{Name: "remove a result: its call goes too", Event: beforeModel, Hooks: out(talk(msg1 + "," + msg2 + "," + msg4 + "," + msg5)), Want: Want{Request: head + " u:hello m:~hm,let me see!s1,done u:and this?,image/png" + allTools, Warn: []string{"the call of read_file was left without its counterpart"}}},
	{Name: "remove a call: its result goes too", Event: beforeModel, Hooks: out(talk(msg1 + "," + msg3 + "," + msg4 + "," + msg5)), Want: Want{Request: head + " u:hello m:done u:and this?,image/png" + allTools, Warn: []string{"the result of read_file was left without its counterpart"}}},
	{Name: "remove an image", Event: beforeModel, Hooks: out(talk(msg1 + "," + msg2 + "," + msg3 + "," + msg4 + `,{"role":"user","content":[{"type":"text","text":"and this?"}]}`)), Want: Want{Request: head + " u:hello" + callTwo + " m:done u:and this?" + allTools}},
	{Name: "keep only the last", Event: beforeModel, Hooks: out(talk(msg5)), Want: Want{Request: head + " u:and this?,image/png" + allTools}},
	{Name: "remove all", Event: beforeModel, Hooks: out(talk("")), Want: Want{Request: plain + allTools, Warn: []string{"nothing would be left to send"}}},
	{Name: "a system message in front", Event: beforeModel, Hooks: out(talk(`{"role":"system","content":"be kind"},` + Messages)), Want: Want{Request: gemini + " t=1 p=0.95 k=64 think=8192 [be brief//be kind]" + conversation + allTools}},
	{Name: "only a system message", Event: beforeModel, Hooks: out(talk(`{"role":"system","content":"be kind"}`)), Want: Want{Request: gemini + " t=1 p=0.95 k=64 think=8192 [be brief//be kind]" + conversation + allTools, Warn: []string{"nothing would be left to send"}}},
	{Name: "content as an array of texts", Event: beforeModel, Hooks: out(talk(`{"role":"user","content":[{"type":"text","text":"A"},{"type":"text","text":"B"}]},` + msg2 + "," + msg3 + "," + msg4 + "," + msg5)), Want: Want{Request: head + " u:A,B" + callTwo + " m:done u:and this?,image/png" + allTools}},
	{Name: "content as an array of strings", Event: beforeModel, Hooks: out(talk(`{"role":"user","content":["A"]},` + msg2 + "," + msg3 + "," + msg4 + "," + msg5)), Want: Want{Request: head + " u:A" + callTwo + " m:done u:and this?,image/png" + allTools}},
	{Name: "contents and parts as the API writes them", Event: beforeModel, Hooks: out(request(`{"contents":[{"role":"user","parts":[{"text":"only this"}]}]}`)), Want: Want{Request: head + " u:only this" + allTools}},
	{Name: "a text that is left out is empty", Event: beforeModel, Hooks: out(talk(`{"role":"user","content":[{"type":"text"},{"type":"text","text":"A"}]},` + msg2 + "," + msg3 + "," + msg4 + "," + msg5)), Want: Want{Request: head + " u:,A" + callTwo + " m:done u:and this?,image/png" + allTools}},
	{Name: "role assistant", Event: beforeModel, Hooks: out(talk(Messages + `,{"role":"assistant","content":"a"},{"role":"user","content":"b"}`)), Want: Want{Request: plain + " m:a u:b" + allTools}},
	{Name: "a role that is none voids the messages", Event: beforeModel, Hooks: out(talk(`{"role":"bot","content":"x"}`)), Want: Want{Warn: []string{`messages[0].role ignored: it must be "user", "model" or "system", not "bot"`, "messages ignored as a whole"}}},
	{Name: "content that is none voids the messages", Event: beforeModel, Hooks: out(talk(msg1 + `,{"role":"user","content":7}`)), Want: Want{Warn: []string{"messages[1].content ignored: it must be a string or an array", "because of hookSpecificOutput.llm_request.messages[1]"}}},
	{Name: "a part that is none voids the messages", Event: beforeModel, Hooks: out(talk(`{"role":"user","content":[{"type":"video"}]}`)), Want: Want{Warn: []string{"content[0] ignored: it must be a part such as", "ignored as a whole"}}},
	{Name: "messages that are no array", Event: beforeModel, Hooks: out(request(`{"messages":"x"}`)), Want: Want{Warn: []string{"messages ignored: it must be an array"}}},
	{Name: "an image cannot be made up", Event: beforeModel, Hooks: out(talk(Messages + `,{"role":"user","content":[{"type":"text","text":"b"},{"type":"inline_data","mimeType":"image/gif"}]}`)), Want: Want{Request: plain + ",b" + allTools, Warn: []string{"a part of type inline_data cannot be added"}}},
	{Name: "two hooks rewrite different messages", Event: beforeModel, Hooks: outs(talk(`{"role":"user","content":"A"},`+msg2+","+msg3+","+msg4+","+msg5), talk(msg1+","+msg2+","+msg3+`,{"role":"model","content":"B"},`+msg5)), Want: Want{Request: head + " u:A" + callTwo + " m:B u:and this?,image/png" + allTools}},
	{Name: "two hooks rewrite the same message", Event: beforeModel, Hooks: outs(talk(`{"role":"user","content":"A"},`+msg2+","+msg3+","+msg4+","+msg5), talk(`{"role":"user","content":"B"},`+msg2+","+msg3+","+msg4+","+msg5)), Want: Want{Request: head + " u:B" + callTwo + " m:done u:and this?,image/png" + allTools}},
	{Name: "an echo does not undo another's redaction", Event: beforeModel, Hooks: outs(talk(`{"role":"user","content":"***"},`+msg2+","+msg3+","+msg4+","+msg5), talk(Messages)), Want: Want{Request: head + " u:***" + callTwo + " m:done u:and this?,image/png" + allTools}},
}

var responseCases = []Case{
	// The answer itself: no call is made.
	{Name: "synthetic: candidates", Event: beforeModel, Hooks: out(response(`{"candidates":[{"content":{"role":"model","parts":["from cache"]}}]}`)), Want: Want{Answer: "from cache STOP", Effect: "synthetic"}},
	{Name: "synthetic: several parts", Event: beforeModel, Hooks: out(response(`{"candidates":[{"content":{"parts":["a","b"]},"finishReason":"MAX_TOKENS"}]}`)), Want: Want{Answer: "a,b MAX_TOKENS"}},
	{Name: "synthetic: parts as objects", Event: beforeModel, Hooks: out(response(`{"candidates":[{"content":{"parts":[{"text":"a"}]}}]}`)), Want: Want{Answer: "a STOP"}},
	{Name: "synthetic: candidate", Event: beforeModel, Hooks: out(response(`{"candidate":{"content":{"parts":["a"]}}}`)), Want: Want{Answer: "a STOP"}},
	{Name: "synthetic: text alone", Event: beforeModel, Hooks: out(response(`{"text":"a"}`)), Want: Want{Answer: "a STOP"}},
	{Name: "synthetic: syntheticResponse", Event: beforeModel, Hooks: out(`{"syntheticResponse":{"text":"a"}}`), Want: Want{Answer: "a STOP"}},
	{Name: "synthetic: empty", Event: beforeModel, Hooks: out(response(`{"candidates":[{"content":{"parts":[]}}]}`)), Want: Want{Answer: "(empty) STOP"}},
	{Name: "synthetic: a call", Event: beforeModel, Hooks: out(response(`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"glob","args":{"pattern":"*"}}}]}}]}`)), Want: Want{Answer: `glob#{"pattern":"*"} STOP`}},
	{Name: "synthetic: with allow", Event: beforeModel, Hooks: out(`{"decision":"allow","hookSpecificOutput":{"llm_response":{"text":"a"}}}`), Want: Want{Answer: "a STOP"}},
	{Name: "synthetic: with deny", Event: beforeModel, Hooks: out(`{"decision":"deny","reason":"no","hookSpecificOutput":{"llm_response":{"text":"a"}}}`), Want: Want{Decision: "deny", Reason: "no", Answer: "a STOP"}},
	{Name: "synthetic: the later one wins", Event: beforeModel, Hooks: outs(response(`{"text":"a"}`), response(`{"text":"b"}`)), Want: Want{Answer: "b STOP"}},
	{Name: "synthetic: malformed", Event: beforeModel, Hooks: out(response(`{"candidates":"x"}`)), Want: Want{Failed: []string{"llm_response is malformed"}, Warn: []string{"llm_response.candidates ignored: it must be an array"}}},
	{Name: "synthetic: without candidates", Event: beforeModel, Hooks: out(response(`{"role":"model"}`)), Want: Want{Failed: []string{"llm_response is malformed"}, Warn: []string{"it has neither candidates, nor candidate, nor text"}}},
	{Name: "synthetic: malformed, a deny beside it denies", Event: beforeModel, Hooks: out(`{"decision":"deny","reason":"no","hookSpecificOutput":{"llm_response":{"candidates":[{}]}}}`), Want: Want{Decision: "deny", Reason: "no", Failed: []string{"llm_response is malformed"}, Warn: []string{"candidates[0].content ignored"}}},
	{Name: "synthetic: malformed, onError block", Event: beforeModel, Hooks: one(Hook{OnError: "block", Out: response(`[]`)}), Want: Want{Decision: "deny", Reason: `hook "a" failed, and its onError is block: hookSpecificOutput.llm_response is malformed`, Failed: []string{"llm_response is malformed"}, Warn: []string{"llm_response ignored"}}},

	// Replacing a chunk.
	{Name: "replace: candidates", Event: afterModel, Hooks: out(response(`{"candidates":[{"content":{"parts":["***"]}}]}`)), Want: Want{Chunk: "***!s3 STOP", Effect: "replace"}},
	{Name: "replace: text alone", Event: afterModel, Hooks: out(response(`{"text":"***"}`)), Want: Want{Chunk: "***!s3 STOP"}},
	{Name: "replace: candidate", Event: afterModel, Hooks: out(response(`{"candidate":{"content":{"parts":["***"]}}}`)), Want: Want{Chunk: "***!s3 STOP"}},
	{Name: "replace: content", Event: afterModel, Hooks: out(`{"content":"***"}`), Want: Want{Chunk: "***!s3 STOP"}},
	{Name: "replace: modifiedResponse", Event: afterModel, Hooks: out(`{"modifiedResponse":{"text":"***"}}`), Want: Want{Chunk: "***!s3 STOP"}},
	{Name: "replace: by nothing", Event: afterModel, Hooks: out(response(`{"candidates":[{"content":{"parts":[]}}]}`)), Want: Want{Chunk: "(empty) STOP"}},
	{Name: "replace: by an empty text", Event: afterModel, Hooks: out(response(`{"text":""}`)), Want: Want{Chunk: "!s3 STOP"}},
	{Name: "replace: the finish reason", Event: afterModel, Hooks: out(response(`{"candidates":[{"content":{"parts":["x"]},"finishReason":"SAFETY"}]}`)), Want: Want{Chunk: "x!s3 SAFETY"}},
	{Name: "replace: calls stay", Event: afterModel, Chunk: withCall(), Hooks: out(response(`{"text":"x"}`)), Want: Want{Chunk: "~hm,x,glob#c2{\"pattern\":\"*\"}!s4", Read: []string{`"functionCalls":[{"name":"glob","args":{"pattern":"*"},"id":"c2"}]`}}},
	{Name: "replace: thoughts stay thoughts", Event: afterModel, Chunk: withCall(), Hooks: out(response(`{"candidates":[{"content":{"parts":["mm","x"]}}]}`)), Want: Want{Chunk: "~mm,x,glob#c2{\"pattern\":\"*\"}!s4"}},
	{Name: "replace: thoughts go with all texts", Event: afterModel, Chunk: withCall(), Hooks: out(response(`{"candidates":[{"content":{"parts":[]}}]}`)), Want: Want{Chunk: "glob#c2{\"pattern\":\"*\"}!s4"}},
	{Name: "replace: calls cannot be changed", Event: afterModel, Chunk: withCall(), Hooks: out(response(`{"text":"x","functionCalls":[{"name":"a"},{"name":"b"}]}`)), Want: Want{Chunk: "~hm,x,glob#c2{\"pattern\":\"*\"}!s4", Warn: []string{"function calls cannot be changed here"}}},
	{Name: "replace: the later one wins", Event: afterModel, Hooks: outs(response(`{"text":"a"}`), response(`{"text":"b"}`)), Want: Want{Chunk: "b!s3 STOP"}},
	{Name: "replace: content as a text", Event: afterModel, Hooks: out(response(`{"candidates":[{"content":"x","parts":1}]}`)), Want: Want{Chunk: "x!s3 STOP", Warn: []string{"unknown field hookSpecificOutput.llm_response.candidates[0].parts"}}},
	{Name: "replace: malformed leaves the chunk", Event: afterModel, Hooks: out(response(`{"candidates":[{"content":{"parts":[1]}}]}`)), Want: Want{Failed: []string{"llm_response is malformed"}, Warn: []string{"content.parts[0] ignored"}}},
	{Name: "replace: content that is not text", Event: afterModel, Hooks: out(`{"content":1}`), Want: Want{Failed: []string{"content is malformed"}, Warn: []string{"content ignored: it must be a string"}}},
	{Name: "replace: malformed, onError block", Event: afterModel, Hooks: one(Hook{OnError: "block", Out: response(`{"candidates":[]}`)}), Want: Want{Decision: "deny", Reason: `hook "a" failed, and its onError is block: hookSpecificOutput.llm_response is malformed`, Failed: []string{"llm_response is malformed"}, Warn: []string{"candidates ignored"}}},
	{Name: "AfterModel: deny", Event: afterModel, Hooks: out(denyNo), Want: Want{Decision: "deny", Reason: "no"}},
	{Name: "AfterModel: stop", Event: afterModel, Hooks: out(stopNow), Want: Want{Decision: "stop", Reason: "enough"}},
	{Name: "AfterModel: text is a message", Event: afterModel, Hooks: out("text"), Want: Want{Message: "text"}},
	{Name: "AfterModel: garbage leaves the chunk", Event: afterModel, Hooks: one(Hook{Out: "{", Exit: 1}), Want: Want{Failed: []string{"exit status 1"}, Warn: []string{"not valid JSON"}}},
}

func withCall() *llm.Chunk {
	return &llm.Chunk{Parts: []llm.Part{
		llm.Thought{Text: "hm"}, llm.Text{Text: "Hello"},
		llm.ToolCall{ID: "glob__c2", Name: "glob", Args: map[string]any{"pattern": "*"}, Signature: []byte("s4")},
	}}
}
