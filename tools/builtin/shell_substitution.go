package builtin

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"minigem/tools"
	"minigem/tools/policy/shell"
)

// errSubstitutes refuses a command line. Run returns its texts as a successful result,
// like Gemini CLI.
var errSubstitutes = &tools.Error{
	Type:    tools.ErrShell,
	Display: "Blocked: command substitution detected in shell command.",
	Message: "Command injection detected: the command contains a command or process substitution ($(), backticks, <() " +
		"or >()) and was not run. Write it without, for example as two commands.",
}

// Check implements tools.Checkable: the user is not asked about a command that is never
// run.
func (c *shellCall) Check() error {
	if substitutes(c.Command) {
		return errSubstitutes
	}
	return nil
}

// substitutes reports whether the shell would execute a command or process
// substitution in a command line: $(...), backticks, <(...), >(...), outside
// single quotes and quoted here-documents. A line that does not parse is
// searched as text: if in doubt, it does.
func substitutes(command string) bool {
	file, err := shell.Syntax(command, syntax.LangBash)
	if err != nil {
		return looksSubstituting(command)
	}
	found := false
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			found = true
		}
		return !found
	})
	return found
}

// looksSubstituting knows only single quotes and backslashes.
func looksSubstituting(command string) bool {
	single, double := false, false
	for i := 0; i < len(command); i++ {
		rest := command[i:]
		switch {
		case single:
			single = command[i] != '\''
		case command[i] == '\\':
			i++
		case command[i] == '\'' && !double:
			single = true
		case command[i] == '"':
			double = !double
		case command[i] == '`', strings.HasPrefix(rest, "$("), strings.HasPrefix(rest, "${ "), strings.HasPrefix(rest, "${|"):
			return true
		case !double && (strings.HasPrefix(rest, "<(") || strings.HasPrefix(rest, ">(")):
			return true
		}
	}
	return false
}

// rootCommand returns the name of the first program of a command line: "git". It is
// empty if the line does not parse or the name is not a plain word.
func rootCommand(command string) string {
	file, err := shell.Syntax(command, syntax.LangBash)
	if err != nil {
		return ""
	}
	name := ""
	syntax.Walk(file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && name == "" && len(call.Args) > 0 {
			name = path.Base(call.Args[0].Lit())
		}
		return name == ""
	})
	return strings.TrimSuffix(name, ".")
}

// notRun returns the error of a command that is answered instead of run; see
// ShellOptions.NotRun.
func (c *shellCall) notRun() error {
	if c.opts.NotRun != nil {
		if why := c.opts.NotRun(c.DirPath + "\x00" + c.Command); why != "" {
			return tools.Errorf(tools.ErrShell, "not run: %s", why)
		}
	}
	return nil
}
