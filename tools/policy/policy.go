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
	"fmt"

	"minigem/tools"
)

// Decision is what is to happen with a call. The greater one is the stricter.
type Decision int

const (
	Allow Decision = iota // it runs
	Ask                   // the user is asked first
	Deny                  // it does not run
)

var decisionNames = [...]string{Allow: "allow", Ask: "ask_user", Deny: "deny"}

// String returns the spelling of policy files: allow, ask_user, deny.
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
	ModeDefault  Mode = "default"  // changes are asked for; also the zero Mode
	ModeAutoEdit Mode = "autoEdit" // edits inside the workspace just happen
	ModeYolo     Mode = "yolo"     // everything just happens
)

// modes are ordered from the least permissive to the most.
var modes = []Mode{ModePlan, ModeDefault, ModeAutoEdit, ModeYolo}

// outsidePlan are the modes in which something may be changed.
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
	return "", fmt.Errorf("unknown approval mode %q: use default, auto_edit, yolo or plan", s)
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

// Call is one call that a model asks for, its arguments being valid.
type Call struct {
	Tool     string // the name that it was found by; an alias will do
	Info     tools.Info
	Args     map[string]any
	Intent   tools.Intent // paths and working directory are taken from here
	Subagent string       // the subagent that asks; empty: the main agent
}

// Verdict is the answer to a Call.
type Verdict struct {
	Decision Decision
	Message  string // the rule's denyMessage, for the model; may be empty
	Rule     string // where the rule stands, or why there was none; never empty
	// OnlyReads says that it is allowed because it changes nothing, not by a rule or
	// a user.
	OnlyReads bool
	Reason    string // one line on what made a decision stricter or milder than the rule's; may be empty
}

// Outcome is what the user answered to a permission prompt.
type Outcome = string

const (
	ProceedOnce          Outcome = "proceed_once"
	ProceedAlways        Outcome = "proceed_always"
	ProceedAlwaysAndSave Outcome = "proceed_always_and_save"
	ProceedAlwaysServer  Outcome = "proceed_always_server"
	ProceedAlwaysTool    Outcome = "proceed_always_tool"
	ModifyWithEditor     Outcome = "modify_with_editor"
	Cancel               Outcome = "cancel"
)
