package shell

import (
	"slices"
	"strings"
)

// danger says what makes a command one that is always asked for, whatever the
// rules allow. It knows the usual accidents, and the ways in which commands that
// people like to allow run others.
func danger(words []Word) string {
	name, args := base(words[0].Text), words[1:]
	switch {
	case name == "rm" && (hasOption(args, "rRf", "--r", "--f", "--no-p") || anyUnknown(args)):
		return "removes without asking, or more than it names"
	case slices.Contains([]string{"sudo", "doas", "su", "pkexec"}, name):
		return "runs as another user"
	case slices.Contains([]string{"bash", "sh", "dash", "ash", "zsh", "ksh", "mksh", "fish"}, name) && readsScript(args):
		return "runs what it reads"
	case slices.Contains([]string{"dd", "fdisk", "parted", "wipefs", "shred"}, name) || strings.HasPrefix(name, "mkfs"):
		return "overwrites disks or files"
	case slices.Contains([]string{"shutdown", "reboot", "halt", "poweroff", "init", "telinit"}, name):
		return "stops the machine"
	case (name == "chmod" || name == "chown" || name == "chgrp") && hasOption(args, "R", "--rec"):
		return "changes permissions of a whole tree"
	case name == "kill" && hasWord(args, "-1"):
		return "signals every process"
	case name == "find" && hasWord(args, "-delete", "-fprint", "-fprint0", "-fprintf", "-fls"):
		return "deletes or writes what it finds"
	case name == "rg" && hasPrefix(args, "--pre", "--hostname-bin"):
		return "runs a program for each file"
	case name == "git":
		return gitDanger(args)
	}
	if b, ok := builtins[words[0].Text]; ok {
		return b(args)
	}
	if e, ok := escapes[aliasOf(name)]; ok {
		return e.escaping(args)
	}
	if u, ok := writers[aliasOf(name)]; ok {
		return u.files(args).Asked
	}
	return ""
}

// aliasOf is the name under which the escapes of a program stand.
func aliasOf(name string) string {
	switch name {
	case "gawk", "mawk", "nawk", "original-awk":
		return "awk"
	case "gtar", "bsdtar":
		return "tar"
	case "gmake":
		return "make"
	case "pnpm", "yarn", "bun":
		return "npm"
	case "gsed":
		return "sed"
	case "pip3":
		return "pip"
	}
	return name
}

// gitValues are git's own options that take the next word.
var gitValues = []string{"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env", "--super-prefix", "--attr-source", "--shallow-file"}

// gitSubcommand returns git's arguments from the subcommand on.
func gitSubcommand(args []Word) []Word {
	for len(args) > 0 && args[0].Known && strings.HasPrefix(args[0].Text, "-") {
		n := 1
		if slices.Contains(gitValues, args[0].Text) {
			n = 2
		}
		args = args[min(n, len(args)):]
	}
	return args
}

// gitDanger reports options that make git run programs, settings that do so
// later, and of what cannot be taken back.
func gitDanger(args []Word) string {
	rest := gitSubcommand(args)
	own := args[:len(args)-len(rest)]
	if hasWord(own, "-C") && slices.ContainsFunc(own, func(a Word) bool { return leaves(a.Text) }) {
		return "works in a repository elsewhere"
	}
	if hasPrefix(own, "-c", "--config-env", "--exec-path", "--git-dir", "--work-tree") {
		return "changes git's configuration for this command"
	}
	if len(rest) == 0 {
		return ""
	}
	sub, rest := rest[0], rest[1:]
	if !sub.Known {
		return "runs a git command that is not known"
	}
	switch sub.Text {
	case "reset":
		return dangerIf(hasPrefix(rest, "--h", "--me", "--k"), "discards changes")
	case "clean":
		return "deletes files"
	case "push":
		if hasOption(rest, "fd", "--f", "--mi", "--d", "--pru") || hasPrefix(rest, "+", ":") {
			return "overwrites or deletes at the remote"
		}
	case "config":
		return dangerIf(!readsConfig(rest), "changes git's configuration")
	case "bisect", "submodule":
		return dangerIf(hasWord(rest, "run", "foreach") || anyUnknown(rest), "runs a program")
	case "filter-branch", "filter-repo", "difftool", "mergetool", "daemon", "hook", "for-each-repo", "remote-ext", "shell", "instaweb",
		"send-email", "imap-send", "web--browse", "svn", "p4", "cvsimport", "credential", "upload-pack", "receive-pack", "upload-archive":
		return "runs a program"
	}
	if hasPrefix(rest, "--upload-pack", "--receive-pack", "--exec", "--extcmd", "--open-files", "-O", "ext::") {
		return "runs a program"
	}
	if e, ok := gitEscapes[sub.Text]; ok {
		return e.escaping(rest)
	}
	return ""
}

// readsConfig: what is asked for comes first, or after options that say where to
// look; further on it may be a value.
func readsConfig(args []Word) bool {
	for len(args) > 0 && slices.Contains([]string{"--global", "--local", "--system", "--worktree", "--show-origin", "--show-scope", "--name-only", "-z", "--null"}, args[0].Text) {
		args = args[1:]
	}
	return len(args) > 0 && args[0].Known && slices.Contains([]string{
		"--get", "--get-all", "--get-regexp", "--get-urlmatch", "--list", "-l", "get", "list",
	}, args[0].Text)
}

func dangerIf(yes bool, what string) string {
	if yes {
		return what
	}
	return ""
}

// readsScript: neither a file nor -c.
func readsScript(args []Word) bool {
	for _, a := range args {
		if !a.Known || !strings.HasPrefix(a.Text, "-") && !strings.HasPrefix(a.Text, "+") {
			return strings.HasPrefix(a.Text, "/dev/") || strings.HasPrefix(a.Text, "/proc/")
		}
		if short := !strings.HasPrefix(a.Text, "--"); short && strings.ContainsAny(a.Text, "cs") {
			return !strings.Contains(a.Text, "c")
		}
		if a.Text == "--version" || a.Text == "--help" {
			return false
		}
	}
	return true
}

// hasOption looks for one of the letters in clusters like -rf, and for long
// options that begin with one of the prefixes, since they may be abbreviated.
func hasOption(args []Word, letters string, long ...string) bool {
	for _, a := range args {
		if a.Text == "--" && a.Known {
			return false
		}
		if !strings.HasPrefix(a.Text, "-") {
			continue
		}
		if !strings.HasPrefix(a.Text, "--") && strings.ContainsAny(a.Text[1:], letters) {
			return true
		}
		if hasPrefix([]Word{a}, long...) {
			return true
		}
	}
	return false
}

func hasPrefix(args []Word, prefixes ...string) bool {
	return slices.ContainsFunc(args, func(a Word) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(a.Text, p) })
	})
}

func hasWord(args []Word, texts ...string) bool {
	return slices.ContainsFunc(args, func(a Word) bool { return slices.Contains(texts, a.Text) })
}

func anyUnknown(args []Word) bool {
	return slices.ContainsFunc(args, func(a Word) bool { return !a.Known })
}
