// Package agents runs cases of package testbed on the coding agents that people have
// installed, one-shot and offline: the fake model answers, hooks are recorded by a shim
// that passes everything through, and the outcome is read from files, from the requests of
// the model and from exit codes. What an agent prints is looked at on Gemini CLI alone, by
// stdout, stderr and user-saw. The table drive of an agent's file in hooks/agents says how
// the agent is found and started, where its hooks are configured, and what its tools are
// called. What cannot be known of an agent is reported with the reason and never counts as
// passed.
//
// The package does not interpret the answers of hooks. hooks/agents does.
package agents
