package dotenv

import (
	"slices"
	"strings"
)

// Lookup returns the value of name in an environment, a list of "NAME=value" in which the
// last entry of a name counts, and whether it is set. Names are compared with case, also
// on Windows.
func Lookup(environ []string, name string) (value string, ok bool) {
	for _, e := range slices.Backward(environ) {
		if value, ok = strings.CutPrefix(e, name+"="); ok {
			return value, true
		}
	}
	return "", false
}
