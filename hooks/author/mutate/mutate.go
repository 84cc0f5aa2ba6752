// Package mutate breaks hooks one small way at a time: their entries in settings
// and the text of their programs. A suite of cases that stays green with such a
// mutant does not notice the fault.
//
// The package changes bytes that it is given. Where they are written, and which
// cases run beside them, is the business of others.
package mutate

import (
	"bytes"
	"cmp"
	"slices"
)

// The classes of mutants.
const (
	Matcher  = "matcher"  // it is removed, or loses one of its names
	Event    = "event"    // the hooks of one event run at another
	Script   = "script"   // the hook does nothing: its command is true
	Timeout  = "timeout"  // the hook hangs, and gets 1 ms
	OnError  = "onError"  // a failure blocks no more
	Exit     = "exit"     // exit 2 is exit 1
	Decision = "decision" // deny is allow, allow is deny
	Reason   = "reason"   // it is not given
	Answer   = "answer"   // what the hook changes is not given
)

// Classes are all of them, in the order in which mutants are made.
var Classes = []string{Matcher, Event, Script, Timeout, OnError, Exit, Decision, Reason, Answer}

// A Mutant is a file with one small fault.
type Mutant struct {
	Class string
	Hook  string // whose entry was changed; empty: it is a program
	Line  int    // from 1
	What  string // such as "exit 2 -> exit 1"
	Text  []byte // the file as it is with the fault
}

// sorted is all in the order of classes, then of lines, without those that change
// nothing and those that are there already.
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
