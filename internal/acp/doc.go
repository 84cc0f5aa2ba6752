// Package acp serves minigem to an editor, by the Agent Client Protocol on standard
// input and output: sessions, prompts, permissions, modes and its files. It only
// converts: sessions are the same as elsewhere, their hooks fire as usual, and
// questions from a hook or the policy become requests to the editor.
//
// The rules:
//
//   - The editor may send anything: input is bounded, and none of it ends the
//     program.
//   - An answer that was not offered is a no.
//   - A session runs one prompt at a time.
package acp
