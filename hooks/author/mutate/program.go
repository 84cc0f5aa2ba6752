package mutate

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// fault is a small change to a line of a program, wherever find matches.
type fault struct {
	class    string
	find, by string // a regular expression and its replacement
}

// faults are searched in commands and in programs of any language. Each match makes a
// separate mutant.
var faults = []fault{
	{Exit, `(\b[eE]xit(?:Code)?(?:\s*=\s*|\s*\(\s*|\s+))2\b`, "${1}1"},
	{Decision, `(\\?["'])(?:deny|block|ask)(\\?["'])`, "${1}allow${2}"},
	{Decision, `(\\?["'])(?:allow|approve)(\\?["'])`, "${1}deny${2}"},
	{Decision, `(\bcontinue\\?["']?\s*:\s*)(?:false|False)\b`, "${1}true"},
	{Reason, `\b(?:reason|stopReason|systemMessage)(\\?["']?\s*:)`, "unused${1}"},
	{Reason, `>\s*&2`, ">/dev/null"},
	{Reason, `,\s*file=sys\.stderr`, ""},
	{Reason, `\b(?:console\.error|process\.stderr\.write)\(`, "void ("},
	{Answer, `\b(?:hookSpecificOutput|tailToolCallRequest)(\\?["']?\s*:)`, "unused${1}"},
	{Answer, `\badditionalContext(\\?["']?\s*:)`, "unused${1}"},
}

// patterns are the expressions of faults, by their index.
var patterns = sync.OnceValue(func() []*regexp.Regexp {
	var out []*regexp.Regexp
	for _, f := range faults {
		out = append(out, regexp.MustCompile(f.find))
	}
	return out
})

// most limits the mutants of one file.
const most = 200

// Program returns the mutants of a program in any language, sorted by class and line;
// at most 200. Lines that are comments or inside Python's triple quotes have none, and
// binary files have none. It returns nil if there is nothing to break. data is not
// changed.
func Program(data []byte) []Mutant {
	if bytes.IndexByte(data, 0) >= 0 {
		return nil
	}
	var all []Mutant
	at, n, quoted := 0, 0, false
	for line := range bytes.Lines(data) {
		n++
		inside := quoted || comment(line)
		if bytes.Count(line, []byte(`"""`))%2 == 1 { // a string of several lines, such as a Python docstring
			quoted, inside = !quoted, true
		}
		for _, c := range changed(string(line)) {
			if len(all) < most && !inside {
				text := bytes.Join([][]byte{data[:at], []byte(c.line), data[at+len(line):]}, nil)
				all = append(all, Mutant{Class: c.class, Line: n, What: c.what, Text: text})
			}
		}
		at += len(line)
	}
	return sorted(data, all)
}

// comment reports whether a line is only a comment.
func comment(line []byte) bool {
	line = bytes.TrimSpace(line)
	return bytes.HasPrefix(line, []byte("#")) || bytes.HasPrefix(line, []byte("//"))
}

// change is a line with one fault in it.
type change struct{ class, line, what string }

// changed returns line with each fault in each place where it fits, one at a time. It
// returns nil if none fits.
func changed(line string) []change {
	var out []change
	for i, re := range patterns() {
		f := faults[i]
		for _, at := range re.FindAllStringSubmatchIndex(line, -1) {
			was := line[at[0]:at[1]]
			by := string(re.ExpandString(nil, f.by, line, at))
			shown := strings.TrimSpace(by)
			if shown == "" {
				shown = "nothing"
			}
			out = append(
				out, change{f.class, line[:at[0]] + by + line[at[1]:], fmt.Sprintf("%s -> %s", strings.TrimSpace(was), shown)})
		}
	}
	return out
}
