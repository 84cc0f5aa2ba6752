package protocol

import (
	"regexp"
	"sync"
)

// script is a file in a command by whose name people call a hook.
var script = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`([\w-][\w.-]*\.(?:sh|bash|zsh|fish|py|js|cjs|mjs|ts|rb|pl|php|lua|ps1|go))(?:["'\s;&|)]|$)`)
})

// ScriptName returns the name of the first script in a command, such as guard.sh;
// empty: there is none.
func ScriptName(command string) string {
	if found := script().FindStringSubmatch(command); found != nil {
		return found[1]
	}
	return ""
}
