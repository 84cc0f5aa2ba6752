package protocol

import (
	"regexp"
	"sync"
)

// script matches the name of a script in a command.
var script = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`([\w-][\w.-]*\.(?:sh|bash|zsh|fish|py|js|cjs|mjs|ts|rb|pl|php|lua|ps1|go))(?:["'\s;&|)]|$)`)
})

// ScriptName returns the name, without its folder, of the first script in a command, such
// as guard.sh; "" if there is none. A script is recognized by its extension.
func ScriptName(command string) string {
	if found := script().FindStringSubmatch(command); found != nil {
		return found[1]
	}
	return ""
}
