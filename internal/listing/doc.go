// Package listing prints lists for people and programs: hooks, policy rules, settings,
// sessions, the content of a folder. The subcommands and the chat use it. It changes
// nothing.
package listing
