package config

import "minigem/hooks"

// Loaded is what [Merge] makes of all settings files.
type Loaded struct {
	// Config holds every hook that was found.
	hooks.Config
	// Problems lists the faults of the settings files, in the order in which they were
	// found.
	Problems []Problem
}

// Problem is a fault in a settings file. The rest of the file was still loaded.
type Problem struct {
	// File is the path of the file.
	File string
	// Line counts from 1; 0 means the file as a whole.
	Line int
	// Text says, in a sentence for people, what is wrong and what to do.
	Text string
	// Rule is the linter's code of the fault; empty if it has none.
	Rule string `json:"-"`
	// Fix says how to mend the fault; zero if only a person can.
	Fix Fix `json:"-"`
}

// Fix is what the linter needs to mend a [Problem].
type Fix struct {
	// Edit is the kind of change. Empty means that the intended meaning is unknown.
	Edit Edit
	// From is the name that is wrong.
	From string
	// To is the name that was probably meant; empty if unknown.
	To string
}

// Edit is a way to mend a settings file.
type Edit string

// The values of [Fix.Edit].
const (
	// RenameEvent renames a key of "hooks" from Fix.From to Fix.To.
	RenameEvent Edit = "event"
	// RenameTool replaces Fix.From by Fix.To in a matcher.
	RenameTool Edit = "tool"
	// LowerType writes the type "command" in lower case.
	LowerType Edit = "type"
	// MoveOlder moves a value with an older name to where it belongs now.
	MoveOlder Edit = "older"
	// ToMilliseconds multiplies a timeout by 1,000: it was probably meant in seconds.
	ToMilliseconds Edit = "seconds"
	// ToNumber turns a timeout that is a string into a number.
	ToNumber Edit = "number"
	// DropMark removes the byte order mark from the beginning of the file.
	DropMark Edit = "mark"
)
