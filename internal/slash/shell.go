package slash

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"minigem/internal/proc"
	"minigem/llm"
	"minigem/tools"
	"minigem/tools/policy"
	"minigem/tools/toolcall"
)

// Shell runs the commands in the prompts of custom commands like the model's,
// under the policy and with the same confinement.
type Shell struct {
	Tool   tools.Tool // run_shell_command
	Policy *policy.Engine
	// Ask asks the user for permission. If nil, there is no user, and only commands
	// that the policy allows run.
	Ask func(context.Context, toolcall.Question) toolcall.Answer
}

// invocation is a call of run_shell_command.
type invocation interface {
	tools.Invocation
	tools.Confinable
	Start() (cmd proc.Command, done func(), err error)
}

// Run returns the output of the command.
func (s Shell) Run(ctx context.Context, command string) (string, error) {
	args := map[string]any{"command": command}
	inv, err := s.Tool.Prepare(args)
	if err != nil {
		return "", err
	}
	call, ok := inv.(invocation)
	if !ok {
		return "", fmt.Errorf("%s is not a tool that runs commands", s.Tool.Spec().Name)
	}
	if err := s.mayRun(ctx, call, args); err != nil {
		return "", err
	}
	cmd, done, err := call.Start()
	if err != nil {
		return "", err
	}
	defer done()
	res, err := proc.Run(ctx, cmd)
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
}

// mayRun asks the policy and the user, and confines inv accordingly.
func (s Shell) mayRun(ctx context.Context, inv invocation, args map[string]any) error {
	spec := s.Tool.Spec()
	call := policy.Call{Tool: spec.Name, Info: s.Tool.Info(), Args: args, Intent: inv.Intent()}
	switch verdict := s.Policy.Check(call); {
	case verdict.Decision == policy.Allow:
		inv.Confine(verdict.OnlyReads, verdict.Sandbox)
		return nil
	case verdict.Decision == policy.Deny || s.Ask == nil:
		return fmt.Errorf("the policy does not let this command run: %s",
			strings.TrimSpace(fmt.Sprint(args["command"])+"  "+verdict.Message))
	}
	answer := s.Ask(ctx, toolcall.Question{
		Call: llm.ToolCall{Name: spec.Name, Args: args}, Info: call.Info, Intent: call.Intent,
		Lasting: s.Policy.Lasting(call),
	})
	switch answer.Outcome {
	case policy.ProceedOnce:
		return nil
	case policy.ProceedAlways, policy.ProceedAlwaysTool, policy.ProceedAlwaysSandbox:
		s.Policy.Remember(call, answer.Outcome)
		inv.Confine(false, answer.Outcome == policy.ProceedAlwaysSandbox)
		return nil
	}
	return errors.New("the command was not allowed, and nothing was sent")
}
