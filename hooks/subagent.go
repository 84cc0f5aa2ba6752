package hooks

import "context"

// Subagent is the agent that an event is about, where another agent started it.
// The zero Subagent is the main agent.
type Subagent struct {
	ID   string // of this run of it
	Type string // its name
}

type subagentKey struct{}

// InSubagent says that the events fired with the context it returns are about s.
// Hooks read that as agent_id and agent_type.
func InSubagent(ctx context.Context, s Subagent) context.Context {
	return context.WithValue(ctx, subagentKey{}, s)
}

// SubagentOf is the subagent that ctx belongs to; the zero one: the main agent.
func SubagentOf(ctx context.Context) Subagent {
	s, _ := ctx.Value(subagentKey{}).(Subagent)
	return s
}
