// Package policy decides whether a tool call may run, needs the user's approval, or is
// refused. It knows rules, approval modes and what a shell command line runs. Prompts,
// hooks and screens are left to tools/toolcall, and nothing is run here. It follows
// core/policy.
//
//	e, err := policy.New(policy.Options{
//		Interactive: true,
//		Rules:       []policy.Rule{{Tools: []string{"add"}, Decision: policy.Allow}},
//	})
//	v := e.Check(policy.Call{Tool: "add"}) // v.Decision is Allow
//
// The rules of the room:
//   - Rules are tried from the highest priority down; the first that matches decides.
//   - A command line is judged command by command; the strictest wins.
//   - What cannot be understood never profits from a rule that allows, and never slips
//     past one that denies.
//   - Without a user to ask, Ask becomes Deny.
package policy

import (
	"cmp"
	"fmt"

	"minigem/internal/text"
	"minigem/tools"
)

// Decision is what happens to a call. Greater values are stricter. The zero Decision is
// [Allow], so set it in every [Rule].
type Decision int

// The decisions.
const (
	// it runs
	Allow Decision = iota
	// the user, or a PermissionRequest hook, is asked first
	Ask
	// it does not run, whatever anybody answers
	Deny
)

// decisionNames are the spellings of policy files.
var decisionNames = [...]string{Allow: "allow", Ask: "ask_user", Deny: "deny"}

// String returns the decision as policy files spell it: allow, ask_user, deny. It
// panics for any other number.
func (d Decision) String() string { return decisionNames[d] }

// Mode is an approval mode, spelled as in policy files.
type Mode string

// The modes, from the least permissive to the most.
const (
	// nothing is changed but plans
	ModePlan Mode = "plan"
	// changes need a question; also the zero Mode
	ModeDefault Mode = "default"
	// edits inside the workspace need no question
	ModeAutoEdit Mode = "autoEdit"
	// nothing needs a question
	ModeYolo Mode = "yolo"
)

// modes from the least permissive to the most.
var modes = []Mode{ModePlan, ModeDefault, ModeAutoEdit, ModeYolo}

// outsidePlan are the modes in which changes are possible.
var outsidePlan = modes[1:]

// ParseMode reads a mode in the spelling of the command line (auto_edit) or of policy
// files (autoEdit). The empty string is [ModeDefault]. The error lists the modes, or
// names the one that was probably meant.
func ParseMode(s string) (Mode, error) {
	for _, m := range append(modes, "") {
		if s == string(m) || s == m.Flag() {
			return cmp.Or(m, ModeDefault), nil
		}
	}
	near := text.DidYouMean(text.Nearest(s, []string{"default", "auto_edit", "yolo", "plan"}))
	return "", fmt.Errorf("unknown approval mode %q%s", s, cmp.Or(near, ": use default, auto_edit, yolo or plan"))
}

// Flag returns the spelling of the command line: auto_edit for [ModeAutoEdit], default
// for the zero Mode.
func (m Mode) Flag() string {
	if m == ModeAutoEdit {
		return "auto_edit"
	}
	return string(cmp.Or(m, ModeDefault))
}

// Call is a call of the model with valid arguments.
type Call struct {
	// Tool is the name that the model used; it may be an alias.
	Tool string
	// Info is the tool's own.
	Info tools.Info
	// Args are those that would run, as decoded from JSON.
	Args map[string]any
	// Intent has the paths and the working directory.
	Intent tools.Intent
	// Subagent is the subagent that calls; empty for the main agent.
	Subagent string
	// Wanted says that the user makes the call, so that [Ask] becomes [Allow].
	Wanted bool
}

// Verdict is the decision about a [Call].
type Verdict struct {
	// Decision says whether it runs.
	Decision Decision
	// Message is the rule's denyMessage, for the model; may be empty.
	Message string
	// Rule is the place of the rule that decided, or says why there was none; never
	// empty.
	Rule string
	// OnlyReads means that the call is allowed because it changes nothing, not by a rule
	// or a user. It has to run confined, see [tools.Confinable].
	OnlyReads bool
	// Sandbox means that a rule allows the call only if it runs in the sandbox.
	Sandbox bool
	// Reason is one line on why the decision is stricter or milder than the rule's; may
	// be empty.
	Reason string
}

// Outcome is the user's answer to a permission prompt, in Gemini CLI's words
// (core/tools/tools.ts) and one more for the sandbox.
type Outcome = string

// The outcomes. Any other text counts as [Cancel].
const (
	// this call runs
	ProceedOnce Outcome = "proceed_once"
	// and calls like it run from now on, see [Engine.Remember]
	ProceedAlways Outcome = "proceed_always"
	// a command, and commands like it from now on, run in the sandbox
	ProceedAlwaysSandbox Outcome = "proceed_always_sandbox"
	// and all calls of the MCP server
	ProceedAlwaysServer Outcome = "proceed_always_server"
	// and all calls of the MCP server's tool
	ProceedAlwaysTool Outcome = "proceed_always_tool"
	// the user edits the content and is asked again
	ModifyWithEditor Outcome = "modify_with_editor"
	// it does not run
	Cancel Outcome = "cancel"
)
