package lint

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"minigem/hooks"
	"minigem/hooks/author/program"
	"minigem/hooks/config"
	"minigem/hooks/elsewhere"
	"minigem/hooks/jsonc"
)

// command checks h's command itself. From a cd on, nothing is said about programs: only
// a run can tell where they are looked for.
func (l *linter) command(h hooks.Hook) {
	src := h.Source
	self := l.of(h)[0]
	if self.Invalid != "" {
		l.add("HK036", src.File, src.Line, nil, "the shell cannot read the command: %s", self.Invalid)
		return
	}
	for _, u := range config.VariableUses(h.Command) {
		switch {
		case h.Dialect == "claude": // not meant for Gemini CLI

		case u.Quoted && u.Short:
			l.add("HK035", src.File, src.Line, l.commandFix(h),
				`"$%[1]s" breaks in Gemini CLI where the path has a space; "${%[1]s}" works everywhere`, u.Name)
		case !u.Quoted && !u.Short:
			l.add("HK035", src.File, src.Line, l.commandFix(h),
				`${%[1]s} without quotes breaks in Gemini CLI where the path has a space; "${%[1]s}" works everywhere`, u.Name)
		}
	}
	if src.Layer != hooks.LayerExtension && h.Dialect != "claude" && program.SingleQuotedVariable(h.Command) {
		l.add("HK037", src.File, src.Line, nil, "%s", elsewhere.DifferenceByID("early-expansion"))
	}
	for _, c := range config.Calls(h, l.Setup.Place.Dir, l.Setup.Place.Vars()) {
		if c.Words[0] == "cd" || c.Words[0] == "pushd" {
			break // from there on only a run can tell
		}
		l.program(h, c)
	}
}

// interpreters run the file named by their first argument.
var interpreters = []string{"sh", "bash", "zsh", "dash", "python", "python3", "node", "ruby", "perl", "deno", "bun"}

// builtins are commands that shells implement themselves.
var builtins = strings.Fields(
	`. : [ [[ alias bg break builtin cd command continue declare dirs disown echo enable eval exec exit export false fc fg
	getopts hash help history jobs kill let local logout
	mapfile popd printf pushd pwd read readarray readonly return set shift shopt source
	suspend test time times trap true type typeset ulimit umask unalias unset wait`)

// program checks the program that c starts.
func (l *linter) program(h hooks.Hook, c config.Program) {
	name := c.Words[0]
	switch {
	case name == "" || slices.Contains(builtins, name):
		return
	case !strings.Contains(name, "/"):
		if !l.inPath(name) && !strings.Contains(h.Command, "PATH=") {
			l.add("HK030", h.Source.File, h.Source.Line, nil, "there is no program %q on the PATH; %s", name, missing)
		}
	default:
		l.file(h, name, "")
	}
	if slices.Contains(interpreters, filepath.Base(name)) && len(c.Words) > 1 {
		if arg := c.Words[1]; arg != "" && !strings.HasPrefix(arg, "-") {
			l.file(h, arg, filepath.Base(name))
		}
	}
}

// missing is the effect of a program that does not exist.
var missing = "exit 127: " + effect("HK030")

// file checks a file that is run, by an interpreter or directly (by is ""). What
// happens if the file is missing depends on the interpreter: some exit with 2 then,
// which blocks.
func (l *linter) file(h hooks.Hook, name, by string) {
	path, missing := name, missing
	switch {
	case strings.HasPrefix(by, "python"), by == "perl":
		missing = by + " exits with 2 then, which blocks whatever the hook is asked about"
	case by == "node", by == "ruby", by == "deno", by == "bun":
		missing = by + " exits with 1 then, which blocks nothing"
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(l.Setup.Place.Dir, path)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		l.add("HK030", h.Source.File, h.Source.Line, nil, "there is no file %s; %s", name, missing)
	case info.IsDir():
		l.add("HK030", h.Source.File, h.Source.Line, nil, "%s is a folder; %s", name, missing)
	case by == "" && info.Mode()&0o111 == 0:
		l.add("HK031", path, 0, func(f *fixer) error {
			return os.Chmod(path, info.Mode()|info.Mode()&0o444>>2)
		}, "the file may not be executed (chmod +x), though the hook at %s runs it", h.Source)
	}
}

// inPath reports whether the PATH of the session has a program of that name.
func (l *linter) inPath(name string) bool {
	for _, dir := range filepath.SplitList(l.Path) {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return true
		}
	}
	return false
}

// commandFix returns a fix that adds quotes and braces to the variables in h's command.
// It returns nil where the settings cannot be mended: in an extension, or in a file
// with a syntax error.
func (l *linter) commandFix(h hooks.Hook) func(*fixer) error {
	doc := l.docs[h.Source.File]
	if doc == nil || h.Source.Layer == hooks.LayerExtension {
		return nil
	}
	return func(f *fixer) error {
		f.changed[h.Source.File] = doc
		return eachEntry(doc, func(n jsonc.Node) error {
			c := n.Get("command")
			if n.Line() != h.Source.Line || c.Kind() != jsonc.String {
				return nil
			}
			return c.Replace(quoteVariables(c.Text()))
		})
	}
}

// quoteVariables writes each variable as "${NAME}", which all agents expand alike.
func quoteVariables(command string) string {
	command = config.QuoteVariables(command)
	for _, u := range slices.Backward(config.VariableUses(command)) {
		if u.Short {
			command = command[:u.Start] + "${" + u.Name + "}" + command[u.End:]
		}
	}
	return command
}
