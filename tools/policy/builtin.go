package policy

import (
	_ "embed"
	"fmt"
	"slices"
	"sync"
)

//go:embed builtin.toml
var builtinTOML []byte

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

// Builtin returns the rules that always apply, with the lowest priority, and
// the one that allows tools of trusted MCP servers.
func Builtin() []Rule { return slices.Clone(builtin()) }
