package policy

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"minigem/tools/policy/shell"
)

// interpreters run what their arguments say, in their own languages: "always" means the
// same arguments, not the interpreter.
const interpreters = "python python2 python3 node deno bun perl ruby php lua awk gawk sed npx ssh kubectl make gmake"

// moreIsCode reports whether arguments after those of an interpreter may be another program.
// After the file of a script they are the script's.
func moreIsCode(prefix []string) bool {
	name := path.Base(prefix[0])
	return shell.Listed(interpreters, name) && (shell.Listed("sed awk gawk make gmake ssh kubectl", name) ||
		len(prefix) < 2 || strings.HasPrefix(prefix[1], "-"))
}

// parted are programs of many commands, of which "always" means one.
const parted = "git npm pnpm yarn go cargo docker podman gh glab pip pip3 uv poetry gem bundle mvn gradle ./gradlew " +
	"dotnet terraform brew apt apt-get systemctl"

// subcommands matches a program with plain words after it, so that "always" is never
// about an option or a path.
var subcommands = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\S+( [a-z][a-z0-9:-]*)*$`) })

// RootCommands returns the command prefixes that "always" would allow for a command line:
// the name of each command that does not run unasked, with its subcommand if the program
// has many, or the whole command if the name says too little. It is empty if no prefix
// would help, as for a line that cannot be parsed.
func RootCommands(command string) []string {
	line, err := shell.Parse(command)
	if err != nil || !line.Plain {
		return nil
	}
	var out []string
	for _, c := range line.Commands {
		if c.Inert() && !writes(c) {
			continue
		}
		n, name := 1, path.Base(c.Name())
		many := shell.Listed(parted, name)
		switch {
		case many && len(c.Words) > 1 && shell.Listed("run exec compose", c.Words[1].Text):
			n = 3
		case many:
			n = 2
		case shell.Listed(interpreters, name), c.Runs():
			n = len(c.Words)
		}
		words := shell.Command{Words: c.Words[:min(n, len(c.Words))]}
		prefix := words.Text()
		if !words.Known() || len(strings.Fields(prefix)) != len(words.Words) || many && !subcommands().MatchString(prefix) {
			return nil
		}
		if !slices.Contains(out, prefix) {
			out = append(out, prefix)
		}
	}
	return out
}

// isRedirected reports whether any command of the line is.
func isRedirected(command string) bool {
	line, err := shell.Parse(command)
	return err == nil && slices.ContainsFunc(line.Commands, func(c shell.Command) bool { return len(c.Redirects) > 0 })
}

// allowedBy says which rule refused a command in a session without a user, and which flag
// would allow it.
func allowedBy(c Call, rule string) string {
	command, _ := c.Args["command"].(string)
	why := "refused by " + rule
	for i, prefix := range RootCommands(command) {
		if i == 0 {
			why += ", allowed by"
		}
		why += fmt.Sprintf(" --allowed-tools 'run_shell_command(%s)'", prefix)
	}
	return why
}
