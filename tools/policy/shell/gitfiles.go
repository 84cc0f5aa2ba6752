package shell

import "slices"

// gitElsewhere are git's subcommands that change no file of the working tree:
// the repository only, or what their options name, which gitEscapes knows.
// Every other one, an alias of the user's too, may change any file there.
var gitElsewhere = []string{
	"add", "annotate", "archive", "blame", "branch", "bundle", "cat-file", "check-attr", "check-ignore", "cherry", "commit", "config", "count-objects", "describe",
	"diff", "diff-files", "diff-index", "diff-tree", "fetch", "for-each-ref", "fsck", "gc", "grep", "help", "log", "ls-files", "ls-remote", "ls-tree",
	"merge-base", "name-rev", "notes", "push", "range-diff", "reflog", "remote", "rev-list", "rev-parse", "shortlog", "show", "show-branch", "show-ref", "status",
	"symbolic-ref", "tag", "var", "verify-commit", "verify-tag", "version", "whatchanged", "--version", "--help",
}

// gitFiles says which files git changes. A file of the working tree is changed
// from a commit, a patch or the network: which ones is not said, unless paths
// stand behind "--".
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
