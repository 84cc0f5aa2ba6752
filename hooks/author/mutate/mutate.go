// Package mutate breaks hooks one small way at a time: their entries in settings
// ([Settings]) and the text of their programs ([Program]). A suite of cases that stays
// green with such a mutant does not notice the fault.
//
//	for _, m := range mutate.Program(script) {
//		fmt.Println(m.Line, m.What) // 7 exit 2 -> exit 1
//		// write m.Text instead of the script, and run the cases
//	}
//
// The package only changes bytes. Writing mutants to disk and running cases with them is
// left to the caller.
package mutate

import (
	"bytes"
	"cmp"
	"slices"
)

// The classes of mutants.
const (
	// Matcher removes a matcher, or one of the names in it.
	Matcher = "matcher"
	// Event moves the hooks of one event to another.
	Event = "event"
	// Script replaces a command by true, so that the hook does nothing.
	Script = "script"
	// Timeout makes the hook hang and gives it 1 ms.
	Timeout = "timeout"
	// OnError removes onError "block", so that a failure no longer blocks.
	OnError = "onError"
	// Exit turns exit 2 into exit 1.
	Exit = "exit"
	// Decision swaps deny and allow.
	Decision = "decision"
	// Reason removes the reason of a decision.
	Reason = "reason"
	// Answer removes what the hook changes or adds.
	Answer = "answer"
)

// Classes lists all classes, in the order in which mutants are made. It must not be
// changed.
var Classes = []string{Matcher, Event, Script, Timeout, OnError, Exit, Decision, Reason, Answer}

// A Mutant is a file with one small fault.
type Mutant struct {
	// Class is one of [Classes].
	Class string
	// Hook is the name or command of the hook whose entry was changed; empty if the file
	// is a program, or if a whole event was moved.
	Hook string
	// Line is the line that was changed, from 1.
	Line int
	// What describes the change, such as "exit 2 -> exit 1".
	What string
	// Text is the whole file with the fault.
	Text []byte
}

// sorted sorts mutants by class, then by line. It drops duplicates and mutants that
// change nothing.
func sorted(was []byte, all []Mutant) []Mutant {
	var out []Mutant
	for _, m := range all {
		if !bytes.Equal(m.Text, was) && !slices.ContainsFunc(out, func(o Mutant) bool {
			return bytes.Equal(o.Text, m.Text)
		}) {
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, func(a, b Mutant) int {
		return cmp.Or(cmp.Compare(slices.Index(Classes, a.Class), slices.Index(Classes, b.Class)),
			cmp.Compare(a.Line, b.Line))
	})
	return out
}
