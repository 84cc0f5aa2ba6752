// Package agents runs cases of package testbed on the coding agents that people
// have installed, one-shot and offline: the fake model answers, hooks are
// recorded by a shim that passes everything through, and its outcome is read
// from files, from the requests of the model and from exit codes, never from
// what an agent prints. The table drive of an agent's file in hooks/agents says how it is found and
// started, where its hooks stand, what its tools are called. What cannot be known
// of an agent is said, with the reason, and is never green.
//
// The package keeps out what answers mean to which agent: that is hooks/agents.
package agents
