package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"minigem/agent"
	"minigem/internal/exit"
	"minigem/internal/proc"
	"minigem/internal/slash"
	"minigem/llm"
	"minigem/tools/policy"
	"minigem/tools/toolcall"
)

const shellTool = "run_shell_command"

// CustomCommands are those of the user, in a trusted folder those of the
// project, and those of extensions. taken are names that they cannot have.
func (r *Runtime) CustomCommands(taken []string, warn func(string)) []slash.Custom {
	var out []slash.Custom
	add := func(source, separator, dir string) {
		found, problems := slash.LoadCustom(dir)
		for _, p := range problems {
			warn(r.Config.ShortenIn(p.Error()))
		}
		for _, c := range slash.Named(source+separator, found, taken) {
			taken = append(taken, c.Name)
			out = append(out, c)
		}
	}
	add("user", ".", filepath.Join(r.Config.DotGemini, "commands"))
	if own := filepath.Join(r.Config.Dir, ".gemini"); r.Config.Trust.Trusted && own != filepath.Clean(r.Config.DotGemini) {
		add("workspace", ".", filepath.Join(own, "commands"))
	}
	for _, e := range r.Config.extensions {
		add(e.Name, ":", filepath.Join(e.Dir, "commands"))
	}
	return out
}

// Filler puts files and outputs into the prompts of custom commands. ask puts a
// permission to the user; nil: nobody is there.
func (r *Runtime) Filler(ask func(context.Context, toolcall.Question) toolcall.Answer) slash.Filler {
	return slash.Filler{
		File: func(ctx context.Context, path string) (string, error) {
			abs, err := r.Workspace.Resolve(path)
			if err != nil {
				return "", err
			}
			parts, err := r.readIncluded(ctx, abs)
			return llm.PartsText(parts), err
		},
		Shell: func(ctx context.Context, command string) (string, error) {
			if err := r.mayRun(ctx, command, ask); err != nil {
				return "", err
			}
			res, err := proc.Run(ctx, proc.Command{Line: command, Dir: r.Config.Dir, Env: r.Config.ChildEnv(), Merge: true})
			if err != nil {
				return "", err
			}
			if res.Stopped != nil {
				return "", res.Stopped
			}
			text := strings.TrimRight(res.Stdout.String(), "\n")
			if res.ExitCode != 0 {
				text += fmt.Sprintf("\n[Shell command '%s' exited with code %d]", command, res.ExitCode)
			}
			return text, nil
		},
	}
}

// mayRun asks policy and user about a command in the prompt of a custom one.
func (r *Runtime) mayRun(ctx context.Context, command string, ask func(context.Context, toolcall.Question) toolcall.Answer) error {
	tool := r.Registry.Lookup(shellTool)
	args := map[string]any{"command": command}
	inv, err := tool.Prepare(args)
	if err != nil {
		return err
	}
	call := policy.Call{Tool: shellTool, Info: tool.Info(), Args: args, Intent: inv.Intent()}
	switch verdict := r.Policy.Check(call); {
	case verdict.Decision == policy.Allow:
		return nil
	case verdict.Decision == policy.Deny || ask == nil:
		return fmt.Errorf("the policy does not let this command run: %s", strings.TrimSpace(command+"  "+verdict.Message))
	}
	answer := ask(ctx, toolcall.Question{Call: llm.ToolCall{Name: shellTool, Args: args}, Info: tool.Info(), Intent: call.Intent})
	switch answer.Outcome {
	case policy.ProceedOnce:
		return nil
	case policy.ProceedAlways, policy.ProceedAlwaysTool:
		r.Policy.Remember(call, answer.Outcome)
		return nil
	}
	return errors.New("the command was not allowed, and nothing was sent")
}

// Expand makes the prompt of a run without a terminal: custom commands become
// their prompts, files behind an "@" come along. Other commands are an error:
// no model knows what they mean.
func (r *Runtime) Expand(ctx context.Context, text, before string, warn func(string)) (agent.Prompt, error) {
	p := agent.Prompt{Text: text, Context: before}
	if !slash.Is(text) {
		p.Parts = r.Include(ctx, text, warn)
		return p, nil
	}
	name, args, _ := strings.Cut(strings.TrimPrefix(text, "/"), " ")
	for _, c := range r.CustomCommands(nil, warn) {
		if c.Name != name {
			continue
		}
		filled, err := c.Fill(ctx, r.Filler(nil), text, strings.TrimSpace(args))
		if err != nil {
			return p, exit.With(exit.Input, err)
		}
		p.Text = filled
		return p, nil
	}
	return p, exit.Errorf(exit.Input, "/%s works in the chat alone, or is not a command: nothing was sent (custom commands from .gemini/commands work here too)", name)
}
