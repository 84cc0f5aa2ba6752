package shell

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// escape is what makes a command that people like to allow run a program, or
// write a file, that its arguments name: a rule that allows the command is not
// meant to allow that.
type escape struct {
	letters string                // one-letter options, wherever they stand in a cluster
	long    []string              // long options; every beginning of one counts, since it may be an abbreviation
	single  bool                  // long options have one dash, and are never abbreviated
	word    func() *regexp.Regexp // nil: none; read when it is first needed
	leaves  bool                  // so does a path outside the working directory
}

// escapes are those of programs, by name.
var escapes = map[string]escape{
	"go": {single: true, long: []string{"exec", "toolexec", "vettool", "overlay", "modfile", "o", "w"},
		word: pattern(`^--?(ld|gccgo)flags=.*-extld`)},
	"make":     {letters: "E", long: []string{"--eval"}, word: pattern("^\\.?(SHELL|SHELLFLAGS|MAKEFLAGS|MAKEFILES|GNUMAKEFLAGS)[?:+!]*=|^[^=]*=.*[;|&`$<>]|^-[a-zA-Z]*f-?$"), leaves: true},
	"npm":      {letters: "C", long: []string{"--script-shell", "--node-options", "--prefix", "--userconfig", "--globalconfig", "--shell"}},
	"cargo":    {long: []string{"--config"}},
	"pip":      {letters: "e", long: []string{"--config-settings", "--target", "--prefix", "--root"}},
	"gofmt":    {leaves: true},
	"prettier": {long: []string{"--plugin", "--config", "--parser"}},
}

// gitEscapes are those of git's subcommands.
var gitEscapes = map[string]escape{
	"log": writesOutput, "show": writesOutput, "diff": {long: []string{"--output", "--no-index"}}, "shortlog": writesOutput, "whatchanged": writesOutput,
	"diff-tree": writesOutput, "diff-index": writesOutput, "diff-files": writesOutput, "range-diff": writesOutput, "stash": writesOutput, "reflog": writesOutput,
	"format-patch": {letters: "o", long: []string{"--output", "--output-directory"}},
	"archive":      {letters: "o", long: []string{"--output", "--exec", "--remote"}},
	"fetch":        asksProgram, "pull": asksProgram, "ls-remote": asksProgram, "fetch-pack": asksProgram,
	"clone":     {letters: "uc", long: []string{"--upload-pack", "--config", "--template"}, word: remoteProgram},
	"init":      {long: []string{"--template"}},
	"push":      {long: []string{"--receive-pack", "--exec"}, word: remoteProgram},
	"send-pack": {long: []string{"--receive-pack", "--exec"}},
	"grep":      {letters: "O", long: []string{"--open-files-in-pager", "--no-index", "--untracked"}},
	"rebase":    {letters: "x", long: []string{"--exec"}},
}

var (
	writesOutput  = escape{long: []string{"--output"}}
	asksProgram   = escape{long: []string{"--upload-pack", "--exec"}, word: remoteProgram}
	remoteProgram = pattern(`^ext::`)
	// filesByURL: curl knows schemes in any case, and expands braces and brackets.
	filesByURL = pattern(`(?i)^\s*(file:|[^:/]*[{\[][^:]*:)`)
	// awkActs: it runs, reads or writes something, or compares: nothing less
	// than a parser tells these apart.
	awkActs = pattern(`system|getline|@|SYMTAB|ARGV|[^|]\|([^|]|$)|>`)
)

func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// escaping says what makes a command do more than a rule that allows it means;
// empty: nothing. Words that are not known may be such options, too.
func (e escape) escaping(args []Word) string {
	for i, a := range args {
		if a.Known && a.Text == "--" {
			return dangerIf(e.word != nil && slices.ContainsFunc(args[i:], func(a Word) bool { return e.word().MatchString(a.Text) }), "runs a program, or writes a file, that its arguments name")
		}
		if mayBeOption(a) {
			return "has arguments that are not known, and some make it run programs or write files"
		}
		if e.matches(a.Text) || e.leaves && leaves(a.Text) {
			return "runs a program, or uses files, that its arguments name"
		}
	}
	return ""
}

func (e escape) matches(arg string) bool {
	if e.word != nil && e.word().MatchString(arg) {
		return true
	}
	if !strings.HasPrefix(arg, "-") || arg == "-" {
		return false
	}
	name, _, _ := strings.Cut(arg, "=")
	if e.single {
		return slices.Contains(e.long, strings.TrimLeft(name, "-"))
	}
	if !strings.HasPrefix(arg, "--") {
		return strings.ContainsAny(arg[1:], e.letters)
	}
	return len(name) > 2 && slices.ContainsFunc(e.long, func(long string) bool { return strings.HasPrefix(long, name) })
}

// mayBeOption: a pattern of files that begins with a letter finds no options.
func mayBeOption(a Word) bool {
	return !a.Known && (!a.Glob || a.Text == "" || strings.ContainsAny(a.Text[:1], "*?[-"))
}
