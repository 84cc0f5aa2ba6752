package hooks_test

import (
	"context"
	"fmt"

	"minigem/hooks"
	hookconfig "minigem/hooks/config"
	"minigem/hooks/protocol"
	"minigem/llm"
)

func guard(in protocol.BeforeToolInput) protocol.Output {
	if in.ToolInput["file_path"] == ".env" {
		return protocol.DenyBecause("secrets stay as they are")
	}
	return protocol.Output{}
}

// The zero Engine lets everything pass.
func ExampleEngine() {
	var e hooks.Engine
	out := e.BeforeTool(context.Background(), hooks.ToolUse{Call: llm.ToolCall{Name: "write_file"}})
	fmt.Println(out.Decision)
	// Output: proceed
}

// A hook without a command is the Go function with its name.
func ExampleFunctions() {
	e := &hooks.Engine{
		Config: hooks.Config{Hooks: []hooks.Hook{{Event: protocol.BeforeTool, Name: "guard", Matcher: "write_file|replace"}}},
		Runner: hooks.Functions{ByName: map[string]hooks.Function{"guard": hooks.Func(guard)}},
	}
	for _, tool := range []string{"write_file", "read_file"} {
		out := e.BeforeTool(context.Background(), hooks.ToolUse{Call: llm.ToolCall{Name: tool, Args: map[string]any{"file_path": ".env"}}})
		fmt.Println(tool, out.Decision, out.Reason)
	}
	// Output:
	// write_file deny secrets stay as they are
	// read_file proceed
}

// The Report says of each configured hook whether it ran, and if not, why.
func ExampleReport() {
	e := &hooks.Engine{
		Config: hooks.Config{Hooks: []hooks.Hook{
			{Event: protocol.BeforeTool, Name: "guard", Matcher: "replace"},
			{Event: protocol.BeforeTool, Name: "old", Disabled: "it is in hooksConfig.disabled"},
		}},
		Runner: hooks.Functions{ByName: map[string]hooks.Function{"guard": hooks.Func(guard)}},
		Report: func(r hooks.Report) {
			for _, run := range r.Runs {
				fmt.Println(run.Hook.ID(), "ran:", run.Ran())
			}
		},
	}
	e.BeforeTool(context.Background(), hooks.ToolUse{Call: llm.ToolCall{Name: "replace"}})
	// Output:
	// guard ran: true
	// old ran: false
}

// Settings files may contain comments. Faults are reported with their lines, and the
// rest stays in force.
func ExampleLoadSettings() {
	section, err := hookconfig.LoadSettings(hooks.LayerProject, "/project/.gemini/settings.json", []byte(`{
  "hooks": {
    "BeforeTool": [{"matcher": "write_file", "hooks": [{"type": "command", "command": "./guard.sh"}]}],
    "PreToolUse": [{"hooks": [{"type": "command", "command": "./other.sh"}]}] // not a name of Gemini CLI's
  }
}`))
	if err != nil {
		panic(err)
	}
	config := hookconfig.Merge(section)
	for _, h := range config.Hooks {
		fmt.Println(h.Event, h.ID(), "line", h.Source.Line)
	}
	for _, p := range config.Problems {
		fmt.Println("problem in line", p.Line)
	}
	// Output:
	// BeforeTool ./guard.sh line 3
	// problem in line 4
}
