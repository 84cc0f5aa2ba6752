package output

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"minigem/agent"
	"minigem/agent/event"
	"minigem/llm"
)

// TestStatsCountAllThatWasAsked checks that tokens for discarded answers and side
// requests are counted, too. Gemini CLI 0.61 counts them the same way.
func TestStatsCountAllThatWasAsked(t *testing.T) {
	t.Parallel()
	used := func(n int) *llm.Usage { return &llm.Usage{Prompt: n, Total: n} }
	s := &Stats{}
	for _, e := range []event.Event{
		event.RoundDiscarded{Model: "m", Attempt: 1, Latency: time.Millisecond, Usage: used(10)},
		event.RoundDiscarded{Reason: "the model repeats itself", Attempt: 1},
		event.RoundFailed{Model: "m", Latency: time.Millisecond, Usage: used(10), Err: &agent.StreamError{Kind: agent.NoResponseText}},
		event.RoundFinished{Model: "m", Latency: time.Millisecond, Usage: used(100)},
		event.RoundFinished{Model: "m", Synthetic: true},
		event.SideRequest{Role: "utility_compressor", Model: "m", Latency: 2 * time.Millisecond, Usage: used(1000)},
		event.SideRequest{Role: "utility_tool", Model: "w", Latency: 3 * time.Millisecond, Err: &llm.Error{Kind: llm.ErrQuota}},
	} {
		s.Emit(e)
	}
	got := s.Snapshot()
	assert.Equal(t, []string{"m", "w"}, got.Models.Names)
	m, w := got.Models.Get("m"), got.Models.Get("w")
	assert.Equal(t, APICounts{TotalRequests: 4, TotalErrors: 1, TotalLatencyMS: 5, ErrorsByType: map[string]int{"NO_RESPONSE_TEXT": 1}}, m.API)
	assert.Equal(t, TokenCounts{Input: 1120, Prompt: 1120, Total: 1120}, m.Tokens)
	assert.Equal(t, []string{"main", "utility_compressor"}, m.Roles.Names)
	assert.Equal(t, RoleCounts{TotalRequests: 3, TotalErrors: 1, TotalLatencyMS: 3, Tokens: TokenCounts{Input: 120, Prompt: 120, Total: 120}}, *m.Roles.Get("main"))
	assert.Equal(t, RoleCounts{TotalRequests: 1, TotalLatencyMS: 2, Tokens: TokenCounts{Input: 1000, Prompt: 1000, Total: 1000}}, *m.Roles.Get("utility_compressor"))
	assert.Equal(t, APICounts{TotalRequests: 1, TotalErrors: 1, TotalLatencyMS: 3, ErrorsByType: map[string]int{"quota": 1}}, w.API)
	assert.Equal(t, []string{"utility_tool"}, w.Roles.Names)
}

// TestFailureTypes checks that failures have Gemini CLI's names, by which programs
// distinguish them.
func TestFailureTypes(t *testing.T) {
	t.Parallel()
	plain := errors.New("why")
	for _, tt := range []struct {
		err  error
		code int
		want string
	}{
		{plain, 1, "unknown"},
		{plain, 41, "Error"},
		{plain, 42, "FatalInputError"},
		{plain, 52, "FatalConfigError"},
		{plain, 53, "FatalTurnLimitedError"},
		{plain, 54, "FatalToolExecutionError"},
		{plain, 55, "FatalUntrustedWorkspaceError"},
		{plain, 130, "FatalCancellationError"},
		{plain, 143, "unknown"},
		// Errors between us and the model have kinds of their own.
		{&llm.Error{Kind: llm.ErrAuth}, 41, "auth"},
		{&agent.StreamError{Kind: agent.SafetyBlocked}, 1, "SAFETY_BLOCKED"},
	} {
		assert.Equal(t, tt.want, FailureOf(tt.err, tt.code).Type, "%v %d", tt.err, tt.code)
	}
	assert.Nil(t, FailureOf(nil, 0))
}
