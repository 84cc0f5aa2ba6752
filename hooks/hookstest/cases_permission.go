package hookstest

// allows is an answer of Claude Code's dialect.
func allows(more string) string {
	return `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"` + more + `}}}`
}

const uncounted = "its allow does not count"

var permissionCases = []Case{
	{Name: "PermissionRequest: an allow", Event: permissionRequest, Hooks: []Hook{{Out: allowYes, MayAllow: true}}, Want: Want{Allowed: []string{"a"}, Effect: "allow"}},
	{Name: "PermissionRequest: an allow of a project", Event: permissionRequest, Hooks: out(allowYes), Want: Want{Warn: []string{uncounted}, Effect: "none"}},
	{Name: "PermissionRequest: nothing said", Event: permissionRequest, Hooks: []Hook{{MayAllow: true}}, Want: Want{Effect: "none"}},
	{Name: "PermissionRequest: a deny", Event: permissionRequest, Hooks: out(denyNo), Want: Want{Decision: "deny", Reason: "no", Effect: "deny"}},
	{Name: "PermissionRequest: exit 2", Event: permissionRequest, Hooks: one(Hook{Exit: 2, Err: "no"}), Want: Want{Decision: "deny", Reason: "no"}},
	{Name: "PermissionRequest: a stop", Event: permissionRequest, Hooks: out(stopNow), Want: Want{Decision: "stop", Reason: "enough"}},
	{Name: "PermissionRequest: a deny is stronger than an allow", Event: permissionRequest, Hooks: []Hook{{Out: allowYes, MayAllow: true}, {Out: denyNo}}, Want: Want{Decision: "deny", Reason: "no"}},
	{Name: "PermissionRequest: it cannot ask", Event: permissionRequest, Hooks: []Hook{{Out: askWhy, MayAllow: true}}, Want: Want{Warn: []string{"PermissionRequest cannot ask"}}},
	{Name: "PermissionRequest: other arguments", Event: permissionRequest, Hooks: out(`{"hookSpecificOutput":{"tool_input":{"content":"y"}}}`), Want: Want{Args: `{"content":"y","file_path":"a.txt"}`, Effect: "rewrite"}},
	{Name: "PermissionRequest: an allow with other arguments", Event: permissionRequest, Hooks: []Hook{{Out: `{"decision":"allow","hookSpecificOutput":{"tool_input":{"content":"y"}}}`, MayAllow: true}},
		Want: Want{Args: `{"content":"y","file_path":"a.txt"}`, Allowed: []string{"a"}, Effect: "allow"}},
	{Name: "PermissionRequest: an allow of one, other arguments by another", Event: permissionRequest,
		Hooks: []Hook{{Out: allowYes, MayAllow: true}, {Out: `{"hookSpecificOutput":{"tool_input":{"content":"y"}}}`}},
		Want:  Want{Args: `{"content":"y","file_path":"a.txt"}`, Warn: []string{"an allow does not count beside arguments"}, Effect: "rewrite"}},
	{Name: "PermissionRequest: other arguments by one, an allow of another", Event: permissionRequest,
		Hooks: []Hook{{Out: `{"hookSpecificOutput":{"tool_input":{"content":"y"}}}`, Sequential: true}, {Out: allowYes, MayAllow: true}},
		Want:  Want{Args: `{"content":"y","file_path":"a.txt"}`, Warn: []string{"an allow does not count beside arguments"}, Effect: "rewrite"}},
	{Name: "PermissionRequest: an allow of a failed run", Event: permissionRequest, Hooks: []Hook{{Out: allowYes, Exit: 1, MayAllow: true}}, Want: Want{Failed: []string{"exit status 1"}}},
	{Name: "PermissionRequest: an allow that hangs", Event: permissionRequest, Hooks: []Hook{{Out: allowYes, Hangs: true, MayAllow: true}}, Want: Want{Failed: []string{"timed out"}}},
	{Name: "PermissionRequest: an allow among text", Event: permissionRequest, Hooks: []Hook{{Out: "checking\n" + allowYes, MayAllow: true}}, Want: Want{Message: "checking\n" + allowYes, Warn: []string{"other output"}}},
	{Name: "PermissionRequest: an allow on stderr", Event: permissionRequest, Hooks: []Hook{{Err: allowYes, MayAllow: true}}, Want: Want{Warn: []string{uncounted}}},
	{Name: "PermissionRequest: an allow beside exit 2", Event: permissionRequest, Hooks: []Hook{{Out: allowYes, Exit: 2, MayAllow: true}}, Want: Want{Decision: "deny", Reason: "No reason provided", Warn: []string{"exit 2 blocks"}}},
	{Name: "PermissionRequest: an allow beside a field that is none", Event: permissionRequest, Hooks: []Hook{{Out: `{"decision":"allow","continue":"no"}`, MayAllow: true}}, Want: Want{Warn: []string{"continue", uncounted}}},
	{Name: "PermissionRequest: onError", Event: permissionRequest, Hooks: []Hook{{Exit: 1, OnError: "block", MayAllow: true}}, Want: Want{Decision: "deny", Reason: "hook \"a\" failed, and its onError is block: exit status 1", Failed: []string{"exit status 1"}}},

	{Name: "claude: a permission", Event: permissionRequest, Hooks: []Hook{{Out: allows(""), MayAllow: true, Dialect: "claude"}}, Want: Want{Allowed: []string{"a"}}},
	{Name: "claude: a permission of a project", Event: permissionRequest, Hooks: claudeHook(Hook{Out: allows("")}), Want: Want{Warn: []string{uncounted}}},
	{Name: "claude: a permission for other input", Event: permissionRequest, Hooks: []Hook{{Out: allows(`,"updatedInput":{"file_path":"/b.txt","content":"y"}`), MayAllow: true, Dialect: "claude"}},
		Want: Want{Args: `{"content":"y","file_path":"/b.txt"}`, Allowed: []string{"a"}}},
	{Name: "claude: a permission for ever", Event: permissionRequest, Hooks: []Hook{{Out: allows(`,"updatedPermissions":[]`), MayAllow: true, Dialect: "claude"}}, Want: Want{Allowed: []string{"a"}, Warn: []string{"for this call alone"}}},
	{Name: "claude: a permission that is denied", Event: permissionRequest, Hooks: claudeHook(Hook{Out: `{"hookSpecificOutput":{"decision":{"behavior":"deny","message":"no"}}}`}), Want: Want{Decision: "deny", Reason: "no"}},
	{Name: "claude: a denial that interrupts", Event: permissionRequest, Hooks: claudeHook(Hook{Out: `{"hookSpecificOutput":{"decision":{"behavior":"deny","message":"no","interrupt":true}}}`}), Want: Want{Decision: "stop", Reason: "no"}},
	{Name: "claude: another behavior", Event: permissionRequest, Hooks: []Hook{{Out: `{"hookSpecificOutput":{"decision":{"behavior":"yes"}}}`, OnError: "block", MayAllow: true, Dialect: "claude"}},
		Want: Want{Decision: "deny", Reason: "hook \"a\" failed, and its onError is block: its output is not a valid answer", Warn: []string{"behavior ignored"}}},
	{Name: "claude: an allow at the top is no permission", Event: permissionRequest, Hooks: []Hook{{Out: allowYes, MayAllow: true, Dialect: "claude"}}, Want: Want{Warn: []string{"a permission is hookSpecificOutput.decision.behavior"}}},
}
