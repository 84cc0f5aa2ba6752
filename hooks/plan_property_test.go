package hooks_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/hookstest"
	"minigem/hooks/protocol"
	"minigem/internal/thorough"
	"minigem/llm"
)

// TestAProjectTakesNothingFromOtherHooks checks, for random configurations, that a
// project does not affect the hooks of the user, the system and the user's extensions.
// They run with the same settings, in the same order, and sequentially if they did so
// without it. If all are sequential, each of them reads what all of the project's hooks
// left.
func TestAProjectTakesNothingFromOtherHooks(t *testing.T) {
	t.Parallel()
	shadowed, inTurn, seeds := 0, 0, thorough.Times(300, 3000)
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 1))
		own := randomHooks(r, "own", []hooks.Source{{Layer: hooks.LayerUser}, {Layer: hooks.LayerSystemDefaults}, {Layer: hooks.LayerSystem}, {Layer: hooks.LayerExtension}})
		brought := randomHooks(r, "project", []hooks.Source{{Layer: hooks.LayerProject}, {Layer: hooks.LayerExtension, InProject: true}})
		both := slices.Concat(brought, own)
		r.Shuffle(len(both), func(i, j int) { both[i], both[j] = both[j], both[i] })
		own = slices.DeleteFunc(slices.Clone(both), func(h hooks.Hook) bool { return h.Source.OfProject() })

		without, _ := fireWrites(t, own)
		with, args := fireWrites(t, both)
		require.Equal(t, ranOf(without), ranOf(with), "seed %d", seed)
		require.True(t, with.Sequential || !without.Sequential, "seed %d", seed)
		for _, run := range with.Runs {
			if run.Skipped != "" && run.Hook.Source.OfProject() {
				shadowed++
			}
			if !with.Sequential || !run.Ran() || run.Hook.Source.OfProject() {
				continue
			}
			inTurn++
			assert.Equal(t, writtenBy("project", args), writtenBy("project", inputOf(t, run)), "seed %d: %s read what is not final", seed, run.Hook.Source)
		}
		if t.Failed() {
			return
		}
	}
	assert.Greater(t, shadowed, seeds/6, "the random hooks hardly meet")
	assert.Greater(t, inTurn, seeds/6, "the random hooks hardly run in turn")
}

// randomHooks returns up to five hooks whose names and commands are often equal. Half
// of the commands change the arguments.
func randomHooks(r *rand.Rand, owner string, from []hooks.Source) []hooks.Hook {
	var out []hooks.Hook
	for i := range r.IntN(6) {
		h := hooks.Hook{
			Event: protocol.BeforeTool, Name: fmt.Sprintf("n%d", r.IntN(2)), Command: fmt.Sprintf("guard%d", r.IntN(2)),
			Sequential: r.IntN(4) == 0, Timeout: time.Duration(r.IntN(2)) * time.Minute, Source: from[r.IntN(len(from))],
		}
		if r.IntN(2) == 0 {
			h.Command = fmt.Sprintf("write %s%d", owner, i)
		}
		if r.IntN(5) == 0 {
			h.Dialect = "claude"
		}
		if r.IntN(5) == 0 {
			h.Env = map[string]string{"A": "1"}
		}
		h.Source.File, h.Source.Line = "/"+owner+".json", i+1
		out = append(out, h)
	}
	return out
}

// fireWrites fires BeforeTool at hs. "write KEY" sets the argument KEY.
func fireWrites(t *testing.T, hs []hooks.Hook) (hooks.Report, map[string]any) {
	t.Helper()
	runner := &hookstest.Runner{Scripts: map[string]hookstest.Script{}}
	for _, h := range hs {
		var script hookstest.Script
		var key string
		if n, _ := fmt.Sscanf(h.Command, "write %s", &key); n == 1 {
			script.Stdout = fmt.Sprintf(`{"hookSpecificOutput":{"tool_input":{%q:1}}}`, key)
		}
		runner.Scripts[h.Command] = script
	}
	var report hooks.Report
	e := &hooks.Engine{Config: hooks.Config{Hooks: hs}, Runner: runner, Report: func(r hooks.Report) { report = r }}
	out := e.BeforeTool(t.Context(), hooks.ToolUse{Call: llm.ToolCall{Name: "write_file", Args: map[string]any{"file_path": "a"}}})
	return report, out.Args
}

// ranOf returns the hooks that ran, without the project's.
func ranOf(r hooks.Report) []hooks.Hook {
	var out []hooks.Hook
	for _, run := range r.Runs {
		if run.Ran() && !run.Hook.Source.OfProject() {
			out = append(out, run.Hook)
		}
	}
	return out
}

func inputOf(t *testing.T, run hooks.Run) map[string]any {
	t.Helper()
	var in struct {
		ToolInput map[string]any `json:"tool_input"`
	}
	require.NoError(t, json.Unmarshal(run.Stdin.Bytes(), &in))
	return in.ToolInput
}

// writtenBy returns the names of the arguments that owner's hooks set, sorted.
func writtenBy(owner string, args map[string]any) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(args)), func(k string) bool { return len(k) < len(owner) || k[:len(owner)] != owner })
}
