package subagent

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"minigem/hooks"
	"minigem/llm"
	"minigem/tools"
	"minigem/tools/policy"
	"minigem/tools/toolcall"
)

// worker runs the calls of an agent. It implements agent.ToolRunner, and ends the
// agent's work when complete_task was called and no hook took that back.
type worker struct {
	*toolcall.Runner
	complete *complete
	done     bool
}

// newWorker copies the caller's runner for an agent of d. own tools replace the caller's
// tools of the same names. more, if not nil, reports which tools the agent is offered
// although its caller is not.
func newWorker(parent *toolcall.Runner, d Definition, own []tools.Tool,
	more func(agent string, t tools.Tool) bool) *worker {
	r := *parent
	w := &worker{Runner: &r, complete: &complete{of: d.Result}}
	names := map[string]bool{}
	for _, t := range own {
		names[t.Spec().Name] = true
	}
	all := slices.DeleteFunc(parent.Registry.All(), func(t tools.Tool) bool {
		return never(t.Spec().Name) || names[t.Spec().Name]
	})
	r.Registry = tools.NewRegistry(slices.Concat(all, own, []tools.Tool{w.complete})...)
	r.Offered = func(t tools.Tool) bool {
		return t == tools.Tool(w.complete) || (names[t.Spec().Name] || d.has(t)) &&
			(parent.Offered == nil || parent.Offered(t) || more != nil && more(d.Name, t))
	}
	r.NotOffered = func(t tools.Tool) string {
		return "Unauthorized tool call: '" + t.Spec().Name + "' is not available to this agent."
	}
	r.Policy, r.Subagent = completing{parent.Policy}, d.Name
	return w
}

// never reports whether no agent has a tool: agents start no agents, and topics
// belong to the conversation with the user (core/agents/local-executor.ts).
func never(name string) bool {
	return name == ToolName || name == "update_topic" || name == CompleteName
}

// has reports whether d may use t.
func (d Definition) has(t tools.Tool) bool {
	if d.Tools == nil {
		return true
	}
	info := t.Info()
	names := append([]string{t.Spec().Name}, info.Aliases...)
	return slices.ContainsFunc(d.Tools, func(want string) bool {
		switch {
		case want == "*":
			return true
		case want == "mcp_*":
			return info.MCP != nil
		case strings.HasPrefix(want, "mcp_") && strings.HasSuffix(want, "_*"):
			return info.MCP != nil && want == "mcp_"+tools.MCPName(info.MCP.Server)+"_*"
		}
		return slices.Contains(names, want)
	})
}

// Run implements agent.ToolRunner.
func (w *worker) Run(ctx context.Context, calls []llm.ToolCall,
	offers func(string) bool) ([]llm.ToolResult, hooks.Verdict) {
	results, v := w.Runner.Run(ctx, calls, offers)
	if v.Decision == hooks.Stop {
		return results, v
	}
	for i, c := range calls {
		if _, failed := results[i].Response["error"]; c.Name == CompleteName && !failed {
			w.done = true
			return results, hooks.Verdict{Decision: hooks.Stop, Reason: "the task is complete"}
		}
	}
	return results, hooks.Verdict{} // if the user declined, the agent reads that
}

// completing allows complete_task, which does nothing, whatever the rules say.
type completing struct{ toolcall.Policy }

// Check implements toolcall.Policy. Without a policy the user is asked about all else.
func (p completing) Check(c policy.Call) policy.Verdict {
	switch {
	case c.Tool == CompleteName:
		return policy.Verdict{Decision: policy.Allow, Rule: "an agent may say that it is done"}
	case p.Policy == nil:
		return policy.Verdict{Decision: policy.Ask, Rule: "there is no policy"}
	}
	return p.Policy.Check(c)
}

// Lasting implements toolcall.Policy. Without a policy no answer lasts.
func (p completing) Lasting(c policy.Call) []policy.Outcome {
	if p.Policy == nil {
		return nil
	}
	return p.Policy.Lasting(c)
}

// Remember implements toolcall.Policy. The rule is also the caller's.
func (p completing) Remember(c policy.Call, outcome policy.Outcome) {
	if p.Policy != nil {
		p.Policy.Remember(c, outcome)
	}
}

// complete is the tool complete_task of one run.
type complete struct {
	of    *Result
	value string // the result that was handed over
}

// completeDescription is what the agent's model reads about complete_task.
const completeDescription = `Hands your result to whoever gave you the task, and ends your work. Call it once, ` +
	`alone, when everything is done: nothing else that you say reaches them.`

// Spec implements tools.Tool.
func (t *complete) Spec() llm.ToolSpec {
	return llm.ToolSpec{Name: CompleteName, Description: completeDescription, Parameters: t.parameters()}
}

// parameters returns the schema of the only argument: a text, or the definition's own
// schema.
func (t *complete) parameters() json.RawMessage {
	if t.of == nil {
		return json.RawMessage(
			`{"type": "object", "properties": {"result": {"type": "string", "minLength": 1, "pattern": "\\S", ` +
				`"description": "Your result, whole: findings, paths, what was done and what was not."}}, "required": ["result"]}`)
	}
	b, err := json.Marshal(map[string]any{
		"type": "object", "properties": map[string]any{t.of.Name: t.of.Schema}, "required": []string{t.of.Name},
	})
	if err != nil {
		panic("subagent: the schema of a Result is not JSON: " + err.Error())
	}
	return b
}

// Info implements tools.Tool.
func (t *complete) Info() tools.Info {
	return tools.Info{DisplayName: "Complete Task", Kind: tools.KindOther, Sequential: true}
}

// Prepare implements tools.Tool. It makes the text of the result, so that arguments
// which the schema does not allow are answered as for any tool.
func (t *complete) Prepare(args map[string]any) (tools.Invocation, error) {
	schema, err := tools.ParseSchema(t.parameters())
	if err != nil {
		return nil, err
	}
	if err := schema.Check(args); err != nil {
		return nil, err
	}
	if t.of == nil {
		text, _ := args["result"].(string)
		return &completion{t, text}, nil
	}
	if t.of.Text != nil {
		return &completion{t, t.of.Text(args[t.of.Name])}, nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(args[t.of.Name]); err != nil {
		return nil, tools.Errorf(tools.ErrInvalidParams, "%s: %w", t.of.Name, err)
	}
	return &completion{t, strings.TrimSpace(b.String())}, nil
}

// completion is one call of complete_task.
type completion struct {
	tool  *complete
	value string
}

// Intent implements tools.Invocation.
func (c *completion) Intent() tools.Intent { return tools.Intent{Description: "the task is complete"} }

// Run implements tools.Invocation. The last result that was handed over counts.
func (c *completion) Run(ctx context.Context) (tools.Result, error) {
	c.tool.value = c.value
	return tools.TextResult("The result was handed over.", c.value), nil
}
