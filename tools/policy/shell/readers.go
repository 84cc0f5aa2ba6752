package shell

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// inert are commands that can only read and print, whatever their arguments. They may
// run in one line with a command that is allowed to write.
const inert = "base64 basename cat cksum cmp comm cut df diff dirname du echo egrep false fgrep fold grep head " +
	"id ls md5sum nl paste pwd readlink realpath rev seq sha1sum sha256sum sleep stat tac tail tr true uname wc which " +
	"whoami :"

// readers are commands that mostly read: they run confined.
const readers = "[ awk cd column command date file find gawk hexdump hostname jq mawk od printenv printf rg sed " +
	"sort strings test tree type uniq xxd yq"

// gitReaders are the subcommands of git that mostly read.
const gitReaders = "blame branch describe diff grep log ls-files ls-tree merge-base remote rev-list " +
	"rev-parse shortlog show status tag"

// changes are commands that mostly read, with arguments by which they are meant to change
// something, or read the names of files from a file. Confined they could only fail, so
// that they are asked about. With an operand, some of git's commands make what they
// otherwise list.
var changes = option(`^(sed (.* )?(-[a-zA-Z]*i|--in-place)|sort (.* )?(-[a-zA-Z]*o|--o)|tree (.* )?-o|xxd (.* )?-r|` +
	`find (.* )?-(delete|exec|execdir|ok|okdir|fprint|fprint0|fprintf|fls)( |$)|g?awk (.* )?(-i|--include)|` +
	`yq (.* )?(-[a-zA-Z]*i|--inplace)|date (.* )?(-s|--set)|hostname (.* )?([^- ]|-F|--file)|command (-[^vV]|[^-])|` +
	`sort (.* )?--co|rg (.* )?(--pre|-[a-zA-Z0-9]*z|--search-zip)|date (.* )?(-[a-zA-Z]*f|--f)|` +
	`file (.* )?(-[a-zA-Z]*[fmzZ]|--(f|m))|find (.* )?-files0|(du|sort|wc) (.* )?--files0|` +
	`strings (.* )?@|git (.* )?--(out|no-i)|git grep (.* )?--(un|no-e)|git (branch|tag|remote)( -\S+)* [^-])`)

// Readers returns the names of the commands that are believed to only read, separated by
// blanks, with git's subcommands in parentheses.
func Readers() string { return inert + " " + readers + " git(" + gitReaders + ")" }

// Inert reports whether the command has no way to write, whatever its arguments.
func (c Command) Inert() bool {
	return Listed(inert, c.Name()) && !changes().MatchString(joined(c.Words))
}

// Reads reports whether the command is believed to only read, by its name and its
// options. Run it confined, because that is not certain.
func (c Command) Reads() bool {
	words := slices.DeleteFunc(slices.Clone(c.Words), func(w Word) bool { return w.Text == "--no-pager" })
	known := Listed(readers, c.Name()) ||
		c.Name() == "git" && len(words) > 1 && words[1].Known && Listed(gitReaders, words[1].Text)
	return c.Inert() || known && !changes().MatchString(joined(words))
}

// Programmable reports whether a command that reads takes a program of its own, by which
// it reads any file that it may and starts any program.
func (c Command) Programmable() bool { return Listed("awk gawk mawk sed jq yq", c.Name()) }

// Reach says what a command that reads does with the files that its arguments name.
type Reach struct {
	// Nothing says that its arguments are no files.
	Nothing bool
	// Names says that it prints no contents, only names and properties.
	Names bool
	// Below says that it reads everything below a folder.
	Below bool
	// Here says that it may read the working directory without naming it.
	Here bool
	// Visible says that it leaves hidden files out.
	Visible bool
	// Links says that it follows links below a folder.
	Links bool
	// Commits is for git: it may print contents of any tracked file, or URLs of remotes.
	Commits bool
	// Earlier says of Commits that the files need not be tracked any more.
	Earlier bool
}

// Commands by what they do with the files that their arguments name: nothing, print
// names only, and the same for git.
const (
	words = "basename dirname echo false id printenv printf pwd seq sleep test [ tr true uname which whoami : type " +
		"date hostname"
	names = "cd df du find ls readlink realpath stat tree file"
	// gitNames print no contents of files that are tracked, and no URLs.
	gitNames = "branch describe ls-files ls-tree merge-base rev-parse status tag"
)

// Options by which a command reads more than it names: recursion, links, and hidden
// files.
var (
	recurses = option(`^(-[a-zA-Z0-9]*[rRd]|--(r|de|di))`)
	links    = option(`^(-[a-zA-Z0-9]*[RL]|--(de|fo))`)
	hidden   = option(`^(-[a-zA-Z0-9]*[u.gL]|--(hidden|unrestricted|glob|iglob|no-ignore|follow|pre|search-zip))`)
)

// option compiles an expression when it is first needed.
func option(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// Listed reports whether a list of names separated by blanks holds name. An empty name is
// in no list.
func Listed(list, name string) bool {
	return name != "" && strings.Contains(" "+list+" ", " "+name+" ")
}

// Reach returns the [Reach] of a command that [Command.Reads]; for another one it means
// nothing.
func (c Command) Reach() Reach {
	name := c.Name()
	has := func(re func() *regexp.Regexp) bool {
		return slices.ContainsFunc(c.Words[1:], func(w Word) bool { return re().MatchString(w.Text) })
	}
	switch {
	case Listed(words, name):
		return Reach{Nothing: true}
	case Listed(names, name):
		return Reach{Names: true}
	case name == "rg":
		return Reach{Below: true, Here: true, Visible: !has(hidden), Links: has(links)}
	case name == "diff":
		return Reach{Below: true, Links: true}
	case strings.HasSuffix(name, "grep"):
		return Reach{Below: has(recurses), Here: has(recurses), Links: has(links)}
	case name == "git":
		return c.gitReach()
	}
	return Reach{}
}

// quiet matches the options with which git log prints no contents.
var quiet = option(`^(-n|-\d+|--(oneline|stat|shortstat|name-only|name-status|graph|all|branches|tags|decorate|` +
	`abbrev-commit|no-merges|merges|reverse|follow|first-parent|no-color|max-count|since|until|after|before|author|` +
	`grep|format|pretty|date)(=.*)?)$`)

// quietStatus is the same for git status.
var quietStatus = option(`^(-[bsz]+|-u(no|normal|all)?|--(short|branch|porcelain|untracked-files|ignored|show-stash|` +
	`long)(=.*)?)$`)

// gitReach returns the Reach of git. Without arguments, diff compares what is tracked now.
func (c Command) gitReach() Reach {
	words := c.Normal()[1:]
	silent := quiet()
	if words[0].Text == "status" {
		silent = quietStatus()
	}
	loud := slices.ContainsFunc(words[1:], func(w Word) bool {
		return !w.Known || strings.HasPrefix(w.Text, "-") && !silent.MatchString(w.Text)
	})
	switch what := words[0].Text; {
	case Listed(gitNames, what) && (what != "status" || !loud), (what == "log" || what == "shortlog") && !loud:
		return Reach{}
	case what == "remote":
		return Reach{Commits: true}
	case what == "diff" && !slices.ContainsFunc(words[1:], func(w Word) bool {
		return !Listed("--cached --staged --stat --shortstat --name-only --name-status --", w.Text)
	}):
		return Reach{Commits: true, Below: true}
	}
	return Reach{Commits: true, Below: true, Earlier: true}
}

// gitValues are git's own options that take the next word.
const gitValues = "-C -c --git-dir --work-tree --namespace --exec-path --config-env --super-prefix --attr-source " +
	"--shallow-file"

// gitSubcommand returns git's arguments from the subcommand on.
func gitSubcommand(args []Word) []Word {
	for len(args) > 0 && args[0].Known && strings.HasPrefix(args[0].Text, "-") {
		n := 1
		if Listed(gitValues, args[0].Text) {
			n = 2
		}
		args = args[min(n, len(args)):]
	}
	return args
}
