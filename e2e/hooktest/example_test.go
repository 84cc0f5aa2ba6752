package hooktest_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"minigem/e2e/hooktest"
	"minigem/hooks"
	"minigem/hooks/protocol"
)

// Each case in a folder is a subtest: go test -run TestHooks/no-force.
func ExampleRun() {
	_ = func(t *testing.T) { hooktest.Run(t, "testdata/*.txtar") }
}

// A hook written in Go runs in the test's process.
func ExampleFunc() {
	noForce := hooks.Func(func(in protocol.BeforeToolInput) protocol.Output {
		if strings.Contains(fmt.Sprint(in.ToolInput["command"]), "--force") {
			return protocol.DenyBecause("Use --force-with-lease.")
		}
		return protocol.Output{}
	})
	_ = func(t *testing.T) { hooktest.Run(t, "testdata/*.txtar", hooktest.Func("no-force", noForce)) }
}

// The same cases, by the measured rules of other agents. Nothing has to be installed.
func ExampleAs() {
	_ = func(t *testing.T) { hooktest.Run(t, "testdata/*.txtar", hooktest.As("claude", "codex")) }
}

// The same cases on the agents themselves, if they are installed.
func ExampleOn() {
	_ = func(t *testing.T) { hooktest.Run(t, "testdata/*.txtar", hooktest.On("claude")) }
}

// go test -update-hooks rewrites the expected sections of the cases.
func ExampleUpdate() {
	update := flag.Bool("update-hooks", false, "rewrite the cases so that they pass")
	_ = func(t *testing.T) { hooktest.Run(t, "testdata/*.txtar", hooktest.Update(*update)) }
}
