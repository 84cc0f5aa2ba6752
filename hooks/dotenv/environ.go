package dotenv

import (
	"slices"
	"strings"
)

// Lookup returns the value of name in an environment, a list of "NAME=value" in
// which the last one counts, and whether it is there.
func Lookup(environ []string, name string) (value string, ok bool) {
	for _, e := range slices.Backward(environ) {
		if value, ok = strings.CutPrefix(e, name+"="); ok {
			return value, true
		}
	}
	return "", false
}
