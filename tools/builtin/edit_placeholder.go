package builtin

import (
	"regexp"
	"strings"
)

// omission matches the placeholders that models write for code that they left
// out.
var omission = regexp.MustCompile(`^(rest of|(rest of|unchanged) (code|methods?))\s*(\.\.\.|…)$`)

// placeholders returns the lines of text that are placeholders for omitted code
// (core/tools/write-file.ts).
func placeholders(text string) []string {
	var found []string
	for l := range strings.SplitSeq(text, "\n") {
		l = strings.ToLower(strings.TrimSpace(l))
		l = strings.TrimSpace(strings.TrimPrefix(l, "//"))
		l = strings.TrimSpace(strings.Trim(l, "()"))
		if omission.MatchString(l) {
			found = append(found, l)
		}
	}
	return found
}
