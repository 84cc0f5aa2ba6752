package hooks_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/hookstest"
	"minigem/hooks/protocol"
	"minigem/internal/thorough"
	"minigem/llm"
)

// TestAProjectWidensNoSelectionOfTools checks, for random hooks of BeforeModel and
// BeforeToolSelection, that a project's hooks make no further tool callable, and that a
// forced call stays forced and a forbidden one forbidden.
func TestAProjectWidensNoSelectionOfTools(t *testing.T) {
	t.Parallel()
	narrowed, heldBack, seeds := 0, 0, thorough.Times(200, 1000)
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 2))
		all := randomSelectors(r)
		own := slices.DeleteFunc(slices.Clone(all), func(h hooks.Hook) bool { return h.Source.OfProject() })
		brought := slices.DeleteFunc(slices.Clone(all), func(h hooks.Hook) bool { return !h.Source.OfProject() })
		with, without, alone := selected(t, all), selected(t, own), selected(t, brought)
		for _, name := range callable(with) {
			require.Contains(t, callable(without), name, "seed %d: %s", seed, commandsOf(all))
		}
		require.GreaterOrEqual(t, force(with), force(without), "seed %d: %s", seed, commandsOf(all))
		if with.Choice.Mode != llm.ToolModeAny {
			require.Empty(t, with.Choice.Allowed, "seed %d: only ANY has names beside it", seed)
		}
		if len(callable(with)) < len(callable(alone)) {
			heldBack++
		}
		if len(callable(with)) < len(callable(without)) {
			narrowed++
		}
	}
	assert.Greater(t, narrowed, seeds/13, "the project's hooks hardly narrow")
	assert.Greater(t, heldBack, seeds/13, "the other hooks hardly narrow")
}

// TestSelectionsMergeInAnyOrder checks that the order of one owner's hooks at
// an event makes no difference, and that running them in turn makes none either.
func TestSelectionsMergeInAnyOrder(t *testing.T) {
	t.Parallel()
	for seed := range uint64(thorough.Times(40, 200)) {
		r := rand.New(rand.NewPCG(seed, 3))
		list := randomSelectors(r)
		for i := range list {
			list[i].Event, list[i].Sequential = protocol.BeforeModel, false
			list[i].Source = hooks.Source{Layer: hooks.LayerUser, Line: i + 1}
		}
		want := selected(t, list)
		turned := slices.Clone(list)
		slices.Reverse(turned)
		got := selected(t, turned)
		require.Equal(t, []any{callable(want), want.Choice}, []any{callable(got), got.Choice}, "seed %d: %s", seed, commandsOf(list))
		for i := range turned {
			turned[i].Sequential = true
		}
		got = selected(t, turned)
		require.Equal(t, []any{callable(want), want.Choice}, []any{callable(got), got.Choice}, "seed %d in turn: %s", seed, commandsOf(list))
	}
}

// randomSelectors returns up to six hooks that print their commands.
func randomSelectors(r *rand.Rand) []hooks.Hook {
	from := []hooks.Source{{Layer: hooks.LayerProject}, {Layer: hooks.LayerExtension, InProject: true}, {Layer: hooks.LayerUser}, {Layer: hooks.LayerSystem}, {Layer: hooks.LayerExtension}}
	var out []hooks.Hook
	for i := range 1 + r.IntN(6) {
		config := fmt.Sprintf(`{"mode":%q`, []string{"AUTO", "ANY", "NONE"}[r.IntN(3)])
		if r.IntN(4) == 0 {
			config = `{"x":1`
		}
		if r.IntN(2) == 0 {
			names := []string{`"a"`, `"b"`, `"c"`, `"d"`, `"missing"`}
			r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
			config += `,"allowedFunctionNames":[` + names[0] + "," + names[1] + "]"
		}
		h := hooks.Hook{Event: protocol.BeforeToolSelection, Command: fmt.Sprintf(`{"hookSpecificOutput":{"toolConfig":%s}}}`, config), Sequential: r.IntN(5) == 0, Source: from[r.IntN(len(from))]}
		if r.IntN(2) == 0 {
			h.Event, h.Command = protocol.BeforeModel, fmt.Sprintf(`{"hookSpecificOutput":{"llm_request":{"toolConfig":%s}}}}`, config)
		}
		h.Source.Line = i + 1
		out = append(out, h)
	}
	return out
}

func commandsOf(hs []hooks.Hook) (out []string) {
	for _, h := range hs {
		out = append(out, string(h.Source.Layer)+" "+h.Command)
	}
	return out
}

// selected returns what hooks leave of a request with four tools.
func selected(t *testing.T, hs []hooks.Hook) *hooks.ModelRequest {
	t.Helper()
	runner := &hookstest.Runner{Scripts: map[string]hookstest.Script{}}
	for _, h := range hs {
		runner.Scripts[h.Command] = hookstest.Script{Stdout: h.Command}
	}
	e := &hooks.Engine{Config: hooks.Config{Hooks: hs}, Runner: runner}
	req := llm.Request{Model: "m", Messages: []llm.Message{llm.UserText("hi")}, Tools: []llm.ToolSpec{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}}}
	return e.BeforeToolSelection(t.Context(), e.BeforeModel(t.Context(), hooks.NewModelRequest(req)).Request)
}

func callable(r *hooks.ModelRequest) []string {
	var out []string
	for _, t := range r.Tools {
		if r.Offers(t.Name) {
			out = append(out, t.Name)
		}
	}
	return out
}

// force ranks modes by how little choice they leave the model.
func force(r *hooks.ModelRequest) int {
	return slices.Index([]llm.ToolMode{llm.ToolModeUnset, llm.ToolModeAuto, llm.ToolModeAny, llm.ToolModeNone}, r.Choice.Mode)
}
