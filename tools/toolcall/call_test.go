package toolcall

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/agent/event"
	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/llm"
	"minigem/tools"
)

func beforeTool(o hooks.BeforeToolOutcome) func(*bench) {
	return func(b *bench) {
		b.hooks.before = func(u hooks.ToolUse) hooks.BeforeToolOutcome {
			if o.Args == nil {
				o.Args = u.Call.Args
			}
			return o
		}
	}
}

func afterTool(o hooks.AfterToolOutcome) func(*bench) {
	return func(b *bench) {
		b.hooks.after = func(hooks.ToolUse, protocol.ToolResponse) hooks.AfterToolOutcome { return o }
	}
}

// The texts and types of core/scheduler/hook-utils.ts.
func TestOneCall(t *testing.T) {
	t.Parallel()
	failing := func(err error) *fakeTool {
		return &fakeTool{name: "t", run: func(context.Context, map[string]any) (tools.Result, error) { return tools.Result{}, err }}
	}
	plain := &fakeTool{name: "t"}
	picky := &fakeTool{name: "t", check: func(args map[string]any) error {
		if args["x"] == "bad" {
			return tools.Errorf(tools.ErrFileNotFound, "params must not be bad")
		}
		return nil
	}}
	missing := &tools.Error{Type: tools.ErrFileNotFound, Message: "File not found: /a", Display: "File not found."}
	nothing := func(*bench) {}
	hookContext := "<hook_context>scanned</hook_context>"
	none := []string{}
	both := []string{"BeforeTool t", "AfterTool t"}
	before := both[:1]

	for _, tt := range []struct {
		name    string
		tool    *fakeTool
		prepare func(*bench)
		want    string
		errType string
		display any
		hooks   []string
		stopped string
	}{
		{"success", plain, nothing, "output: t did 0", "", "t did 0", both, ""},
		{"failure", failing(missing), nothing, "error: File not found: /a", "file_not_found", "File not found.", both, ""},
		{"unexpected failure", failing(errors.New("boom")), nothing, "error: boom", "unhandled_exception", "boom", both, ""},
		{"unknown tool", &fakeTool{name: "other"}, nothing, `error: Tool "t" not found. Did you mean "other"?`, "tool_not_registered", `Tool "t" not found. Did you mean "other"?`, none, ""},
		{"tool that is not offered", plain, func(b *bench) { b.Offered = func(tools.Tool) bool { return false } },
			`error: Tool "t" not found.`, "tool_not_registered", `Tool "t" not found.`, none, ""},
		{"tool that is not offered, with the reason", plain, func(b *bench) {
			b.Offered = func(tools.Tool) bool { return false }
			b.NotOffered = func(t tools.Tool) string { return t.Spec().Name + " is shut." }
		}, `error: t is shut.`, "tool_not_registered", `t is shut.`, none, ""},
		{"unknown tool, without a reason", &fakeTool{name: "other"}, func(b *bench) { b.NotOffered = func(tools.Tool) string { return "shut" } },
			`error: Tool "t" not found. Did you mean "other"?`, "tool_not_registered", `Tool "t" not found. Did you mean "other"?`, none, ""},
		{"invalid arguments", &fakeTool{name: "t", check: func(map[string]any) error { return errors.New("params must have x") }}, nothing,
			"error: params must have x", "invalid_tool_params", "params must have x", none, ""},

		// BeforeTool
		{"deny", plain, beforeTool(hooks.BeforeToolOutcome{Verdict: deny("no")}), "error: Tool execution blocked: no", "policy_violation", "Tool execution blocked: no", before, ""},
		{"stop", plain, beforeTool(hooks.BeforeToolOutcome{Verdict: stop("end")}), "error: Agent execution stopped by hook: end", "stop_execution", "Agent execution stopped by hook: end", before, "end"},
		{"change", plain, beforeTool(hooks.BeforeToolOutcome{Args: map[string]any{"x": "new"}, Changed: true}),
			"output: t did new\n\n[System] Tool input parameters were modified by a hook before execution.", "", "t did new", both, ""},
		{"bad change", picky, beforeTool(hooks.BeforeToolOutcome{Args: map[string]any{"x": "bad"}, Changed: true}),
			"error: Tool parameter modification by hook failed validation: params must not be bad", "invalid_tool_params",
			"Tool parameter modification by hook failed validation: params must not be bad", before, ""},

		// AfterTool
		{"hide", plain, afterTool(hooks.AfterToolOutcome{Verdict: deny("secret inside")}), "error: secret inside", "execution_failed", "Tool result blocked: secret inside", both, ""},
		{"hide a failure", failing(missing), afterTool(hooks.AfterToolOutcome{Verdict: deny("secret inside")}), "error: secret inside", "execution_failed", "Tool result blocked: secret inside", both, ""},
		{"stop after", plain, afterTool(hooks.AfterToolOutcome{Verdict: stop("end")}), "error: Agent execution stopped by hook: end", "stop_execution", "end", both, "end"},
		{"context", plain, afterTool(hooks.AfterToolOutcome{Context: hookContext}), "output: t did 0\n\n" + hookContext, "", "t did 0", both, ""},
		{"context of a failure", failing(missing), afterTool(hooks.AfterToolOutcome{Context: "\n\n" + hookContext}), "error: File not found: /a\n\n" + hookContext, "file_not_found", "File not found.", both, ""},
		{"context, then the note", plain, func(b *bench) {
			beforeTool(hooks.BeforeToolOutcome{Args: map[string]any{"x": "new"}, Changed: true})(b)
			afterTool(hooks.AfterToolOutcome{Context: hookContext})(b)
		}, "output: t did new\n\n" + hookContext + "\n\n" + changedNote, "", "t did new", both, ""},

		// crashes
		{"panic in Run", &fakeTool{name: "t", run: func(context.Context, map[string]any) (tools.Result, error) { panic("ouch") }}, nothing,
			"error: the tool crashed: ouch", "unhandled_exception", "the tool crashed: ouch", both, ""},
		{"panic in Prepare", &fakeTool{name: "t", check: func(map[string]any) error { panic("ouch") }}, nothing,
			"error: the tool crashed: ouch", "unhandled_exception", "the tool crashed: ouch", none, ""},
		{"panic in Intent", &fakeTool{name: "t", intent: func(map[string]any) tools.Intent { panic("ouch") }}, nothing,
			"output: t did 0", "", "t did 0", both, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(tt.tool)
			tt.prepare(b)
			texts, verdict := b.do(t, t.Context(), ask("t"))
			assert.Equal(t, []string{tt.want}, texts)
			r := b.records()[0]
			assert.Equal(t, tt.errType, r.ErrorType)
			assert.Equal(t, tt.errType != "", r.Status == event.ToolError)
			assert.Equal(t, tt.display, r.Display)
			assert.ElementsMatch(t, tt.hooks, b.hooks.log)
			if tt.stopped == "" {
				assert.Equal(t, hooks.Verdict{}, verdict)
				assert.Empty(t, eventsOf[event.Stopped](b))
			} else {
				assert.Equal(t, stop(tt.stopped), verdict)
				last := tt.hooks[len(tt.hooks)-1]
				assert.Equal(t, []event.Stopped{{Event: strings.TrimSuffix(last, " t"), Reason: tt.stopped}}, eventsOf[event.Stopped](b))
			}
		})
	}
}

func TestRecord(t *testing.T) {
	t.Parallel()
	info := tools.Info{DisplayName: "Toy", Markdown: true, MCP: &tools.MCPOrigin{Server: "box", Tool: "toy", Command: "run", URL: "u"}}
	b := newBench(&fakeTool{name: "t", info: info, run: func(_ context.Context, args map[string]any) (tools.Result, error) {
		if args["x"] == 1.0 {
			return tools.Result{}, errors.New("boom")
		}
		return tools.Result{Parts: []llm.Part{llm.Text{Text: "ok"}}, Display: "shown", Data: map[string]any{"n": 1}}, nil
	}})
	b.hooks.before = func(u hooks.ToolUse) hooks.BeforeToolOutcome {
		return hooks.BeforeToolOutcome{Args: map[string]any{"x": u.Call.Args["x"], "y": true}, Changed: true}
	}
	calls := ask("t", "t", "nope")
	calls[0].Args["wait_for_previous"], calls[1].Args["wait_for_previous"] = true, true
	results, _ := b.Run(t.Context(), calls, nil)

	now := b.now()
	assert.Equal(t, []event.ToolRecord{{
		Call: calls[0], Args: map[string]any{"x": 0.0, "y": true}, Result: results[0], Status: event.ToolSuccess,
		Display: "shown", Description: "t 0", DisplayName: "Toy", Markdown: true, Decision: event.DecisionAccept,
		MCPServer: "box", Data: map[string]any{"n": 1}, Started: now, Finished: now,
	}, {
		Call: calls[1], Args: map[string]any{"x": 1.0, "y": true}, Result: results[1], Status: event.ToolError,
		ErrorType: "unhandled_exception", ErrorMessage: "boom\n\n" + changedNote, Display: "boom",
		Description: "Does t.", DisplayName: "Toy", Markdown: true, Decision: event.DecisionAccept, MCPServer: "box",
		Started: now, Finished: now,
	}, {
		Call: calls[2], Args: calls[2].Args, Result: results[2], Status: event.ToolError, ErrorType: "tool_not_registered",
		ErrorMessage: `Tool "nope" not found. Did you mean "t"?`, Display: `Tool "nope" not found. Did you mean "t"?`,
		DisplayName: "nope", Rejected: true, Started: now, Finished: now,
	}}, b.records())

	mcp := &protocol.MCPContext{ServerName: "box", ToolName: "toy", Command: "run", URL: "u"}
	assert.Equal(t, []hooks.ToolUse{
		{Call: llm.ToolCall{ID: "t__0", Name: "t", Args: map[string]any{"x": 0.0}}, MCP: mcp},
		{Call: llm.ToolCall{ID: "t__0", Name: "t", Args: map[string]any{"x": 0.0, "y": true}}, OriginalArgs: map[string]any{"x": 0.0}, MCP: mcp},
	}, b.hooks.uses[:2])
	assert.Equal(t, []event.ToolStarted{
		{Call: llm.ToolCall{ID: "t__0", Name: "t", Args: map[string]any{"x": 0.0, "y": true}}, DisplayName: "Toy", Description: "t 0"},
		{Call: llm.ToolCall{ID: "t__1", Name: "t", Args: map[string]any{"x": 1.0, "y": true}}, DisplayName: "Toy", Description: "t 1"},
	}, eventsOf[event.ToolStarted](b))
}

func TestAliasIsShownToHooksAsAsked(t *testing.T) {
	t.Parallel()
	b := newBench(&fakeTool{name: "grep_search", info: tools.Info{Aliases: []string{"search_file_content"}}})
	b.do(t, t.Context(), ask("search_file_content"))
	assert.Equal(t, []string{"BeforeTool search_file_content", "AfterTool search_file_content"}, b.hooks.log)
}

func TestWaitForPreviousIsLeftToToolsThatDeclareIt(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]bool{`{"properties":{"wait_for_previous":{}}}`: true, `{"properties":{}}`: false, ``: false} {
		var got map[string]any
		b := newBench(&fakeTool{name: "t", schema: schema, check: func(args map[string]any) error { got = args; return nil }})
		calls := ask("t")
		calls[0].Args["wait_for_previous"] = true
		b.do(t, t.Context(), calls)
		assert.Equal(t, want, got["wait_for_previous"] != nil, schema)
		assert.Equal(t, true, calls[0].Args["wait_for_previous"], "the call itself is not changed")
	}
}

func TestWhatAfterToolReads(t *testing.T) {
	t.Parallel()
	blob := llm.Blob{MIMEType: "image/png", Data: []byte{1}}
	for _, tt := range []struct {
		name string
		res  tools.Result
		err  error
		want string
	}{
		{"text", tools.TextResult("a", "shown"), nil, `{"llmContent":"a","returnDisplay":"shown"}`},
		{"no display", tools.TextResult("a", nil), nil, `{"llmContent":"a","returnDisplay":"a"}`},
		{"empty display", tools.TextResult("a", ""), nil, `{"llmContent":"a","returnDisplay":""}`},
		{"object", tools.TextResult("a", tools.Listing{Summary: "s", Files: []string{"f"}}), nil, `{"llmContent":"a","returnDisplay":{"summary":"s","files":["f"]}}`},
		{"texts", tools.Result{Parts: []llm.Part{llm.Text{Text: "a"}, llm.Text{Text: "b"}}}, nil, `{"llmContent":"a\nb","returnDisplay":"a\nb"}`},
		{"part", tools.Result{Parts: []llm.Part{blob}, Display: "pic"}, nil, `{"llmContent":{"inlineData":{"mimeType":"image/png","data":"AQ=="}},"returnDisplay":"pic"}`},
		{"parts", tools.Result{Parts: []llm.Part{llm.Text{Text: "a"}, blob}, Display: "pic"}, nil,
			`{"llmContent":[{"text":"a"},{"inlineData":{"mimeType":"image/png","data":"AQ=="}}],"returnDisplay":"pic"}`},
		{"error", tools.Result{}, &tools.Error{Type: "x", Message: "m", Display: "d", Content: "c"}, `{"llmContent":"c","returnDisplay":"d","error":{"message":"m","type":"x"}}`},
		{"bare error", tools.Result{}, errors.New("m"), `{"llmContent":"m","returnDisplay":"m","error":{"message":"m","type":"unhandled_exception"}}`},
	} {
		b := newBench(&fakeTool{name: "t", run: func(context.Context, map[string]any) (tools.Result, error) { return tt.res, tt.err }})
		b.do(t, t.Context(), ask("t"))
		got, err := json.Marshal(b.hooks.responses[0])
		require.NoError(t, err)
		assert.JSONEq(t, tt.want, string(got), tt.name)
	}
}

func TestResultParts(t *testing.T) {
	t.Parallel()
	blob := llm.Blob{MIMEType: "image/png", Data: []byte{1}}
	b := newBench(&fakeTool{name: "t", run: func(context.Context, map[string]any) (tools.Result, error) {
		return tools.Result{Parts: []llm.Part{blob, blob}, Display: "pics"}, nil
	}})
	results, _ := b.Run(t.Context(), ask("t"), nil)
	assert.Equal(t, []llm.ToolResult{{
		ID: "t__0", Name: "t", Response: map[string]any{"output": "Binary content provided (2 item(s))."}, Parts: []llm.Part{blob, blob},
	}}, results)
}

func TestLiveOutput(t *testing.T) {
	t.Parallel()
	b := newBench(&fakeTool{name: "t", stream: func(live func(string)) (tools.Result, error) {
		live("one")
		live("two")
		return tools.TextResult("onetwo", nil), nil
	}})
	texts, _ := b.do(t, t.Context(), ask("t"))
	assert.Equal(t, []string{"output: onetwo"}, texts)
	assert.Equal(t, []event.ToolOutput{{CallID: "t__0", Text: "one"}, {CallID: "t__0", Text: "two"}}, eventsOf[event.ToolOutput](b))
}

func TestTruncation(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 10) + strings.Repeat("b", 100)
	cut := "\n" + strings.Repeat("ä", 4) + "\n\n... [90 characters left out] ...\n\n" + strings.Repeat("b", 16)
	for _, tt := range []struct {
		name        string
		text        string
		truncatable bool
		limit       int
		save        func(llm.ToolCall, string) (string, error)
		want        string
	}{
		{"short", "short", true, 20, nil, "short"},
		{"not truncatable", long, false, 20, nil, long},
		{"never", long, true, -1, nil, long},
		{"default limit", strings.Repeat("x", 40_000), true, 0, nil, strings.Repeat("x", 40_000)},
		{"saved", long, true, 20, func(c llm.ToolCall, text string) (string, error) {
			if c.ID != "t__0" || text != long {
				return "", errors.New("something else was saved")
			}
			return "/tmp/out.txt", nil
		}, "Output too long: these are its first 4 and last 16 characters; the full output is in /tmp/out.txt" + cut},
		{"no place", long, true, 20, nil, "Output too long: these are its first 4 and last 16 characters; the rest was not saved" + cut},
		{"cannot be saved", long, true, 20, func(llm.ToolCall, string) (string, error) { return "", errors.New("disk full") },
			"Output too long: these are its first 4 and last 16 characters; the full output could not be saved: disk full" + cut},
	} {
		b := newBench(&fakeTool{name: "t", run: func(context.Context, map[string]any) (tools.Result, error) {
			return tools.Result{Parts: []llm.Part{llm.Text{Text: tt.text}}, Truncatable: tt.truncatable}, nil
		}})
		b.MaxOutput, b.Save = tt.limit, tt.save
		b.hooks.after = func(_ hooks.ToolUse, r protocol.ToolResponse) hooks.AfterToolOutcome {
			assert.Equal(t, tt.text, r.LLMContent, "hooks read all of it")
			return hooks.AfterToolOutcome{Context: "<ctx>"}
		}
		texts, _ := b.do(t, t.Context(), ask("t"))
		assert.Equal(t, []string{"output: " + tt.want + "\n\n<ctx>"}, texts, tt.name)
	}
	assert.Equal(t, []string{"7", "999", "8,000", "1,234,567"}, []string{thousands(7), thousands(999), thousands(8000), thousands(1234567)})
}
