// Package acp serves minigem to an editor, by the Agent Client Protocol on
// standard input and output: sessions, prompts, permissions, modes and its files. It
// converts; a session is what it is everywhere, its hooks fire as ever, and what a
// hook or the policy asks becomes a request to the editor.
//
// Rules of the room:
//   - What the editor sends may be anything: it is bounded, and nothing of it ends
//     the program.
//   - An answer that was not offered is a no.
//   - One prompt of a session runs at a time.
package acp
