package slash

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"minigem/internal/proc"
	"minigem/llm"
	"minigem/tools"
	"minigem/tools/policy"
	"minigem/tools/toolcall"
)

// Shell runs the commands in the prompts of custom commands like those of the
// model: under the policy, and confined if those are.
type Shell struct {
	Tool   tools.Tool // run_shell_command, which describes the command
	Policy *policy.Engine
	// Ask asks the user for a permission; nil: there is no user, and only what
	// the policy allows runs.
	Ask     func(context.Context, toolcall.Question) toolcall.Answer
	Dir     string
	Env     []string
	Confine func(argv []string, attr *os.ProcAttr) ([]string, error) // nil: not confined
	Within  func(only []string, begin func() error) error            // where commands are started; nil: in none
}

// Run returns the output of the command.
func (s Shell) Run(ctx context.Context, command string) (string, error) {
	if err := s.mayRun(ctx, command); err != nil {
		return "", err
	}
	res, err := proc.Run(ctx, proc.Command{Line: command, Dir: s.Dir, Env: s.Env, Merge: true, Confine: s.Confine,
		Within: s.Within})
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

// mayRun asks policy and user.
func (s Shell) mayRun(ctx context.Context, command string) error {
	spec := s.Tool.Spec()
	args := map[string]any{"command": command}
	inv, err := s.Tool.Prepare(args)
	if err != nil {
		return err
	}
	call := policy.Call{Tool: spec.Name, Info: s.Tool.Info(), Args: args, Intent: inv.Intent()}
	switch verdict := s.Policy.Check(call); {
	case verdict.Decision == policy.Allow:
		return nil
	case verdict.Decision == policy.Deny || s.Ask == nil:
		return fmt.Errorf("the policy does not let this command run: %s", strings.TrimSpace(command+"  "+verdict.Message))
	}
	answer := s.Ask(ctx, toolcall.Question{Call: llm.ToolCall{Name: spec.Name, Args: args}, Info: call.Info,
		Intent: call.Intent})
	switch answer.Outcome {
	case policy.ProceedOnce:
		return nil
	case policy.ProceedAlways, policy.ProceedAlwaysTool:
		s.Policy.Remember(call, answer.Outcome)
		return nil
	}
	return errors.New("the command was not allowed, and nothing was sent")
}
