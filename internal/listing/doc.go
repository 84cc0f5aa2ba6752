// Package listing shows people and programs what there is: hooks, policy rules,
// settings, sessions, what a folder brings. Both the subcommands and the chat
// show it so. It changes nothing.
package listing
