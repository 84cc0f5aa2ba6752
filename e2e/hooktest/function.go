package hooktest

import (
	"context"

	"minigem/hooks"
)

// named runs hooks that have a function, and passes all others to next.
type named struct {
	functions map[string]hooks.Function
	next      hooks.Runner
}

// Run implements [hooks.Runner].
func (n named) Run(ctx context.Context, h hooks.Hook, stdin hooks.Payload, env []string) hooks.Exit {
	if n.functions[h.Name] == nil {
		return n.next.Run(ctx, h, stdin, env)
	}
	h = hooks.Hook{Event: h.Event, Name: h.Name, Source: h.Source}
	return hooks.Functions{ByName: n.functions}.Run(ctx, h, stdin, env)
}
