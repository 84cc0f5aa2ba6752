package sandbox

import (
	"strconv"
	"strings"
)

// profile writes r in the language of sandbox-exec. Of two rules for one path
// the later one wins.
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
	// Not the folders between themselves, but what is in them.
	rule("deny file-write-unlink", r.pinned(), "literal")
	if !r.network {
		b.WriteString("(deny network*)\n")
	}
	return b.String()
}
