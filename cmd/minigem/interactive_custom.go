package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"minigem/agent"
	"minigem/internal/proc"
	"minigem/internal/slash"
	"minigem/llm"
	"minigem/tools/policy"
	"minigem/tools/toolcall"
)

const shellTool = "run_shell_command"

// customCommands are those of the user, in a trusted folder those of the
// project, and those of extensions. taken are names that they cannot have.
func (r *rig) customCommands(taken []string, warn func(string)) []slash.Custom {
	var out []slash.Custom
	add := func(source, separator, dir string) {
		found, problems := slash.LoadCustom(dir)
		for _, p := range problems {
			warn(r.shortenIn(p.Error()))
		}
		for _, c := range slash.Named(source+separator, found, taken) {
			taken = append(taken, c.Name)
			out = append(out, c)
		}
	}
	add("user", ".", filepath.Join(r.dotGemini, "commands"))
	if own := filepath.Join(r.dir, ".gemini"); r.trust.trusted && own != filepath.Clean(r.dotGemini) {
		add("workspace", ".", filepath.Join(own, "commands"))
	}
	for _, e := range r.extensions {
		add(e.Name, ":", filepath.Join(e.Dir, "commands"))
	}
	return out
}

// filler puts files and outputs into the prompts of custom commands. ask puts a
// permission to the user; nil: nobody is there.
func (r *rig) filler(ask func(context.Context, toolcall.Question) toolcall.Answer) slash.Filler {
	return slash.Filler{
		File: func(ctx context.Context, path string) (string, error) {
			abs, err := r.workspace.Resolve(path)
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
			res, err := proc.Run(ctx, proc.Command{Line: command, Dir: r.dir, Env: r.childEnv(), Merge: true})
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
func (r *rig) mayRun(ctx context.Context, command string, ask func(context.Context, toolcall.Question) toolcall.Answer) error {
	tool := r.registry.Lookup(shellTool)
	args := map[string]any{"command": command}
	inv, err := tool.Prepare(args)
	if err != nil {
		return err
	}
	call := policy.Call{Tool: shellTool, Info: tool.Info(), Args: args, Intent: inv.Intent()}
	switch verdict := r.policy.Check(call); {
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
		r.policy.Remember(call, answer.Outcome)
		return nil
	}
	return errors.New("the command was not allowed, and nothing was sent")
}

// addCustom adds the custom commands to the others.
func (t *chat) addCustom(table slash.Table) slash.Table {
	var taken []string
	for _, c := range table {
		taken = append(append(taken, c.Name), c.Aliases...)
	}
	for _, c := range t.customCommands(taken, t.warn) {
		help := c.Description
		if help == "" {
			help = "from " + t.shorten(c.File)
		}
		table = append(table, slash.Command{Name: c.Name, Args: "[ARGS]", Help: help, Run: t.runCustom(c)})
	}
	return table
}

func (t *chat) runCustom(c slash.Custom) func(context.Context, string) error {
	return func(_ context.Context, args string) error {
		var text string
		var err error
		t.work("preparing /"+c.Name, func(ctx context.Context) {
			text, err = c.Fill(ctx, t.filler(t.approver(t.configuration).Approve), "/"+c.Name+" "+args, args)
		})
		if err != nil {
			return err
		}
		if strings.TrimSpace(text) != "" {
			t.submit(text, []llm.Part{llm.Text{Text: text}})
		}
		return nil
	}
}

// expand makes the prompt of a run without a terminal: custom commands become
// their prompts, files behind an "@" come along. Other commands are an error:
// no model knows what they mean.
func (r *rig) expand(ctx context.Context, text, before string, warn func(string)) (agent.Prompt, error) {
	p := agent.Prompt{Text: text, Context: before}
	if !slash.Is(text) {
		p.Parts = r.include(ctx, text, warn)
		return p, nil
	}
	name, args, _ := strings.Cut(strings.TrimPrefix(text, "/"), " ")
	for _, c := range r.customCommands(nil, warn) {
		if c.Name != name {
			continue
		}
		filled, err := c.Fill(ctx, r.filler(nil), text, strings.TrimSpace(args))
		if err != nil {
			return p, withCode(exitInput, err)
		}
		p.Text = filled
		return p, nil
	}
	return p, exitf(exitInput, "/%s works in the chat alone, or is no command: nothing was sent (custom commands from .gemini/commands work here too)", name)
}
