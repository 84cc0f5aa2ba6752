// Package wiring makes a session from a configuration: model, tools, hooks and policy.
// [Open] does it from top to bottom, for a run without a terminal, the chat, an editor, a
// test case and the demo. It prints nothing: it returns errors, and reports everything
// else through the [Frontend] that it is given.
package wiring
