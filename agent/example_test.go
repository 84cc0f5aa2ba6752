package agent_test

import (
	"context"
	"fmt"

	"minigem/agent"
	"minigem/agent/event"
	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/llm"
	"minigem/tools"
	"minigem/tools/policy"
	"minigem/tools/toolcall"
)

// An agent needs a model. Everything else is optional.
func Example() {
	a := agent.Agent{Model: &llm.Fake{Answers: []llm.FakeAnswer{llm.FakeText("Four.")}}}
	res := a.Run(context.Background(), agent.Prompt{Text: "What is two and two?"})
	fmt.Println(res.Ending, res.Response)
	// Output: answered Four.
}

// The model is offered the tools of the runner, and may call only these.
func ExampleAgent_tools() {
	add, err := tools.Func("add", "Adds two numbers.", tools.KindRead, func(_ context.Context, in struct{ A, B int }) (string, error) {
		return fmt.Sprint(in.A + in.B), nil
	})
	if err != nil {
		panic(err)
	}
	rules, err := policy.New(policy.Options{Rules: []policy.Rule{{Tools: []string{"add"}, Decision: policy.Allow}}})
	if err != nil {
		panic(err)
	}
	model := &llm.Fake{Answers: []llm.FakeAnswer{
		llm.FakeCalls(llm.ToolCall{Name: "add", Args: map[string]any{"A": 2, "B": 2}}),
		llm.FakeText("Four."),
	}}
	a := agent.Agent{Model: model, Tools: &toolcall.Runner{Registry: tools.NewRegistry(add), Policy: rules}}
	a.Run(context.Background(), agent.Prompt{Text: "What is two and two?"})
	for _, m := range a.History.Messages() {
		for _, p := range m.Parts {
			if r, ok := p.(llm.ToolResult); ok {
				fmt.Println(r.Name, r.Response["output"])
			}
		}
	}
	// Output: add 4
}

// An AfterAgent hook sends an answer back; its reason is the next prompt.
func ExampleAgent_hooks() {
	engine := &hooks.Engine{
		Config: hooks.Config{Hooks: []hooks.Hook{{Event: protocol.AfterAgent, Name: "in digits"}}},
		Runner: hooks.Functions{ByName: map[string]hooks.Function{
			"in digits": hooks.Func(func(in protocol.AfterAgentInput) protocol.Output {
				if in.PromptResponse == "4" {
					return protocol.Output{}
				}
				return protocol.DenyBecause("Say it in digits.")
			}),
		}},
	}
	model := &llm.Fake{Answers: []llm.FakeAnswer{llm.FakeText("Four."), llm.FakeText("4")}}
	a := agent.Agent{Model: model, Hooks: engine, Sink: event.SinkFunc(func(e event.Event) {
		if p, ok := e.(event.PromptStarted); ok {
			fmt.Println("prompt:", p.Text)
		}
	})}
	fmt.Println("answer:", a.Run(context.Background(), agent.Prompt{Text: "What is two and two?"}).Response)
	// Output:
	// prompt: What is two and two?
	// prompt: Say it in digits.
	// answer: 4
}
