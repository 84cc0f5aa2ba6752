// Package chat is minigem in a terminal: the commands that begin with "/" and "!", the
// questions about trust, resuming, reloading, undoing. internal/terminal draws and
// reads keys, internal/app builds sessions.
package chat
