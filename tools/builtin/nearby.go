package builtin

import (
	"context"

	"minigem/llm"
	"minigem/tools"
)

// withNearby wraps tool so that its results for the model include what nearby
// returns for the paths that the call touched: context files of directories
// that are new to the session (core/services/fileDiscoveryService.ts). nil:
// nothing.
func withNearby(tool tools.Tool, nearby func(path string) string) tools.Tool {
	if nearby == nil {
		return tool
	}
	return nearbyTool{tool, nearby}
}

// nearbyTool wraps a tool whose calls have, beyond an Invocation, the methods of edits
// or none. Other optional methods would be lost.
type nearbyTool struct {
	tools.Tool
	nearby func(path string) string
}

// Prepare implements tools.Tool. A call that edits a file stays one that the user can
// modify and that can be checked.
func (t nearbyTool) Prepare(args map[string]any) (tools.Invocation, error) {
	inv, err := t.Tool.Prepare(args)
	if err != nil {
		return nil, err
	}
	c := nearbyCall{inv, t.nearby}
	if e, ok := inv.(edits); ok {
		return nearbyEdit{c, e}, nil
	}
	return c, nil
}

// edits has the methods that calls that edit a file have in addition to an Invocation.
type edits interface {
	tools.Modifiable
	tools.Checkable
}

// nearbyCall is a call that does not edit.
type nearbyCall struct {
	tools.Invocation
	nearby func(path string) string
}

// nearbyEdit is a call that edits a file.
type nearbyEdit struct {
	nearbyCall
	edits
}

// Run implements tools.Invocation. A failed call touched nothing, and images
// stay alone: their additions come with the next call.
func (c nearbyCall) Run(ctx context.Context) (tools.Result, error) {
	paths := c.Intent().Paths // collected before the call changes the files
	res, err := c.Invocation.Run(ctx)
	if err != nil || len(res.Parts) == 0 {
		return res, err
	}
	last, ok := res.Parts[len(res.Parts)-1].(llm.Text)
	if !ok {
		return res, nil
	}
	if res.Display == nil {
		res.Display = last.Text // people can read the files themselves
	}
	for _, path := range paths {
		if text := c.nearby(path); text != "" {
			last.Text += "\n\n" + text
		}
	}
	res.Parts[len(res.Parts)-1] = last
	return res, nil
}
