package hookstest

import (
	"slices"

	"minigem/hooks/protocol"
)

// The events, short for one-line rows.
const (
	sessionStart      = protocol.SessionStart
	beforeAgent       = protocol.BeforeAgent
	preCompress       = protocol.PreCompress
	postCompact       = protocol.PostCompact
	beforeModel       = protocol.BeforeModel
	selection         = protocol.BeforeToolSelection
	afterModel        = protocol.AfterModel
	beforeTool        = protocol.BeforeTool
	notification      = protocol.Notification
	afterTool         = protocol.AfterTool
	permissionRequest = protocol.PermissionRequest
	toolFailed        = protocol.PostToolUseFailure
	afterAgent        = protocol.AfterAgent
	stopFailure       = protocol.StopFailure
	sessionEnd        = protocol.SessionEnd
)

// Answers that many rows use.
const (
	denyNo   = `{"decision":"deny","reason":"no"}`
	stopNow  = `{"continue":false,"stopReason":"enough"}`
	askWhy   = `{"decision":"ask","reason":"sure?"}`
	allowYes = `{"decision":"allow","reason":"fine"}`
)

// Cases is the contract, sentence by sentence (docs/spec/contract.md 3
// and 4, docs/spec/faults.md).
func Cases() []Case {
	return slices.Concat(
		exitCases, streamCases, decisionCases, fieldCases, // what a hook says
		severalCases, matcherCases, lifeCases, // several hooks, and which run
		toolCases, permissionCases, agentCases, subagentCases, requestCases, responseCases, selectionCases, // what they change
		trapCases, faultCases, claudeCases,
	)
}

func one(h Hook) []Hook { return []Hook{h} }

func out(text string) []Hook { return []Hook{{Out: text}} }

func outs(texts ...string) []Hook {
	var hs []Hook
	for _, t := range texts {
		hs = append(hs, Hook{Out: t})
	}
	return hs
}

// inTurn makes hooks sequential.
func inTurn(hs ...Hook) []Hook {
	for i := range hs {
		hs[i].Sequential = true
	}
	return hs
}
