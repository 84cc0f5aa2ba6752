package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/app"
	"minigem/internal/waittest"
	"minigem/internal/wiring"
	"minigem/llm"
	"minigem/tools"
	"minigem/tools/builtin"
	"minigem/tools/policy"
	"minigem/tools/toolcall"
)

// fakeMCP is a tool of an MCP server.
type fakeMCP struct {
	name             string
	trusted, reading bool
}

func (f fakeMCP) Spec() llm.ToolSpec {
	return llm.ToolSpec{Name: "mcp_srv_" + f.name, Description: "d", Parameters: []byte(`{"type": "object"}`)}
}

func (f fakeMCP) Info() tools.Info {
	return tools.Info{DisplayName: f.name, Kind: tools.KindOther, MCP: &tools.MCPOrigin{Server: "srv", Tool: f.name, Command: "srv-command", Trusted: f.trusted},
		Annotations: map[string]any{"readOnlyHint": f.reading}}
}

func (f fakeMCP) Prepare(map[string]any) (tools.Invocation, error) { return f, nil }
func (f fakeMCP) Intent() tools.Intent                             { return tools.Intent{Description: f.name, MCP: f.Info().MCP} }
func (f fakeMCP) Run(context.Context) (tools.Result, error)        { return tools.TextResult("ran", nil), nil }

// someone is a user at the terminal who agrees to everything.
type someone struct{ asked []toolcall.Question }

func (s *someone) Approve(_ context.Context, q toolcall.Question) toolcall.Answer {
	s.asked = append(s.asked, q)
	return toolcall.Answer{Outcome: policy.ProceedOnce}
}

func (s *someone) AskQuestions(context.Context, []builtin.Question) (map[int]string, bool, error) {
	return nil, true, nil
}

// wired is a session as cmd builds it. Its conversation never calls the model.
type wired struct {
	*wiring.Runtime
	user *someone      // nil in a headless session
	tty  *bytes.Buffer // standard output
}

func (w hookWorld) wire(flags *app.Options, interactive bool) wired {
	w.t.Helper()
	sys, out, _ := w.sys("TERM=xterm-ghostty", "BELL=1")
	sys.StdinTTY, sys.StdoutTTY = interactive, interactive
	c, err := app.Configure(sys, flags)
	require.NoError(w.t, err)
	wi := wiring.Frontend{Interactive: interactive, Warn: func(s string) { w.t.Log(s) },
		Model: finder{&llm.Fake{Answers: slices.Repeat([]llm.FakeAnswer{llm.FakeText("found")}, 50)}}}
	got := wired{tty: out}
	if interactive {
		got.user = &someone{}
		wi.Approver, wi.Asker, wi.Bell = got.user, got.user, out
	}
	got.Runtime, err = wiring.Open(w.t.Context(), sys, flags, c, wi)
	require.NoError(w.t, err)
	w.t.Cleanup(func() { assert.NoError(w.t, got.Close()) })
	got.MCP.Await(w.t.Context())
	return got
}

// finder is the model behind the web tools.
type finder struct{ *llm.Fake }

func (finder) CountTokens(context.Context, llm.Request) (int, error) { return 0, nil }

// do makes one call and returns the text that the model reads.
func (w wired) do(ctx context.Context, name, args string) string {
	call := llm.ToolCall{ID: "c1", Name: name}
	if err := json.Unmarshal([]byte(args), &call.Args); err != nil {
		return err.Error()
	}
	results, _ := w.Agent.Tools.Run(ctx, []llm.ToolCall{call}, nil)
	for _, key := range []string{"output", "error"} {
		if text, ok := results[0].Response[key].(string); ok {
			return key + ": " + text
		}
	}
	return fmt.Sprint(results[0].Response)
}

// outcome describes a call in the words of the table.
func (w wired) outcome(t *testing.T, name, args string) string {
	if w.user != nil {
		w.user.asked = nil
	}
	text := w.do(t.Context(), name, args)
	switch {
	case strings.HasPrefix(text, "error: "+name+" is not available: "), strings.HasPrefix(text, fmt.Sprintf("error: Tool %q not found. Did you mean one of: ", name)):
		return "none"
	case strings.HasPrefix(text, "error: Tool execution denied by policy."):
		return "deny"
	case strings.HasPrefix(text, "error: "):
		return text
	case w.user != nil && len(w.user.asked) > 0:
		return "ask"
	}
	return "run"
}

// TestDecisionTable checks the built-in rules with the built-in tools, the policy and
// calls wired as in a session: which tools are declared to the model, and what happens
// to a call.
func TestDecisionTable(t *testing.T) {
	t.Parallel()
	columns := []struct {
		mode        string
		interactive bool
	}{{"default", true}, {"default", false}, {"auto_edit", true}, {"auto_edit", false}, {"yolo", true}, {"yolo", false}, {"plan", true}, {"plan", false}}
	sessions := make([]wired, len(columns))
	for i, c := range columns {
		w := newHookWorld(t, map[string]string{"a.txt": "one\n"})
		sessions[i] = w.wire(&app.Options{ApprovalMode: c.mode, Model: "gemini-2.5-flash"}, c.interactive)
		sessions[i].Registry.Add(fakeMCP{name: "plain"}, fakeMCP{name: "trusted", trusted: true}, fakeMCP{name: "reads", reading: true})
	}
	for _, row := range []struct{ tool, args, want string }{
		//                                                      default    auto_edit  yolo       plan
		//                                                      tty  pipe  tty  pipe  tty  pipe  tty  pipe
		{"read_file", `{"file_path": "a.txt"}`, "                run  run   run  run   run  run   run  run"},
		{"list_directory", `{"dir_path": "."}`, "                run  run   run  run   run  run   run  run"},
		{"glob", `{"pattern": "*"}`, "                           run  run   run  run   run  run   run  run"},
		{"grep_search", `{"pattern": "one"}`, "                  run  run   run  run   run  run   run  run"},
		{"search_file_content", `{"pattern": "one"}`, "          run  run   run  run   run  run   run  run"},
		{"read_many_files", `{"include": ["*"]}`, "              run  run   run  run   run  run   run  run"},
		{"google_web_search", `{"query": "q"}`, "                run  run   run  run   run  run   run  run"},
		{"write_todos", `{"todos": []}`, "                       run  run   run  run   run  run   run  run"},
		{"list_background_processes", `{}`, "                    run  run   run  run   run  run   run  run"},
		{"write_file", `{"file_path": "b", "content": ""}`, "    ask  none  run  run   run  run   deny deny"},
		{"write_file", `{"file_path": "PLANS/b.md", "content": ""}`, "ask none run run run run run run"},
		{"write_file", `{"file_path": ".vscode/tasks.json", "content": ""}`, "ask none ask deny run run deny deny"},
		{"replace", `{"file_path": "NEW", "instruction": "i", "old_string": "", "new_string": "x"}`, "ask none run run run run deny deny"},
		{"web_fetch", `{"prompt": "https://93.184.216.34/"}`, "  ask  none  run  run   run  run   ask  none"},
		{"run_shell_command", `{"command": "touch x"}`, "        ask  none  ask  none  run  run   none none"},
		{"run_shell_command", `{"command": "pwd"}`, "            run  none  run  none  run  run   none none"},
		{"save_memory", `{"fact": "f"}`, "                       ask  none  ask  none  run  run   none none"},
		{"ask_user", `{"questions": [{"question": "Which?", "header": "H", "type": "text"}]}`, "ask none ask none ask none ask none"},
		{"update_topic", `{"strategic_intent": "find it"}`, "     run  run   run  run   run  run   run  run"},
		{"mcp_srv_plain", `{}`, "                                ask  none  ask  none  run  run   none none"},
		{"mcp_srv_trusted", `{}`, "                              run  run   run  run   run  run   none none"},
		{"mcp_srv_reads", `{}`, "                                ask  none  ask  none  run  run   ask  none"},
		{"no_such_tool", `{}`, "                                 none none  none none  none none  none none"},
		// It changes the mode, so it must be last.
		{"enter_plan_mode", `{}`, "                              ask  run   ask  run   none run   none none"},
	} {
		for i, want := range strings.Fields(row.want) {
			s, c := sessions[i], columns[i]
			name := fmt.Sprintf("%s %s in %s, interactive: %t", row.tool, row.args, c.mode, c.interactive)
			plans := s.Project.Temp + "/" + s.Session.ID() + "/plans"
			args := strings.NewReplacer("PLANS", plans, "NEW", fmt.Sprintf("new%d.txt", i)).Replace(row.args)
			declared := slices.ContainsFunc(s.Agent.Tools.Specs(), func(spec llm.ToolSpec) bool { return spec.Name == row.tool })
			assert.Equal(t, want, s.outcome(t, row.tool, args), name)
			if row.tool != "search_file_content" { // an older name, found but not declared
				assert.Equal(t, want != "none", declared, "declared: "+name)
			}
		}
	}
}

// recordingHook records what hooks read, one line each.
func recordingHook(event, says string) string {
	command, _ := json.Marshal(fmt.Sprintf("(cat; echo) >> \"$HOME/%s\"; echo '%s'", event, says))
	return fmt.Sprintf(`"%s": [{"hooks": [{"type": "command", "name": "h", "command": %s}]}]`, event, command)
}

// TestNotifications checks that the hook is called for each prompt before it is shown,
// with its details (core/hooks/hookEventHandler.ts), and that the terminal bell rings
// if the settings say so.
func TestNotifications(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, map[string]string{
		"~/.gemini/settings.json": `{"general": {"enableNotifications": true}, "hooks": {` + recordingHook("Notification", "{}") + `}}`,
		"a.txt":                   "one\n",
	})
	s := w.wire(&app.Options{Model: "gemini-2.5-flash"}, true)
	s.Registry.Add(fakeMCP{name: "tool"})
	for _, tt := range []struct{ tool, args, message, details string }{
		{"write_file", `{"file_path": "b.txt", "content": "x\n"}`, "Tool Confirm Write: b.txt requires editing",
			`{"type":"edit","title":"Confirm Write: b.txt","fileName":"b.txt","filePath":"DIR/b.txt","fileDiff":"Index: b.txt\n===================================================================\n--- b.txt\tCurrent\n+++ b.txt\tProposed\n@@ -0,0 +1,1 @@\n+x\n","originalContent":null,"newContent":"x\n"}`},
		{"replace", `{"file_path": "a.txt", "instruction": "i", "old_string": "one", "new_string": "two"}`, "Tool Confirm Edit: a.txt requires editing",
			`{"type":"edit","title":"Confirm Edit: a.txt","fileName":"a.txt","filePath":"DIR/a.txt","fileDiff":"Index: a.txt\n===================================================================\n--- a.txt\tCurrent\n+++ a.txt\tProposed\n@@ -1,1 +1,1 @@\n-one\n+two\n","originalContent":"one\n","newContent":"two\n"}`},
		{"run_shell_command", `{"command": "touch c && ls"}`, "Tool Confirm Shell Command requires execution",
			`{"type":"exec","title":"Confirm Shell Command","command":"touch c && ls","rootCommand":"touch"}`},
		{"mcp_srv_tool", `{}`, "Tool Confirm MCP Tool Execution requires MCP",
			`{"type":"mcp","title":"Confirm MCP Tool Execution","serverName":"srv","toolName":"tool","toolDisplayName":"tool"}`},
		{"web_fetch", `{"prompt": "sum https://93.184.216.34/"}`, "Tool Confirm Web Fetch requires information",
			`{"type":"info","title":"Confirm Web Fetch","prompt":"sum https://93.184.216.34/","urls":["https://93.184.216.34/"]}`},
	} {
		s.tty.Reset()
		s.user.asked = nil
		assert.Equal(t, "ask", s.outcome(t, tt.tool, tt.args))
		lines := strings.Split(strings.TrimSpace(w.read("~/Notification")), "\n")
		var got struct {
			Type    string          `json:"notification_type"`
			Message string          `json:"message"`
			Details json.RawMessage `json:"details"`
		}
		require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &got))
		assert.Equal(t, "ToolPermission", got.Type)
		assert.Equal(t, tt.message, got.Message)
		assert.JSONEq(t, strings.ReplaceAll(tt.details, "DIR", w.project), string(got.Details))
		assert.Equal(t, "\x1b]777;notify;minigem;"+tt.message+"\a", s.tty.String())
	}
	s.do(t.Context(), "read_file", `{"file_path": "a.txt"}`)
	assert.Len(t, strings.Fields(strings.ReplaceAll(w.read("~/Notification"), " ", "")), 5, "only prompts are told of")
}

// TestBell checks that the bell rings only if the settings say so, and that a prompt
// that was answered does not ring later.
func TestBell(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ settings, want string }{
		{`{}`, ""},
		{`{"general": {"enableNotifications": false, "notificationMethod": "bell"}}`, ""},
		{`{"general": {"enableNotifications": true, "notificationMethod": "bell"}}`, "\a"},
		{`{"general": {"enableNotifications": true, "notificationMethod": "osc9"}}`, "\x1b]9;minigem | Tool Confirm Shell Command requires execution\a"},
	} {
		w := newHookWorld(t, map[string]string{"~/.gemini/settings.json": tt.settings})
		s := w.wire(&app.Options{Model: "gemini-2.5-flash"}, true)
		require.Equal(t, "ask", s.outcome(t, "run_shell_command", `{"command": "touch x"}`))
		assert.Equal(t, tt.want, s.tty.String(), tt.settings)
		s.tty.Reset()
		s.Alerts.Focus(t.Context(), true)
		require.Equal(t, "ask", s.outcome(t, "run_shell_command", `{"command": "touch y"}`))
		s.Alerts.Focus(t.Context(), false)
		assert.Empty(t, s.tty.String(), "it was answered while the user looked")
	}
	headless := newHookWorld(t, nil).wire(&app.Options{Model: "gemini-2.5-flash"}, false)
	assert.Nil(t, headless.Alerts)
}

// TestHooksInThePipeline checks BeforeTool decisions of a real hook together with
// policy decisions.
func TestHooksInThePipeline(t *testing.T) {
	t.Parallel()
	const shell = `{"command": "touch made"}`
	for _, tt := range []struct {
		name, says, mode string
		interactive      bool
		policy           string
		want             string // beginning of the text that the model reads
		asked            int
		made             string // the file that was created
	}{
		{"allow is no permission", `{"decision": "allow"}`, "default", true, "", "output: ", 1, "made"},
		{"deny", `{"decision": "deny", "reason": "no"}`, "yolo", true, "", "error: Tool execution blocked: no", 0, ""},
		{"ask where all is allowed", `{"decision": "ask", "reason": "sure?", "systemMessage": "look"}`, "yolo", true, "", "output: ", 1, "made"},
		{"ask without a user", `{"decision": "ask", "reason": "sure?"}`, "yolo", false, "", "error: Tool execution blocked: sure? (nobody can be asked in this session)", 0, ""},
		{"ask over a policy's deny", `{"decision": "ask"}`, "yolo", true, "touch", "error: Tool execution denied by policy. not here", 0, ""},
		{"allow over a policy's deny", `{"decision": "allow"}`, "yolo", false, "touch", "error: Tool execution denied by policy. not here", 0, ""},
		{"rewritten", `{"hookSpecificOutput": {"tool_input": {"command": "touch other"}}}`, "yolo", false, "", "output: ", 0, "other"},
		{"rewritten into what the policy denies", `{"hookSpecificOutput": {"tool_input": {"command": "rm -f x"}}}`, "yolo", false, "rm", "error: Tool execution denied by policy. not here", 0, ""},
		{"rewritten away from what the policy denies", `{"hookSpecificOutput": {"tool_input": {"command": "mkdir made"}}}`, "yolo", false, "touch", "output: ", 0, "made"},
		{"rewritten and asked about", `{"decision": "ask", "hookSpecificOutput": {"tool_input": {"command": "touch other"}}}`, "yolo", true, "", "output: ", 1, "other"},
		{"rewritten into nothing valid", `{"hookSpecificOutput": {"tool_input": {"command": 7}}}`, "yolo", true, "", "error: Tool parameter modification by hook failed validation: params/command must be string", 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"~/.gemini/settings.json": `{"hooks": {` + recordingHook("BeforeTool", tt.says) + `}}`}
			if tt.policy != "" {
				files["~/.gemini/policies/p.toml"] = fmt.Sprintf(
					"[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = %q\ndecision = \"deny\"\npriority = 500\ndenyMessage = \"not here\"\n", tt.policy)
			}
			w := newHookWorld(t, files)
			s := w.wire(&app.Options{ApprovalMode: tt.mode, Model: "gemini-2.5-flash"}, tt.interactive)
			got := s.do(t.Context(), "run_shell_command", shell)
			assert.True(t, strings.HasPrefix(got, tt.want), got)
			if s.user != nil {
				require.Len(t, s.user.asked, tt.asked)
			}
			if tt.asked > 0 && strings.Contains(tt.says, "look") {
				q := s.user.asked[0]
				assert.Equal(t, []any{true, "sure?", "look"}, []any{q.Forced, q.HookReason, q.HookMessage})
			}
			for _, name := range []string{"made", "other"} {
				_, err := os.Stat(w.path(name))
				assert.Equal(t, tt.made == name, err == nil, name)
			}
		})
	}
}

// TestSubdirectoryContext checks that context files of subdirectories come once, with
// the first result of a tool that touches them.
func TestSubdirectoryContext(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, map[string]string{
		"GEMINI.md": "top", ".git/HEAD": "", "sub/GEMINI.md": "below", "sub/deep/a.txt": "one\n", "sub/deep/GEMINI.md": "deeper", "other/GEMINI.md": "aside", "other/a.txt": "",
	})
	s := w.wire(&app.Options{ApprovalMode: "yolo", Model: "gemini-2.5-flash"}, false)
	const block = "\n\n<project_context>\n--- Context from: sub/GEMINI.md ---\nbelow\n--- End of Context from: sub/GEMINI.md ---\n\n" +
		"--- Context from: sub/deep/GEMINI.md ---\ndeeper\n--- End of Context from: sub/deep/GEMINI.md ---\n</project_context>"
	assert.Equal(t, "output: one\n"+block, s.do(t.Context(), "read_file", `{"file_path": "sub/deep/a.txt"}`))
	assert.Equal(t, "output: one\n", s.do(t.Context(), "read_file", `{"file_path": "sub/deep/a.txt"}`), "once")
	assert.NotContains(t, s.do(t.Context(), "list_directory", `{"dir_path": "sub"}`), "Context from", "nor by another tool")
	assert.NotContains(t, s.do(t.Context(), "glob", `{"pattern": "other/**"}`), "Context from", "names alone are no reason")
	assert.Equal(t, "output: aside", s.do(t.Context(), "read_file", `{"file_path": "other/GEMINI.md"}`), "it does not come with itself")
	assert.NotContains(t, s.do(t.Context(), "write_file", `{"file_path": "b.txt", "content": ""}`), "Context from", "what the session began with is known")

	w = newHookWorld(t, map[string]string{"sub/GEMINI.md": "below", "sub/a.txt": "one\n"})
	s = w.wire(&app.Options{ApprovalMode: "yolo", Model: "gemini-2.5-flash"}, false)
	assert.Contains(t, s.do(t.Context(), "write_file", `{"file_path": "sub/b.txt", "content": "x"}`), "below")
}

// TestNoQuestionForAFailingCall checks that an edit that cannot be applied fails without a
// question, and that one that can be applied is asked about.
func TestNoQuestionForAFailingCall(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, map[string]string{"a.txt": "one\n", "folder/a.txt": ""})
	s := w.wire(&app.Options{SkipTrust: true}, true)
	assert.Equal(t, "ask", s.outcome(t, "replace", `{"file_path": "a.txt", "old_string": "one", "new_string": "two", "instruction": "i"}`))
	for name, args := range map[string]string{
		"replace":    `{"file_path": "a.txt", "old_string": "nope", "new_string": "two", "instruction": "i"}`,
		"write_file": `{"file_path": "folder", "content": "x"}`,
	} {
		assert.Contains(t, s.outcome(t, name, args), "error: ", name)
		assert.Empty(t, s.user.asked, name)
	}
}

// TestSessionEndsWhatItStarted checks that closing a session ends the processes that
// its commands left running.
func TestSessionEndsWhatItStarted(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, nil)
	s := w.wire(&app.Options{ApprovalMode: "yolo", Model: "gemini-2.5-flash"}, false)
	s.do(t.Context(), "run_shell_command", `{"command": "trap 'touch ended; exit' TERM; touch began; while :; do sleep 0.02; done", "is_background": true}`)
	waittest.Until(t, func() bool { _, err := os.Stat(w.path("began")); return err == nil })
	s.Close()
	require.FileExists(t, w.path("ended"))
}
