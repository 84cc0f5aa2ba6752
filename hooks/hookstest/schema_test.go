package hookstest_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/hookstest"
	"minigem/hooks/protocol"
	"minigem/hooks/schema"
)

// inputRunner is a Runner that records what hooks read.
type inputRunner struct {
	hooks.Runner
	see func(h hooks.Hook, stdin []byte)
}

func (w inputRunner) Run(ctx context.Context, h hooks.Hook, stdin hooks.Payload, env []string) hooks.Exit {
	w.see(h, stdin.Bytes())
	return w.Runner.Run(ctx, h, stdin, env)
}

// TestContractFitsSchemas checks that what hooks read in the contract's cases fits the
// input schemas. It also checks that each answer that was read without a warning fits
// the output schemas, in whatever spelling it came.
func TestContractFitsSchemas(t *testing.T) {
	t.Parallel()
	inputs, outputs := resolve(t, schema.Input), resolve(t, schema.Output)
	for _, c := range contract() {
		if slices.ContainsFunc(c.Hooks, func(h caseHook) bool { return h.Hangs }) {
			continue // it takes time and shows nothing new
		}
		for _, h := range c.Hooks {
			read := protocol.DialectOf(h.Dialect).Parse(
				c.Event, protocol.Ran{Code: h.Exit, Stdout: []byte(h.Out), Stderr: []byte(h.Err)})
			if len(read.Warnings) > 0 {
				continue // part of it has no effect at this event
			}
			said, err := json.Marshal(read.Output)
			require.NoError(t, err)
			fits(t, outputs[c.Event], said, c.Name+": "+h.Out)
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			c.check(t, func(t *testing.T, scripts map[string]hookstest.Script) hooks.Runner {
				return inputRunner{fake(t, scripts), func(h hooks.Hook, stdin []byte) {
					if h.Dialect == "" {
						fits(t, inputs[h.Event], stdin, c.Name)
					}
				}}
			})
		})
	}
}

func resolve(t *testing.T, describe func(protocol.Event) (*jsonschema.Schema, error)) map[protocol.Event]*jsonschema.
	Resolved {
	t.Helper()
	all := map[protocol.Event]*jsonschema.Resolved{}
	for _, event := range protocol.Events {
		s, err := describe(event)
		require.NoError(t, err)
		all[event], err = s.Resolve(nil)
		require.NoError(t, err)
	}
	return all
}

func fits(t *testing.T, s *jsonschema.Resolved, text []byte, name string) {
	t.Helper()
	var v any
	if assert.NoError(t, json.Unmarshal(text, &v), name) {
		assert.NoError(t, s.Validate(v), "%s: %s", name, text)
	}
}
