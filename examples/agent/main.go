// Command agent is the agent of docs/LIBRARY.md.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"minigem/agent"
	"minigem/hooks"
	"minigem/hooks/command"
	"minigem/hooks/protocol"
	"minigem/llm"
	"minigem/llm/gemini"
	"minigem/session"
	"minigem/tools"
	"minigem/tools/builtin"
	"minigem/tools/policy"
	"minigem/tools/toolcall"
	"minigem/tools/workspace"
)

func main() {
	model := gemini.New(gemini.Options{Auth: gemini.AuthAPIKey, APIKey: os.Getenv("GEMINI_API_KEY")})
	fmt.Println(ask(context.Background(), model, os.Args[1], os.Args[2], os.Args[3]))
}

func ask(ctx context.Context, model llm.Model, home, dir, prompt string) (string, error) {
	ws, err1 := workspace.New(dir)
	all, err2 := builtin.All(builtin.Options{Workspace: ws})
	count, err3 := tools.Func("count_letters", "Counts the letters of a word.", tools.KindRead,
		func(_ context.Context, in struct{ Word string }) (string, error) {
			return fmt.Sprint(len(in.Word)), nil
		})
	allow := []policy.Rule{{Tools: []string{"count_letters"}, Decision: policy.Allow}}
	rules, err4 := policy.New(policy.Options{Mode: policy.ModeAutoEdit, InWorkspace: ws.Writable, Rules: allow})
	noSecrets := hooks.Func(func(in protocol.BeforeToolInput) protocol.Output { // a hook in Go
		if strings.Contains(fmt.Sprint(in.ToolInput), "SECRET") {
			return protocol.DenyBecause("Secrets stay where they are.")
		}
		return protocol.Output{}
	})
	engine := &hooks.Engine{
		Config: hooks.Config{Hooks: []hooks.Hook{{Event: protocol.BeforeTool, Name: "no-secrets"},
			{Event: protocol.AfterAgent, Command: `! grep TODO notes.txt >&2 || exit 2`}}}, // a hook in the shell
		Runner: hooks.Functions{ByName: map[string]hooks.Function{"no-secrets": noSecrets},
			Next: command.Runner{Dir: dir, Env: os.Environ()}},
	}
	project, err5 := session.OpenProject(home, dir)
	kept, err6 := session.Continue(session.Options{Project: project, Hooks: engine})
	if err := errors.Join(err1, err2, err3, err4, err5, err6); err != nil {
		return "", err
	}
	defer kept.End(ctx, "exit")
	a := agent.Agent{Model: model, History: kept, Hooks: engine, Sink: kept,
		Config: agent.Config{Model: "gemini-2.5-flash"}, Tools: &toolcall.Runner{
			Registry: tools.NewRegistry(append(all, count)...), Hooks: engine, Policy: rules, Sink: kept}}
	res := a.Run(ctx, agent.Prompt{Text: prompt, Context: kept.Begin(ctx)})
	return res.Response, res.Err
}
