package shell

import (
	"slices"
	"strings"
)

// gitElsewhere are git's subcommands that change no file of the working tree:
// the repository only, or what their options name, which gitEscapes knows.
// Every other one, an alias of the user's too, may change any file there.
var gitElsewhere = []string{
	"add", "annotate", "archive", "blame", "branch", "cat-file", "check-attr", "check-ignore", "cherry", "commit", "config", "count-objects", "describe",
	"diff", "diff-files", "diff-index", "diff-tree", "fetch", "for-each-ref", "fsck", "gc", "grep", "help", "log", "ls-files", "ls-remote", "ls-tree",
	"merge-base", "name-rev", "notes", "push", "range-diff", "reflog", "remote", "rev-list", "rev-parse", "shortlog", "show", "show-branch", "show-ref", "status",
	"symbolic-ref", "tag", "var", "verify-commit", "verify-tag", "version", "whatchanged", "--version", "--help",
}

// gitFiles says which files git changes. A file of the working tree is changed
// from a commit, a patch or the network: which ones is not said, unless paths
// follow "--".
func gitFiles(args []Word) Files {
	f := Files{Known: true}
	rest := gitSubcommand(args)
	if len(rest) == 0 {
		return f
	}
	elsewhere := slices.ContainsFunc(args[:len(args)-len(rest)], func(a Word) bool { return a.Text != "--no-pager" })
	sub, rest := rest[0], rest[1:]
	first := ""
	if len(rest) > 0 && rest[0].Known {
		first = rest[0].Text
	}
	switch {
	case !sub.Known:
		f.Asked = unknownArguments
		return f
	case slices.Contains(gitElsewhere, sub.Text):
		f.Paths = mentioned(rest)
		return f
	case sub.Text == "stash" && slices.Contains([]string{"list", "show", "drop", "create", "store"}, first):
		return f
	case sub.Text == "worktree" && first == "list", sub.Text == "submodule" && first == "status", sub.Text == "bisect" && first == "log":
		return f
	case (sub.Text == "checkout" && first == "-b" || sub.Text == "switch" && first == "-c") && len(rest) == 2 && rest[1].Known:
		return f // a new branch, from where we are
	case sub.Text == "restore" && (first == "--staged" || first == "-S") && !hasOption(rest[1:], "W", "--w"):
		return f
	}
	f.Moves = true
	if i := slices.IndexFunc(rest, func(a Word) bool { return a.Known && a.Text == "--" }); i >= 0 && i+1 < len(rest) && !elsewhere &&
		slices.Contains([]string{"checkout", "restore", "rm"}, sub.Text) && !hasOption(rest[:i], "", "--pathspec", "--o") {
		for _, w := range rest[i+1:] {
			f.Paths = append(f.Paths, Path{Word: Word{Text: w.Text, Known: w.Known && (w.Text == "" || w.Text[0] != ':')}, Writes: true, Below: true})
		}
		return f
	}
	f.Asked = "changes files of the working tree, and which ones is not known"
	return f
}

// mentioned are the files that git reads where its arguments name some: of
// operands, of options, of a commit. A word may be a revision as well.
func mentioned(args []Word) []Path {
	var paths []Path
	add := func(text string) {
		if text != "" {
			paths = append(paths, Path{Word: Word{Text: text, Known: true}, Below: true, Mentioned: true})
		}
	}
	for _, a := range args {
		option := strings.HasPrefix(a.Text, "-")
		_, value, assigned := strings.Cut(a.Text, "=")
		switch {
		case !a.Known:
			continue // as for every other program that is allowed
		case option && assigned:
			add(value)
		case option && !strings.HasPrefix(a.Text, "--") && len(a.Text) > 2:
			add(a.Text[2:])
		case !option:
			add(a.Text)
		}
		for rest, ok := a.Text, true; ok; { // :FILE, COMMIT:FILE, :STAGE:FILE, :(top)FILE, :!FILE
			if _, rest, ok = strings.Cut(rest, ":"); ok {
				add(rest)
				add(strings.TrimLeft(rest[strings.Index(rest, ")")+1:], "!^/"))
			}
		}
	}
	return paths
}

// GitDir is the directory in which the command, if it is git, looks for a
// repository, seen from where it runs; not known: an option says it that is not.
func (c Command) GitDir() (dir string, git, known bool) {
	if len(c.Words) == 0 || !c.Words[0].Known || base(c.Words[0].Text) != "git" {
		return "", false, true
	}
	args := c.Words[1:]
	own := args[:len(args)-len(gitSubcommand(args))]
	dir = "."
	for i, a := range own {
		if !a.Known {
			return "", true, false
		}
		if after, ok := strings.CutPrefix(a.Text, "-C"); ok && (i == 0 || !slices.Contains(gitValues, own[i-1].Text)) {
			if after == "" && i+1 < len(own) {
				after = own[i+1].Text
			}
			if dir += "/" + after; strings.HasPrefix(after, "/") {
				dir = after
			}
		}
	}
	return dir, true, true
}
