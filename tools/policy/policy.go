// Package policy decides whether a tool call may run, has to be asked for, or
// is refused. It knows rules, approval modes and what a shell command line
// runs; it keeps out prompts, hooks and screens, and runs nothing. Its facts
// are those of core/policy.
//
// The rules of the room:
//   - Rules are tried from the highest priority down; the first that matches
//     decides.
//   - A command line is judged command by command; the strictest wins.
//   - What cannot be understood never profits from a rule that allows, and never
//     slips past one that denies.
//   - Without a user to ask, Ask becomes Deny.
package policy

import (
	"cmp"
	"fmt"

	"minigem/internal/text"
	"minigem/tools"
)

// Decision is what happens with a call. A greater one is stricter.
type Decision int

const (
	Allow Decision = iota // it runs
	Ask                   // the user is asked first
	Deny                  // it does not run
)

var decisionNames = [...]string{Allow: "allow", Ask: "ask_user", Deny: "deny"}

// String returns the decision as policy files spell it: allow, ask_user, deny.
func (d Decision) String() string {
	if d < Allow || d > Deny {
		return fmt.Sprintf("Decision(%d)", int(d))
	}
	return decisionNames[d]
}

// Mode is an approval mode, spelled as in policy files.
type Mode string

const (
	ModePlan     Mode = "plan"     // nothing is changed
	ModeDefault  Mode = "default"  // changes need a question; also the zero Mode
	ModeAutoEdit Mode = "autoEdit" // edits inside the workspace need no question
	ModeYolo     Mode = "yolo"     // nothing needs a question
)

// modes from the least permissive to the most.
var modes = []Mode{ModePlan, ModeDefault, ModeAutoEdit, ModeYolo}

// outsidePlan are the modes in which changes are possible.
var outsidePlan = modes[1:]

// ParseMode reads a mode in the spelling of the command line (auto_edit) or of
// policy files (autoEdit). The empty string is ModeDefault.
func ParseMode(s string) (Mode, error) {
	switch s {
	case "", "default":
		return ModeDefault, nil
	case "auto_edit", "autoEdit":
		return ModeAutoEdit, nil
	case "yolo":
		return ModeYolo, nil
	case "plan":
		return ModePlan, nil
	}
	near := text.DidYouMean(text.Nearest(s, []string{"default", "auto_edit", "yolo", "plan"}))
	return "", fmt.Errorf("unknown approval mode %q%s", s, cmp.Or(near, ": use default, auto_edit, yolo or plan"))
}

// Flag returns the spelling of the command line: auto_edit for ModeAutoEdit.
func (m Mode) Flag() string {
	switch m {
	case ModeAutoEdit:
		return "auto_edit"
	case "":
		return "default"
	}
	return string(m)
}

// Call is a call of the model with valid arguments.
type Call struct {
	Tool     string // the name that the model used; may be an alias
	Info     tools.Info
	Args     map[string]any
	Intent   tools.Intent // has the paths and the working directory
	Subagent string       // the subagent that calls; empty: the main agent
}

// Verdict is the decision about a [Call].
type Verdict struct {
	Decision Decision
	Message  string // the rule's denyMessage, for the model; may be empty
	Rule     string // place of the rule, or why there was none; never empty
	// OnlyReads means that the call is allowed because it changes nothing, not
	// by a rule or a user.
	OnlyReads bool
	// Sandbox means that a rule allows the call only if it runs in the sandbox.
	Sandbox bool
	Reason  string // one line on why the decision is stricter or milder than the rule's; may be empty
}

// Outcome is the user's answer to a permission prompt.
type Outcome = string

const (
	ProceedOnce          Outcome = "proceed_once"
	ProceedAlways        Outcome = "proceed_always"
	ProceedAlwaysSandbox Outcome = "proceed_always_sandbox" // a command, in the sandbox
	ProceedAlwaysServer  Outcome = "proceed_always_server"
	ProceedAlwaysTool    Outcome = "proceed_always_tool"
	ModifyWithEditor     Outcome = "modify_with_editor"
	Cancel               Outcome = "cancel"
)
