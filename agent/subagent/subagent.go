// Package subagent offers agents as a tool: the model calls invoke_agent with a
// name and a prompt, another agent works on that prompt with tools of its own,
// and what it hands to complete_task is the result. It decides how such an agent
// begins, what it may call and how it ends. Where definitions come from, where
// transcripts go and what is shown of it is the caller's.
package subagent

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/google/uuid"

	"minigem/agent"
	"minigem/agent/event"
	"minigem/hooks"
	"minigem/llm"
	"minigem/tools"
	"minigem/tools/toolcall"
)

// The names of the tools (core/tools/tool-names.ts). Older versions of Gemini CLI
// had delegate_to_agent for the first one.
const (
	ToolName     = "invoke_agent"
	OlderName    = "delegate_to_agent"
	CompleteName = "complete_task"
)

// Limits of an agent that sets none (core/agents/types.ts), and how long it has
// for its last answer when it reached one.
const (
	DefaultTurns   = 30
	DefaultTimeout = 10 * time.Minute
	graceTime      = time.Minute
)

// Definition is an agent that may be called.
type Definition struct {
	Name         string
	Description  string // what it is for: the caller's model chooses by it
	Instructions string // "${query}" in it is the prompt
	// Tools are names of the caller's tools, "*" for all of them, "mcp_*" for all
	// of MCP servers, "mcp_SERVER_*" for those of one. nil: all.
	Tools       []string
	Model       string        // empty: the caller's
	Temperature *float64      // nil: the caller's
	MaxTurns    int           // requests to the model; 0: DefaultTurns
	Timeout     time.Duration // 0: DefaultTimeout; the time in which the user is asked does not count
	Result      *Result       // what it hands back; nil: a text
	File        string        // where it is defined, for hooks in it; may be empty
}

// Result is what complete_task takes, where that is not a text.
type Result struct {
	Name   string          // of the one argument
	Schema json.RawMessage // of its value
	// Text is what the caller gets of the value, which the schema allows; nil: its
	// JSON.
	Text func(value any) string `json:"-"`
}

// Hooks fires what happens inside of an agent; [*hooks.Engine] implements it. The
// contexts are those of [hooks.InSubagent].
type Hooks interface {
	SubagentStart(ctx context.Context, prompt string) hooks.SubagentStartOutcome
	SubagentStop(ctx context.Context, end hooks.SubagentEnd) hooks.SubagentStopOutcome
	BeforeModel(ctx context.Context, req *hooks.ModelRequest) hooks.BeforeModelOutcome
	BeforeToolSelection(ctx context.Context, req *hooks.ModelRequest) hooks.BeforeToolSelectionOutcome
	AfterModel(ctx context.Context, req *hooks.ModelRequest, c llm.Chunk) hooks.AfterModelOutcome
}

// Task is one run of an agent.
type Task struct {
	ID     string // unique
	Agent  Definition
	Prompt string
}

// Record keeps what an agent says and does.
type Record struct {
	History agent.History
	Sink    event.Sink           // gets the agent's events; may be nil
	Path    string               // the file of it; empty: there is none
	Close   func(summary string) // the run is over; summary is empty where it came to no result; may be nil
}

// Options says what agents have in common with their caller. List, Model and
// Runner are required.
type Options struct {
	List   func() []Definition // those that may be called now
	Model  llm.Model
	Runner func() *toolcall.Runner // the caller's; each agent gets a copy of it with tools of its own
	Config agent.Config            // the caller's; System gives what follows on an agent's own instructions
	Hooks  Hooks                   // nil: none
	// Offered says which tools an agent is offered though its caller is not; nil: none.
	Offered func(agent string, t tools.Tool) bool
	Sink    event.Sink // gets [event.Nested] events; may be nil

	// Tools are tools that an agent has beside those of its caller, and what ends
	// them with it; nil: none.
	Tools  func(context.Context, Task) (own []tools.Tool, end func())
	Record func(Task) Record // nil: agents are kept in memory
	// for a history and a model; nil: histories are never shortened
	Compressor func(agent.History, string) agent.Compressor
	Choose     func(Definition) (string, llm.Sampling) // the model of an agent; nil: its own, else that of Config
	NewID      func() string                           // nil: random
}

// New makes the tool invoke_agent. It runs alone: two agents of one answer follow
// one another, so that questions to the user, and answers of a scripted model, come
// in their order.
func New(o Options) tools.Tool { return &invoke{o} }

type invoke struct{ o Options }

const description = `Hands a whole task to a specialized agent and returns its report. The agent knows nothing of ` +
	`this conversation: put into the prompt all that it needs to know, and what its report is to say.`

// Spec implements tools.Tool.
func (t *invoke) Spec() llm.ToolSpec {
	return llm.ToolSpec{Name: ToolName, Description: description, Parameters: t.parameters()}
}

// Info implements tools.Tool.
func (t *invoke) Info() tools.Info {
	return tools.Info{DisplayName: "Invoke Subagent", Kind: tools.KindAgent, Sequential: true,
		Aliases: []string{OlderName}, Markdown: true}
}

func (t *invoke) parameters() json.RawMessage {
	names, about := []string{}, "The agent's name."
	for _, d := range t.o.List() {
		names = append(names, d.Name)
		about += "\n- " + d.Name + ": " + strings.Join(strings.Fields(d.Description), " ")
	}
	b, err := json.Marshal(map[string]any{
		"type": "object", "required": []string{"agent_name", "prompt"},
		"properties": map[string]any{
			"agent_name": map[string]any{"type": "string", "enum": names, "description": about},
			"prompt":     map[string]any{"type": "string", "description": "The whole task."},
		},
	})
	if err != nil {
		panic(err) // unreachable: strings can be encoded
	}
	return b
}

// arguments are those of the tool. An unknown agent has an error of its own.
var arguments = tools.MustSchema(`{"type": "object", "required": ["agent_name", "prompt"],
	"properties": {"agent_name": {"type": "string"}, "prompt": {"type": "string", "minLength": 1}}}`)

// Prepare implements tools.Tool.
func (t *invoke) Prepare(args map[string]any) (tools.Invocation, error) {
	var in struct {
		Name   string `json:"agent_name"`
		Prompt string `json:"prompt"`
	}
	if err := arguments.Decode(args, &in); err != nil {
		return nil, err
	}
	for _, d := range t.o.List() {
		if d.Name == in.Name {
			return &call{&t.o, d, in.Prompt}, nil
		}
	}
	return nil, tools.Errorf(tools.ErrInvalidParams, "Subagent '%s' not found.", in.Name)
}

// call is one call of the tool.
type call struct {
	o      *Options
	agent  Definition
	prompt string
}

// Intent implements tools.Invocation.
func (c *call) Intent() tools.Intent {
	return tools.Intent{
		Description: c.agent.Name + ": " + strings.Join(strings.Fields(c.prompt), " "),
		Title:       "Invoke Subagent: " + c.agent.Name,
		Info:        &tools.InfoIntent{Prompt: "The agent " + c.agent.Name + " gets this task:\n\n" + c.prompt},
	}
}

// Run implements tools.Invocation.
func (c *call) Run(ctx context.Context) (tools.Result, error) {
	return c.RunStream(ctx, func(string) {})
}

// RunStream implements tools.Streamer: a line for each call that the agent makes.
func (c *call) RunStream(ctx context.Context, live func(string)) (tools.Result, error) {
	newID := c.o.NewID
	if newID == nil {
		newID = uuid.NewString
	}
	task := Task{newID(), c.agent, c.prompt}
	ctx = hooks.InSubagent(ctx, hooks.Subagent{ID: task.ID, Type: task.Agent.Name, File: task.Agent.File})
	added, err := c.o.start(ctx, task)
	if err != nil {
		return tools.Result{}, err
	}
	var own []tools.Tool
	if c.o.Tools != nil {
		var end func()
		own, end = c.o.Tools(ctx, task)
		defer end()
	}
	return begin(c.o, task, own, added, live).run(ctx)
}
