package sandbox

import (
	"strconv"
	"strings"
)

// profile writes r in the language of sandbox-exec, in which the later of two rules for
// one path wins.
func (r *rules) profile() string {
	var b strings.Builder
	b.WriteString("(version 1)\n(allow default)\n(deny file-write*)\n")
	b.WriteString(`(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal ` +
		`"/dev/ptmx") (regex #"^/dev/ttys[0-9]+$"))` + "\n")
	rule := func(what string, paths []string, how string) {
		for _, p := range paths {
			b.WriteString("(" + what + " (" + how + " " + strconv.Quote(p) + "))\n")
		}
	}
	rule("allow file-write*", r.writable, "subpath")
	rule("deny file-write*", r.kept, "subpath")
	// The pinned folders themselves must stay, but not their contents.
	rule("deny file-write-unlink", r.pinned(), "literal")
	if !r.network {
		b.WriteString("(deny network*)\n")
	}
	return b.String()
}
