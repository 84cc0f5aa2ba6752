package wiring

import (
	"fmt"
	"strings"

	"minigem/tools"
	"minigem/tools/policy"
)

// notOffered tells the model, and through it the user, why an existing tool cannot be
// called here, and what would change that.
func notOffered(p *policy.Engine, t tools.Tool) string {
	refusal, modes := p.NotOffered(t)
	why := refusal.Rule
	if refusal.Message != "" {
		why = fmt.Sprintf("%s (%s)", strings.TrimRight(refusal.Message, "."), why)
	}
	if refusal.Reason != "" {
		why += ", and " + refusal.Reason
	}
	if strings.HasSuffix(why, "(no changes without a user)") {
		why = "no one can be asked about it"
		if p.Mode() == policy.ModeDefault {
			why = "this run may only read"
		}
	}
	said := t.Spec().Name + " is not available: " + why + "."
	if len(modes) == 0 {
		return said + " Only other rules would allow it; `minigem policies` lists them."
	}
	return said + " Add --approval-mode=" + modes[0].Flag() + "."
}
