package shell

import (
	"strings"
)

// role is what a program does with an argument.
type role byte

const (
	flag     role = '.' // an option alone
	text     role = ':' // a value that names no file
	maybe    role = '?' // an option whose value, if any, is part of the same word
	reads    role = '<' // a file that is read
	searches role = 'd' // a file that is read, or a directory with all below; links in it are not followed
	sees     role = 'v' // the same, what is hidden left out
	follows  role = 'D' // as searches, links followed
	lists    role = '=' // a file or directory of which only names and properties are shown
	writes   role = '>' // a file that is made, changed or removed
	changes  role = '^' // the same, a directory with all that lies below included
	anything role = '*' // any word, known or not
	into     role = '/' // a directory into which the operands are put
)

// usage says what a program does with its arguments, as far as that was
// decided. What is not listed may do anything: an option that nobody thought of
// is asked about.
type usage struct {
	// options, separated by blanks: "-abc" are flags of one letter, "-n:" one
	// with a value, "--lines:" a long one. The sign at the end is the role, none
	// is a flag. "-#" is a number as an option.
	options string
	// operands are the roles of the operands in order; the last holds for the
	// rest. Empty: there may be none.
	operands string
	bundled  bool // the first argument is options, even without a dash
	words    bool // its arguments are words, whatever they look like
	ordered  bool // the first operand ends the options
	whole    bool // an option with one dash is one word, never a cluster of letters
	moves    bool // afterwards names may lead elsewhere
	// decide looks at what options and operands cannot say. Its answer is why
	// the files are not known; empty: they are.
	decide func(*arguments) string
}

// arguments are those of one command, read by a usage.
type arguments struct {
	options  []option
	operands []Word
	roles    string // of the operands; decide may change it
	files    []Path // what was found besides the operands
}

type option struct {
	name  string // "-n", "--lines"
	value Word
}

func (a *arguments) has(names ...string) bool {
	for _, o := range a.options {
		for _, n := range names {
			if o.name == n {
				return true
			}
		}
	}
	return false
}

// Path is a file or directory that a command touches.
type Path struct {
	Word    Word // not known: the shell decides
	Writes  bool // made, changed or removed; otherwise read
	Names   bool // read: no contents, only names and properties
	Below   bool // and all that lies below, if it is a directory
	Visible bool // without what is hidden
	Links   bool // read: links below are followed
	// Mentioned: read, if there is such a file; the word may mean something else.
	Mentioned bool
}

// Files is what a command does to files, as its arguments say.
type Files struct {
	Known bool   // the program is one of which that is known
	Asked string // why they are not known; empty: Paths are all of them
	Paths []Path // redirections not included
	Moves bool   // afterwards names may lead elsewhere
}

// Files says what files the command touches. For a program that is not known
// it is the zero value: it may touch any.
func (c Command) Files() Files { return filesOf(c.Words) }

func filesOf(words []Word) Files {
	if len(words) == 0 || !words[0].Known {
		return Files{}
	}
	name, args := base(words[0].Text), words[1:]
	if name == "git" {
		return gitFiles(args)
	}
	if u, ok := usageOf(name); ok {
		return u.files(args)
	}
	return Files{}
}

func usageOf(name string) (usage, bool) {
	name = aliasOf(name)
	if u, ok := readers[name]; ok {
		return u, true
	}
	u, ok := writers[name]
	return u, ok
}

func (u usage) files(args []Word) Files {
	f := Files{Known: true, Moves: u.moves}
	if u.words {
		f.Asked = dangerIf(anyUnknown(args), unknownArguments)
		return f
	}
	if u.bundled && len(args) > 0 && args[0].Known && args[0].Text != "" && args[0].Text[0] != '-' {
		if at := strings.IndexByte(args[0].Text, 'f'); at >= 0 && at < len(args[0].Text)-1 || strings.Contains(args[0].Text, "C") {
			f.Asked = notDecided + args[0].Text // the values follow in the order of the letters
			return f
		}
		args = append([]Word{{Text: "-" + args[0].Text, Known: true}}, args[1:]...)
	}
	a, why := u.parse(args)
	if why == "" && u.decide != nil {
		why = u.decide(&a)
	}
	if why == "" {
		why = a.place()
	}
	f.Asked, f.Paths = why, a.files
	return f
}

const unknownArguments = "has arguments that are not known"

const notDecided = "has an option of which it is not known what it does: "

// parse reads the arguments as getopt does.
func (u usage) parse(args []Word) (a arguments, why string) {
	a.roles = u.operands
	known := u.readOptions()
	ended := false
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch {
		case ended || w.Known && (!strings.HasPrefix(w.Text, "-") || w.Text == "-"):
			ended = ended || u.ordered
			a.operands = append(a.operands, w)
			continue
		case !w.Known && !w.Glob && u.options != "":
			return a, unknownArguments
		case !w.Known: // Refused looks for files that are named like options
			ended = ended || u.ordered
			a.operands = append(a.operands, w)
			continue
		case w.Text == "--" && !u.whole: // a word like any other to find
			ended = true
			continue
		}
		next := Word{}
		if i+1 < len(args) {
			next = args[i+1]
		}
		took, ok := a.option(known, u.whole, w.Text, next)
		if !ok {
			return a, notDecided + w.Text
		}
		if took {
			if i++; i >= len(args) {
				return a, "has an option without its value: " + w.Text
			}
			if !next.Known {
				return a, unknownArguments
			}
		}
	}
	return a, ""
}

// option reads one word of options; took says that it used the next word.
func (a *arguments) option(known map[string]role, whole bool, word string, next Word) (took, ok bool) {
	if strings.Trim(word, "-0123456789") == "" && known["-#"] != 0 && !strings.HasPrefix(word, "--") {
		return false, true
	}
	if whole || strings.HasPrefix(word, "--") {
		name, value, attached := strings.Cut(word, "=")
		r, listed := known[name]
		switch {
		case !listed, r == flag && attached:
			return false, false
		case r == flag, r == maybe:
			a.add(name, r, Word{Text: value, Known: true})
			return false, true
		case attached:
			a.add(name, r, Word{Text: value, Known: true})
			return false, true
		}
		a.add(name, r, next)
		return true, true
	}
	for i := 1; i < len(word); i++ {
		name, rest := "-"+word[i:i+1], word[i+1:]
		r, listed := known[name]
		switch {
		case !listed:
			return false, false
		case r == flag:
			a.add(name, r, Word{})
		case r == maybe || rest != "":
			a.add(name, r, Word{Text: rest, Known: true})
			return false, true
		default:
			a.add(name, r, next)
			return true, true
		}
	}
	return false, true
}

func (a *arguments) add(name string, r role, value Word) {
	a.options = append(a.options, option{name, value})
	if p, ok := pathOf(r, value); ok {
		a.files = append(a.files, p)
	}
}

// place gives the operands their roles; the answer is why that is impossible.
func (a *arguments) place() string {
	for i, w := range a.operands {
		if a.roles == "" {
			return "has an argument of which it is not known what it means: " + w.Text
		}
		r := role(a.roles[min(i, len(a.roles)-1)])
		if p, ok := pathOf(r, w); ok {
			a.files = append(a.files, p)
		} else if !w.Known && r != anything {
			return unknownArguments
		}
	}
	return ""
}

func pathOf(r role, w Word) (Path, bool) {
	p := Path{Word: w}
	switch r {
	case reads:
	case searches:
		p.Below = true
	case sees:
		p.Below, p.Visible = true, true
	case follows:
		p.Below, p.Links = true, true
	case lists:
		p.Names = true
	case writes:
		p.Writes = true
	case changes:
		p.Writes, p.Below = true, true
	default:
		return Path{}, false
	}
	if w.Known && w.Text == "-" && !p.Writes {
		return Path{}, false // standard input
	}
	return p, true
}

// readOptions reads usage.options.
func (u usage) readOptions() map[string]role {
	known := map[string]role{}
	for o := range strings.FieldsSeq(u.options) {
		r := flag
		if last := o[len(o)-1]; strings.IndexByte(":?<>^=/", last) >= 0 {
			r, o = role(last), o[:len(o)-1]
		}
		if u.whole || strings.HasPrefix(o, "--") || o == "-#" {
			known[o] = r
			continue
		}
		for _, letter := range o[1:] {
			known["-"+string(letter)] = r
		}
	}
	return known
}
