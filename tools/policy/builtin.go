package policy

import (
	_ "embed"
	"fmt"
	"slices"
	"sync"
)

//go:embed builtin.toml
var builtinTOML []byte

// builtin parses the rules once, because each start would pay for it otherwise. The
// rule about trusted servers is not in the file: a policy file cannot say TrustedOnly.
var builtin = sync.OnceValue(func() []Rule {
	rules, problems := Parse("built-in policy", builtinTOML, TierDefault)
	if len(problems) > 0 {
		panic(fmt.Sprintf("unreachable unless builtin.toml is broken: %v", problems))
	}
	return append(rules, Rule{
		Name: "trusted server", Decision: Allow, Priority: 4200, TrustedOnly: true, Modes: outsidePlan,
		Place: Place{File: "settings: mcpServers.<name>.trust"},
	})
})

// forHooks returns the rule for a session without a user in which hooks may allow
// changes. It ranks above the built-in rule that nothing is changed without a user, and
// below all others.
func forHooks() Rule {
	return Rule{
		Name: "hooks are asked about changes", Decision: Ask, Priority: 1011,
		Place: Place{File: "hooks of PermissionRequest"},
	}
}

// Builtin returns the rules that always apply, with the lowest priority, and the one that
// allows tools of trusted MCP servers. The slice is the caller's.
func Builtin() []Rule { return slices.Clone(builtin()) }
