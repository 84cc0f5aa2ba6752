package app

import (
	"fmt"
	"strings"

	"minigem/tools"
)

// notOffered says, for the model and through it the user, why an existing tool
// cannot be called here, and what would change that.
func (r *Runtime) notOffered(t tools.Tool) string {
	refusal, modes := r.Policy.NotOffered(t)
	why := refusal.Rule
	if refusal.Message != "" {
		why = fmt.Sprintf("%s (%s)", strings.TrimRight(refusal.Message, "."), why)
	}
	if refusal.Reason != "" {
		why += ", and " + refusal.Reason
	}
	text := fmt.Sprintf("The tool exists, but is not offered in approval mode %s: %s. ", r.Policy.Mode().Flag(), why)
	if len(modes) == 0 {
		return text + "Only other rules would allow it; `minigem policies` lists them."
	}
	for _, m := range modes {
		text += "--approval-mode=" + m.Flag() + " or "
	}
	return text + "a policy rule would allow it; `minigem policies` lists the rules."
}
