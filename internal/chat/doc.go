// Package chat is minigem in a terminal: the commands that begin with "/" and
// "!", the questions about trust, resuming, reloading, going back. Drawing and
// keys are internal/terminal's, what a session is made of is internal/app's.
package chat
