package toolcall

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/agent/event"
	"minigem/hooks"
	"minigem/tools/policy"
)

// TestPermissionRequest checks that hooks are asked if the policy or a hook wants the
// user to be asked. A permission overrides neither a deny of the policy nor an ask of a
// hook, and changed arguments are judged again.
func TestPermissionRequest(t *testing.T) {
	t.Parallel()
	allow := hooks.PermissionRequestOutcome{Allowed: []string{"h"}}
	changed := hooks.PermissionRequestOutcome{Allowed: []string{"h"}, Args: map[string]any{"x": "new"}, Changed: true}
	askFirst := hooks.BeforeToolOutcome{Verdict: hooks.Verdict{Decision: hooks.Ask, Reason: "odd"}, Context: "seen"}
	const (
		ok      = "output: t did 0"
		refused = "error: Tool execution denied by policy. It has to be confirmed, and nobody can be asked in this session."
	)
	policyOf := func(old, anew policy.Decision) func(policy.Call) policy.Verdict {
		return func(c policy.Call) policy.Verdict {
			if c.Args["x"] == "new" {
				return policy.Verdict{Decision: anew}
			}
			return policy.Verdict{Decision: old}
		}
	}
	for _, c := range []struct {
		name     string
		policy   func(policy.Call) policy.Verdict
		before   hooks.BeforeToolOutcome
		request  hooks.PermissionRequestOutcome
		headless bool
		asked    bool // PermissionRequest hooks
		prompted bool // the user
		want     string
	}{
		{"the policy allows", policyOf(policy.Allow, 0), hooks.BeforeToolOutcome{}, hooks.PermissionRequestOutcome{}, false, false, false, ok},
		{"the policy denies", policyOf(policy.Deny, 0), hooks.BeforeToolOutcome{}, allow, false, false, false, "error: Tool execution denied by policy."},
		{"no word", policyOf(policy.Ask, 0), hooks.BeforeToolOutcome{}, hooks.PermissionRequestOutcome{}, false, true, true, ok},
		{"no word, headless", policyOf(policy.Ask, 0), hooks.BeforeToolOutcome{}, hooks.PermissionRequestOutcome{}, true, true, false, refused},
		{"a permission", policyOf(policy.Ask, 0), hooks.BeforeToolOutcome{}, allow, false, true, false, ok},
		{"a permission, headless", policyOf(policy.Ask, 0), hooks.BeforeToolOutcome{}, allow, true, true, false, ok},
		{"a hook's ask stays", policyOf(policy.Allow, 0), askFirst, allow, false, true, true, ok + "\n\nseen"},
		{"a hook's ask stays, headless", policyOf(policy.Allow, 0), askFirst, allow, true, true, false, "error: Tool execution blocked: odd (nobody can be asked in this session)"},
		{"a deny", policyOf(policy.Ask, 0), hooks.BeforeToolOutcome{}, hooks.PermissionRequestOutcome{Verdict: deny("no")}, false, true, false, "error: Tool execution blocked: no"},
		{"a stop", policyOf(policy.Ask, 0), hooks.BeforeToolOutcome{}, hooks.PermissionRequestOutcome{Verdict: stop("end")}, false, true, false, "error: Agent execution stopped by hook: end"},
		{"other arguments", policyOf(policy.Ask, policy.Ask), hooks.BeforeToolOutcome{}, changed, true, true, false, "output: t did new\n\n" + changedNote},
		{"other arguments that the policy denies", policyOf(policy.Ask, policy.Deny), hooks.BeforeToolOutcome{}, changed, true, true, false, "error: Tool execution denied by policy."},
		{"other arguments keep a hook's ask", policyOf(policy.Allow, policy.Allow), askFirst, changed, true, true, false, "error: Tool execution blocked: odd (nobody can be asked in this session)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(&fakeTool{name: "t"})
			b.policy.check = c.policy
			if c.headless {
				b.Approver = nil
			}
			b.user.answers = []Answer{{Outcome: policy.ProceedOnce}}
			b.hooks.before = func(u hooks.ToolUse) hooks.BeforeToolOutcome {
				if out := c.before; u.Call.Args["x"] != "new" {
					out.Args = u.Call.Args
					return out
				}
				return hooks.BeforeToolOutcome{Args: u.Call.Args}
			}
			b.hooks.request = func(u hooks.ToolUse) hooks.PermissionRequestOutcome {
				if c.request.Args == nil {
					c.request.Args = u.Call.Args
				}
				return c.request
			}
			texts, _ := b.do(t, t.Context(), ask("t"))
			assert.Equal(t, []string{c.want}, texts)
			assert.Equal(t, c.asked, len(b.hooks.requested) == 1)
			assert.Equal(t, c.prompted, len(b.user.questions) == 1)
			told := len(eventsOf[event.Notice](b)) == 1
			assert.Equal(t, len(c.request.Allowed) > 0 && c.asked && c.before.Decision != hooks.Ask && texts[0][:3] == "out", told, "the user reads who allowed it")
		})
	}
}

// TestOtherArgumentsMeetGuardsAgain checks that a denied action never happens, whoever
// asks for it last.
func TestOtherArgumentsMeetGuardsAgain(t *testing.T) {
	t.Parallel()
	b := newBench(&fakeTool{name: "t"})
	b.policy.check = always(policy.Ask, "")
	b.hooks.before = func(u hooks.ToolUse) hooks.BeforeToolOutcome {
		if u.Call.Args["x"] == "evil" {
			return hooks.BeforeToolOutcome{Verdict: deny("nothing evil")}
		}
		return hooks.BeforeToolOutcome{Args: u.Call.Args}
	}
	b.hooks.request = func(hooks.ToolUse) hooks.PermissionRequestOutcome {
		return hooks.PermissionRequestOutcome{Allowed: []string{"h"}, Args: map[string]any{"x": "evil"}, Changed: true}
	}
	texts, _ := b.do(t, t.Context(), ask("t"))
	assert.Equal(t, []string{"error: Tool execution blocked: nothing evil"}, texts)
	assert.Empty(t, eventsOf[event.ToolStarted](b))
}
