package shell

import (
	"slices"
	"strings"
)

// reader is a command that only reads, with the options that make it do more.
type reader struct {
	letters string   // one-letter options that are not safe
	long    []string // beginnings of long options that are not safe
	only    []string // where set: every argument must be one of these
	max     int      // most operands; 0: any number
	free    bool     // operands are no paths
}

// readers are the commands that need no question when they stay inside the
// working directory. Options are checked against their abbreviations too.
var readers = map[string]reader{
	"cat": {}, "head": {}, "tail": {}, "wc": {}, "nl": {}, "tac": {}, "rev": {}, "cut": {}, "paste": {}, "comm": {},
	"cmp": {}, "diff": {}, "ls": {}, "stat": {}, "du": {}, "grep": {}, "egrep": {}, "fgrep": {}, "realpath": {},
	"readlink": {}, "md5sum": {}, "sha1sum": {}, "sha256sum": {}, "cksum": {}, "tree": {letters: "oR", long: []string{"--o"}},
	"file": {letters: "Cm", long: []string{"--c", "--m"}},
	"sort": {letters: "oT", long: []string{"--o", "--c", "--t", "--files0"}},
	"uniq": {max: 1},
	"rg":   {letters: "z", long: []string{"--pre", "--hostname", "--search-z"}},
	"find": {},
	"cd":   {max: 1},

	"pwd": {free: true}, "echo": {free: true}, "true": {free: true}, "false": {free: true}, ":": {free: true},
	"basename": {free: true}, "dirname": {free: true}, "uname": {free: true}, "whoami": {free: true}, "id": {free: true},
	"seq": {free: true}, "tr": {free: true}, "sleep": {free: true}, "which": {free: true}, "type": {free: true},
	"printf":   {letters: "v", free: true},
	"date":     {letters: "sfr", long: []string{"--s", "--f", "--r"}, only: []string{"-u", "--utc", "-I", "-R"}, free: true},
	"hostname": {only: []string{}, free: true},
	"command":  {free: true},
}

// gitReaders are git's subcommands that only read.
var gitReaders = map[string]reader{
	"status": {}, "rev-parse": {free: true}, "ls-files": {}, "describe": {}, "shortlog": {}, "blame": {},
	"log":    {letters: "O", long: []string{"--ou", "--ext", "--te"}},
	"diff":   {letters: "O", long: []string{"--ou", "--ext", "--te"}},
	"show":   {letters: "O", long: []string{"--ou", "--ext", "--te"}},
	"branch": {only: []string{"-a", "-r", "-v", "-vv", "--list", "--show-current", "--all", "--remotes"}},
	"remote": {only: []string{"-v", "--verbose"}},
	"tag":    {only: []string{"-l", "--list"}},
}

// safe reports whether a command only reads, and nothing outside the working
// directory. Every word has to be known, file patterns excepted.
func safe(words []Word) bool {
	name, args := words[0].Text, words[1:]
	r, ok := readers[name]
	if name == "git" {
		if len(args) == 0 || !args[0].Known {
			return false
		}
		r, ok = gitReaders[args[0].Text]
		args = args[1:]
	}
	if !ok {
		return false
	}
	if name == "find" {
		return safeFind(args)
	}
	operands := 0
	for _, a := range args {
		if !a.Known && !(a.Glob && r.takesPattern(a.Text)) {
			return false
		}
		if !strings.HasPrefix(a.Text, "-") || a.Text == "-" {
			operands++
		}
		if !r.free && leaves(a.Text) {
			return false
		}
	}
	if r.only != nil && !allowedOnly(args, r.only) || r.max > 0 && operands > r.max || name == "cd" && operands == 0 {
		return false
	}
	return !hasOption(args, r.letters, r.long...)
}

// takesPattern: files may be named like options, and hidden ones are not for
// everybody.
func (r reader) takesPattern(pattern string) bool {
	harmless := r.letters == "" && r.long == nil
	return (harmless || !strings.ContainsAny(pattern[:1], "*?[")) &&
		!strings.HasPrefix(pattern, ".") && !strings.Contains(pattern, "/.")
}

func allowedOnly(args []Word, only []string) bool {
	return !slices.ContainsFunc(args, func(a Word) bool {
		return !slices.Contains(only, a.Text) && !strings.HasPrefix(a.Text, "+")
	})
}

// safeFind: tests and printing are safe, actions are not, and new ones may be
// either.
func safeFind(args []Word) bool {
	known := []string{
		"-name", "-iname", "-path", "-ipath", "-type", "-maxdepth", "-mindepth", "-print", "-print0", "-not", "-size", "-mtime",
		"-newer", "-empty", "-o", "-a", "-prune", "-regex", "-iregex", "-and", "-or",
	}
	return !slices.ContainsFunc(args, func(a Word) bool {
		return !a.Known && !a.Glob || leaves(a.Text) ||
			strings.HasPrefix(a.Text, "-") && strings.Trim(a.Text, "-0123456789") != "" && !slices.Contains(known, a.Text)
	})
}

// leaves reports whether an argument may name something outside the working
// directory, or a file of secrets in it.
func leaves(arg string) bool {
	if strings.HasPrefix(arg, "/") || strings.HasPrefix(arg, "~") || strings.HasPrefix(arg, "-") && strings.ContainsAny(arg, "/~") || arg == "-" {
		return true
	}
	for segment := range strings.SplitSeq(arg, "/") {
		if segment == ".." || segment == ".git" || strings.HasPrefix(segment, ".env") || strings.HasPrefix(segment, "gha-creds-") {
			return true
		}
	}
	return strings.Contains(arg, "..") && strings.Contains(arg, "=")
}
