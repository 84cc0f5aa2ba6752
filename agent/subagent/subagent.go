// Package subagent offers agents as a tool: the model calls invoke_agent with a name
// and a prompt, another agent works on that prompt with its own tools, and what it
// hands to complete_task is the result. It decides how such an agent begins, what it
// may call and how it ends. The caller decides where definitions come from, where
// transcripts go and what users see of an agent.
//
//	tool := subagent.New(subagent.Options{
//		List:   func() []subagent.Definition { return definitions },
//		Model:  model,
//		Runner: func() *toolcall.Runner { return runner },
//		Config: agent.Config{Model: "gemini-2.5-pro"},
//	})
//
// An agent's prompt fires SubagentStart and SubagentStop instead of BeforeAgent,
// AfterAgent and StopFailure; its requests and tools fire the events that they always do.
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

// The names of the tools (core/tools/tool-names.ts).
const (
	// ToolName is the tool that [New] makes.
	ToolName = "invoke_agent"
	// OlderName is its name in older versions of Gemini CLI; a call of it works.
	OlderName = "delegate_to_agent"
	// CompleteName is the tool by which an agent hands over its result.
	CompleteName = "complete_task"
)

// Limits of an agent that sets none (core/agents/types.ts), and how long it has for its
// last answer when it reached one.
const (
	// DefaultTurns is the limit of requests to the model.
	DefaultTurns = 30
	// DefaultTimeout is the limit of time, without the time in which the user is asked.
	DefaultTimeout = 10 * time.Minute
	graceTime      = time.Minute
)

// Definition is an agent that may be called.
type Definition struct {
	// Name is what the model calls it by, unique in [Options.List].
	Name string
	// Description says what it is for: the caller's model chooses by it.
	Description string
	// Instructions begin its system instruction. "${query}" in them is replaced by the
	// prompt.
	Instructions string
	// Tools are names of the caller's tools, "*" for all of them, "mcp_*" for the tools
	// of all MCP servers, "mcp_SERVER_*" for the tools of one. nil means all. No agent
	// gets invoke_agent or update_topic. Names are compared with the tools' names and
	// older names.
	Tools []string
	// Model is empty for the caller's.
	Model string
	// Temperature is nil for the caller's.
	Temperature *float64
	// MaxTurns is how many requests it may make; 0 means [DefaultTurns].
	MaxTurns int
	// Timeout is how long it may work; 0 means [DefaultTimeout]. The time in which the
	// user is asked does not count.
	Timeout time.Duration
	// Result is what it hands back; nil means a text.
	Result *Result
	// File is where it is defined, for the hooks in it; may be empty.
	File string
}

// Result is what complete_task takes if that is not a text.
type Result struct {
	// Name is the name of its only argument.
	Name string
	// Schema is the JSON Schema of the argument's value.
	Schema json.RawMessage
	// Text returns what the caller reads of a value that the schema allows; nil means its
	// JSON, indented.
	Text func(value any) string `json:"-"`
}

// Hooks fires what happens inside an agent; [*hooks.Engine] implements it. The contexts
// come from [hooks.Subagent.In], so that hooks read whose event it is.
type Hooks interface {
	// SubagentStart fires before the agent's first request. Deny makes the call fail.
	SubagentStart(ctx context.Context, prompt string) hooks.Outcome
	// SubagentStop fires for each ending but those by a hook and by the caller's context.
	// If the agent handed over a result, or none, Deny makes its reason the agent's next
	// prompt, up to Config.MaxRetries times; otherwise the reason is for the caller's
	// model.
	SubagentStop(ctx context.Context, end hooks.SubagentEnd) hooks.Outcome
	// BeforeModel and the following are as in [agent.Hooks].
	BeforeModel(ctx context.Context, req *hooks.ModelRequest) hooks.BeforeModelOutcome
	// BeforeToolSelection may narrow or force the agent's tools for one request.
	BeforeToolSelection(ctx context.Context, req *hooks.ModelRequest) *hooks.ModelRequest
	// AfterModel may replace a chunk of the answer, or end the agent's run.
	AfterModel(ctx context.Context, req *hooks.ModelRequest, c llm.Chunk) hooks.AfterModelOutcome
}

// Task is one run of an agent.
type Task struct {
	// ID is unique. It is what hooks read as agent_id and what files of the record are
	// named by.
	ID string
	// Agent is the definition that the caller's model chose.
	Agent Definition
	// Prompt is what the caller's model wrote.
	Prompt string
}

// Record keeps what an agent says and does.
type Record struct {
	// History is empty at first; required.
	History agent.History
	// Sink gets the agent's own events, not wrapped in [event.Nested]; may be nil.
	Sink event.Sink
	// Path is the file of the record, for hooks; empty if there is none.
	Path string
	// Close is called when the run is over. summary is empty if the run had no result.
	// May be nil.
	Close func(summary string)
}

// Options says what agents have in common with their caller. List, Model and Runner are
// required.
type Options struct {
	// List returns the definitions that may be called now. It is called for each request
	// and each call.
	List func() []Definition
	// Model answers the requests of agents.
	Model llm.Model
	// Runner returns the caller's runner. Each agent gets a copy of it with its own
	// tools, so hooks, policy and approver are the caller's. It is called once for each
	// task.
	Runner func() *toolcall.Runner
	// Config is the caller's. Its System gives what follows an agent's own instructions;
	// Preamble, MaxSessionTurns and Prepare do not count.
	Config agent.Config
	// Hooks is nil if no hook runs.
	Hooks Hooks
	// Offered reports which tools an agent is offered although its caller is not; nil
	// means none.
	Offered func(agent string, t tools.Tool) bool
	// Sink gets [event.AgentStarted], [event.AgentFinished], notices, and everything else
	// as [event.Nested]; may be nil.
	Sink event.Sink

	// Tools returns tools that an agent has in addition to those of its caller, and a
	// function that releases them when the run is over. nil means none. Both are called
	// in the goroutine of the call.
	Tools func(context.Context, Task) (own []tools.Tool, end func())
	// Record returns where a task is recorded; nil keeps agents in memory. It is called
	// when the agent begins, after SubagentStart hooks allowed it.
	Record func(Task) Record
	// Compressor returns one for a history and a model; nil means that histories are
	// never shortened.
	Compressor func(agent.History, string) agent.Compressor
	// Choose returns the model of an agent; nil means [Definition.Model], else Config's
	// model.
	Choose func(Definition) (string, llm.Sampling)
	// NewID returns the ID of a task; nil means random UUIDs.
	NewID func() string
}

// New makes the tool invoke_agent. Its calls never run in parallel: two agents of one
// answer follow one another, so that questions to the user, and answers of a scripted
// model, come in their order. A hook that stops the run inside an agent stops the
// caller's run too, see [toolcall.Halt]. It panics at its first use if a required option
// is nil.
func New(o Options) tools.Tool {
	return invoke{tools.New(ToolName, description, arguments, tools.Info{DisplayName: "Invoke Subagent",
		Kind: tools.KindAgent, Sequential: true, Aliases: []string{OlderName}, Markdown: true}, call{o: &o}), &o}
}

// invoke is the tool. Its declaration names the agents that there are at that moment.
type invoke struct {
	tools.Tool
	o *Options
}

// description is what the caller's model reads about invoke_agent. The agents
// themselves are described at the argument.
const description = `Hands a whole task to a specialized agent and returns its report. The agent knows nothing of ` +
	`this conversation: put into the prompt all that it needs to know, and what its report is to say.`

// Spec implements tools.Tool.
func (t invoke) Spec() llm.ToolSpec {
	spec := t.Tool.Spec()
	spec.Parameters = t.parameters()
	return spec
}

// parameters returns a schema that names the agents that there are now.
func (t invoke) parameters() json.RawMessage {
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

// arguments is the schema that calls are checked with. The error for an unknown agent is
// made separately.
var arguments = tools.MustSchema(`{"type": "object", "required": ["agent_name", "prompt"],
	"properties": {"agent_name": {"type": "string"}, "prompt": {"type": "string", "minLength": 1}}}`)

// call is one call of the tool.
type call struct {
	o     *Options
	agent Definition

	Name   string `json:"agent_name"`
	Prompt string `json:"prompt"`
}

// Complete implements tools.Completer. It refuses a name that [Options.List] does not
// have now.
func (c *call) Complete(map[string]any) error {
	for _, d := range c.o.List() {
		if d.Name == c.Name {
			c.agent = d
			return nil
		}
	}
	return tools.Errorf(tools.ErrInvalidParams, "Subagent '%s' not found.", c.Name)
}

// Intent implements tools.Invocation. The user reads the whole prompt.
func (c *call) Intent() tools.Intent {
	return tools.Intent{
		Description: c.agent.Name + ": " + strings.Join(strings.Fields(c.Prompt), " "),
		Title:       "Invoke Subagent: " + c.agent.Name,
		Info:        &tools.InfoIntent{Prompt: "The agent " + c.agent.Name + " gets this task:\n\n" + c.Prompt},
	}
}

// Run implements tools.Invocation. It returns when the agent has ended, which may take
// as long as its Timeout and the questions to the user together.
func (c *call) Run(ctx context.Context) (tools.Result, error) {
	return c.RunStream(ctx, func(string) {})
}

// RunStream implements [tools.Streamer]: it writes a line for each call that the agent
// makes.
func (c *call) RunStream(ctx context.Context, live func(string)) (tools.Result, error) {
	newID := c.o.NewID
	if newID == nil {
		newID = uuid.NewString
	}
	task := Task{newID(), c.agent, c.Prompt}
	ctx = hooks.Subagent{ID: task.ID, Type: task.Agent.Name, File: task.Agent.File}.In(ctx)
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
