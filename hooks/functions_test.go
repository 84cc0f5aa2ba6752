package hooks_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/llm"
)

// runs is a Runner for commands that answers with the hook it was called for.
type runs struct{}

func (runs) Run(_ context.Context, h hooks.Hook, _ hooks.Payload, _ []string) hooks.Exit {
	return hooks.Exit{Code: 2, Stderr: []byte(h.Command + " ran")}
}

func TestFunctions(t *testing.T) {
	t.Parallel()
	byName := map[string]hooks.Function{
		"guard": hooks.Func(func(in protocol.BeforeToolInput) protocol.Output {
			return protocol.DenyBecause("no " + in.ToolName)
		}),
		"other event": hooks.Func(func(protocol.AfterToolInput) protocol.Output { return protocol.DenyBecause("never") }),
		"panics":      hooks.Func(func(protocol.BeforeToolInput) protocol.Output { panic("oh") }),
	}
	for _, tt := range []struct {
		name   string
		hook   hooks.Hook
		next   hooks.Runner
		want   hooks.Decision
		reason string
	}{
		{"a function", hooks.Hook{Name: "guard"}, nil, hooks.Deny, "no write_file"},
		{"a command of the same name is not a function", hooks.Hook{Name: "guard", Command: "x"}, runs{}, hooks.Deny, "x ran"},
		{"nobody for commands", hooks.Hook{Command: "x", OnError: "block"}, nil, hooks.Deny, "no Runner is given for commands"},
		{"no such function", hooks.Hook{Name: "gard", OnError: "block"}, nil, hooks.Deny, "there is no function of that name"},
		{"no such function, and that lets pass", hooks.Hook{Name: "gard"}, nil, hooks.Proceed, ""},
		{"a function of another event", hooks.Hook{Name: "other event"}, nil, hooks.Proceed, ""},
		{"a panic", hooks.Hook{Name: "panics"}, nil, hooks.Proceed, ""},
		{"a panic of a guard", hooks.Hook{Name: "panics", OnError: "block"}, nil, hooks.Deny, "panicked"},
	} {
		tt.hook.Event = protocol.BeforeTool
		e := &hooks.Engine{Config: hooks.Config{Hooks: []hooks.Hook{tt.hook}}, Runner: hooks.Functions{ByName: byName, Next: tt.next}}
		out := e.BeforeTool(t.Context(), hooks.ToolUse{Call: llm.ToolCall{Name: "write_file"}})
		assert.Equal(t, tt.want, out.Decision, tt.name)
		assert.Contains(t, out.Reason, tt.reason, tt.name)
	}
}

// A function that does not return is abandoned at its timeout.
func TestAFunctionThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		leave := make(chan struct{})
		defer close(leave)
		f := hooks.Functions{ByName: map[string]hooks.Function{"hangs": hooks.Func(func(protocol.BeforeToolInput) protocol.Output {
			<-leave
			return protocol.Output{}
		})}}
		e := &hooks.Engine{Runner: f, Config: hooks.Config{Hooks: []hooks.Hook{{
			Event: protocol.BeforeTool, Name: "hangs", Timeout: time.Second, OnError: "block",
		}}}}
		began := time.Now()
		out := e.BeforeTool(t.Context(), hooks.ToolUse{Call: llm.ToolCall{Name: "t"}})
		assert.Equal(t, hooks.Deny, out.Decision)
		assert.Equal(t, time.Second, time.Since(began))
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errors.New("gone"))
		assert.Error(t, f.Run(ctx, hooks.Hook{Name: "hangs"}, nil, nil).Err)
	})
}
