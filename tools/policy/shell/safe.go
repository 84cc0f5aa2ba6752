package shell

import (
	"slices"
	"strings"

	"minigem/tools/workspace"
)

// Options of git that several of its readers share.
const gitShow = "-pusabwzqRMCBDiEFPc0123456789 -# -n: -G: -U: -S: -L: -M? -C? -B? --patch --no-patch --raw --stat? --numstat --shortstat --dirstat? --summary --name-only " +
	"--name-status --color? --no-color --word-diff? --color-words? --abbrev-commit --abbrev? --no-abbrev-commit --oneline --pretty? --format: --graph --decorate? --no-decorate " +
	"--all --branches? --tags? --remotes? --max-count: --skip: --since: --after: --until: --before: --author: --committer: --grep: --all-match --invert-grep " +
	"--regexp-ignore-case --extended-regexp --fixed-strings --perl-regexp --merges --no-merges --first-parent --reverse --date-order --topo-order --author-date-order --follow " +
	"--cached --staged --minimal --patience --histogram --diff-algorithm: --unified? --function-context --ignore-all-space --ignore-space-change " +
	"--ignore-space-at-eol --ignore-blank-lines --ignore-cr-at-eol --diff-filter: --find-renames? --find-copies? --no-renames --exit-code --quiet --check --full-index --binary " +
	"--relative? --text --no-ext-diff --no-textconv --no-prefix --src-prefix: --dst-prefix: --date: --left-right --cherry-pick --cherry-mark --boundary " +
	"--simplify-by-decoration --full-history --ancestry-path --no-walk? --walk-reflogs --merge-base --submodule? --ignore-submodules? --compact-summary " +
	"--line-prefix: --source --notes? --no-notes --show-signature --inter-hunk-context: --pickaxe-all --pickaxe-regex "

// gitReaders are git's subcommands that need no rule.
var gitReaders = map[string]usage{
	"status": {options: "-sbvzu? --short --branch --porcelain? --long --verbose --untracked-files? --ignored? --show-stash --ahead-behind --no-ahead-behind " +
		"--renames --no-renames --column? --no-column --ignore-submodules? -u?", operands: "="},
	"rev-parse": {options: "-q --abbrev-ref? --show-toplevel --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository " +
		"--verify --short? --symbolic --symbolic-full-name --show-prefix --show-cdup --show-superproject-working-tree --all --branches? --tags? --remotes? --quiet", operands: ":"},
	"ls-files": {options: "-cdmosuktvzf -x: -i --cached --deleted --modified --others --ignored --stage --unmerged --killed --directory --no-empty-directory --eol " +
		"--exclude-standard --exclude: --error-unmatch --full-name --recurse-submodules --abbrev? --deduplicate", operands: "="},
	"describe": {options: "--tags --all --always --dirty? --abbrev: --long --match: --exclude: --contains --exact-match --first-parent --candidates: --debug", operands: ":"},
	"shortlog": {options: gitShow + "-nsewc --numbered --summary --email --group:", operands: "="},
	"blame": {options: "-bltsewfnpcM?C? -L: --root --show-stats --porcelain --line-porcelain --incremental --date: --show-name --show-number --show-email " +
		"--ignore-rev: --abbrev: --first-parent --since: --color-lines --color-by-age --progress --no-progress --minimal -M? -C?", operands: "="},
	"log":    {options: gitShow, operands: "="},
	"diff":   {options: gitShow, operands: "="},
	"show":   {options: gitShow, operands: "="},
	"branch": {options: "-arv --list --show-current --all --remotes --verbose --no-color --color?"},
	"remote": {options: "-v --verbose"},
	"tag":    {options: "-l --list"},
}

// safe reports whether a command needs no rule: it reads, and names nothing
// outside the working directory as far as words can say. Where the names lead
// is for those to judge who know the files.
func safe(words []Word) bool {
	name, args := words[0].Text, words[1:]
	u, ok := readers[name]
	if name == "git" {
		if len(args) > 1 && args[0].Known && args[0].Text == "--no-pager" {
			args = args[1:]
		}
		if len(args) == 0 || !args[0].Known {
			return false
		}
		u, ok = gitReaders[args[0].Text]
		args = args[1:]
	}
	if !ok {
		return false
	}
	f := u.files(args)
	return f.Asked == "" && !slices.ContainsFunc(f.Paths, func(p Path) bool {
		return p.Writes || !p.Word.Known && !p.Word.plainPattern() || leaves(p.Word.Text)
	})
}

// plainPattern: a pattern of files that finds no hidden ones.
func (w Word) plainPattern() bool {
	return w.Glob && !slices.ContainsFunc(strings.Split(w.Text, "/"), func(segment string) bool {
		return strings.HasPrefix(segment, ".") && strings.ContainsAny(segment, "*?[")
	})
}

// leaves reports whether an argument may name something outside the working
// directory, or a file of secrets in it. A file of a commit is named behind a
// colon.
func leaves(arg string) bool {
	if strings.HasPrefix(arg, "/") || strings.HasPrefix(arg, "~") || strings.HasPrefix(arg, "-") && strings.ContainsAny(arg, "/~") || arg == "-" {
		return true
	}
	for segment := range strings.FieldsFuncSeq(arg, func(r rune) bool { return r == '/' || r == ':' }) {
		if name := workspace.Protected(segment); segment == ".." || name != "" && name != "node_modules" {
			return true
		}
	}
	return strings.Contains(arg, "..") && strings.Contains(arg, "=")
}
