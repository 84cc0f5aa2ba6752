package policy_test

import (
	"fmt"

	"minigem/tools"
	"minigem/tools/policy"
)

// A command line is judged command by command, and the strictest verdict holds.
func ExampleEngine_Check() {
	e, err := policy.New(policy.Options{
		Interactive: true,
		Rules:       []policy.Rule{{Tools: []string{"run_shell_command"}, Prefixes: []string{"git"}, Decision: policy.Allow, Priority: 3100}},
	})
	if err != nil {
		panic(err)
	}
	for _, command := range []string{"pwd", "git push", "git push && rm -r build"} {
		v := e.Check(policy.Call{
			Tool: "run_shell_command", Args: map[string]any{"command": command},
			Intent: tools.Intent{Exec: &tools.ExecIntent{Command: command, Dir: "/work"}},
		})
		fmt.Println(v.Decision, command)
	}
	// Output:
	// allow pwd
	// allow git push
	// ask_user git push && rm -r build
}
