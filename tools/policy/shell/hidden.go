package shell

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// interpreters run programs that their arguments, files or input hold, in
// languages that are not read here, or elsewhere; where words are given, only
// calls that hold one of them do.
var interpreters = map[string][]string{
	"python": nil, "python2": nil, "python3": nil, "pypy3": nil, "ipython": nil, "perl": nil, "ruby": nil, "irb": nil, "php": nil,
	"node": nil, "nodejs": nil, "deno": nil, "bun": nil, "tsx": nil, "ts-node": nil, "lua": nil, "luajit": nil, "tclsh": nil, "wish": nil, "expect": nil,
	"R": nil, "Rscript": nil, "julia": nil, "octave": nil, "guile": nil, "sbcl": nil, "clisp": nil, "ghc": nil, "runghc": nil, "scala": nil,
	"groovy": nil, "elixir": nil, "erl": nil, "osascript": nil, "awk": nil, "gawk": nil, "mawk": nil, "nawk": nil, "m4": nil, "gnuplot": nil,
	"vi": nil, "vim": nil, "nvim": nil, "view": nil, "ex": nil, "ed": nil, "emacs": nil, "gdb": nil, "lldb": nil, "sqlite3": nil, "psql": nil, "mysql": nil,
	"ssh": nil, "mosh": nil, "pssh": nil, "ansible": nil, "socat": nil, "nc": nil, "ncat": nil, "tmux": nil, "screen": nil, "xterm": nil,
	"npx": nil, "pnpx": nil, "bunx": nil, "uvx": nil, "pipx": nil, "crontab": nil, "start-stop-daemon": nil, "run-parts": nil, "make": nil, "gmake": nil,
	"bash": nil, "sh": nil, "dash": nil, "ash": nil, "zsh": nil, "ksh": nil, "mksh": nil, "fish": nil, "source": nil, ".": nil,
	"npm": {"exec", "x"}, "pnpm": {"exec", "dlx", "x"}, "yarn": {"exec", "dlx"}, "uv": {"run"}, "poetry": {"run"}, "pipenv": {"run"}, "bundle": {"exec"},
	"docker": {"exec", "run", "compose", "create", "build"}, "podman": {"exec", "run", "create", "build", "unshare", "machine"}, "nerdctl": {"exec", "run"},
	"kubectl": {"exec", "run", "debug"}, "lxc": {"exec"}, "vagrant": {"ssh"}, "direnv": {"exec"}, "nix": {"run", "shell", "develop"}, "nix-shell": nil,
	"dc": nil, "ftp": nil, "lftp": nil, "telnet": nil, "mail": nil, "mailx": nil, "mutt": nil, "jshell": nil, "kotlin": nil, "perf": nil, "cmake": {"-E", "-P"}, "openssl": {"-engine"},
}

// hides returns the text from which a command may run others that are not read
// here; empty where there is no such text.
func (w *walker) hides(c Command) string {
	name := base(c.Words[0].Text)
	_, builtin := builtins[name]
	words, known := interpreters[name]
	switch {
	case builtin && c.Danger != "":
		return w.line
	case c.Danger == "" && standardName(c.Words[0].Text) && !(known && (words == nil || hasWord(c.Words[1:], words...))):
		return ""
	case anyUnknown(c.Words) || strings.ContainsAny(w.line, "|<>"):
		return w.line // it may be fed, or run what the line wrote
	}
	return c.Text()
}

// Carried are what a program may run that is not known here, or that runs
// others: its arguments from each on, and what could be a command within one.
func (c Command) Carried() [][]string {
	if len(c.Words) < 2 || !c.Words[0].Known || c.Kind == Wrapper || c.understood() {
		return nil
	}
	var out [][]string
	texts := make([]string, 0, len(c.Words))
	for _, w := range c.Words[1:] {
		texts = append(texts, w.Text)
	}
	for i, t := range texts {
		out = append(out, texts[i:])
		if _, value, ok := strings.Cut(t, "="); ok {
			out = append(out, append([]string{value}, texts[i+1:]...))
		}
		if len(t) > 2 && t[0] == '-' && t[1] != '-' {
			t = t[2:] // the value of a letter
		}
		for part := range strings.FieldsFuncSeq(t, func(r rune) bool { return strings.ContainsRune("=;|&(){}`\"'!,\n", r) }) {
			if fields := strings.Fields(part); len(fields) > 0 {
				out = append(out, fields)
			}
		}
	}
	return out
}

// understood reports whether it is known what the program does with arguments.
func (c Command) understood() bool {
	name := base(c.Words[0].Text)
	if _, holds := holders[name]; c.Danger != "" || holds || !standardName(c.Words[0].Text) {
		return false
	}
	_, builtin := builtins[c.Words[0].Text]
	_, interprets := interpreters[name]
	u, used := usageOf(name)
	used = used && u.files(c.Words[1:]).Asked == ""
	return builtin || interprets || used || name == "git" || runnerOf(name) != nil
}

// unquoted text is compared, too: c'ur'l is curl.
var (
	quotes  = strings.NewReplacer("\\\n", "", `\`, "", `"`, "", `'`, "")
	blanks  = regexp.MustCompile(`\\[nrtfv]`) // in $'...', and where printf or echo -e writes
	encoded = regexp.MustCompile(`\$'[^']*\\[xuUc0-7]|(?i:base64|b64decode|decode64|fromhex|unhexlify|rot_?13|\batob\()`)
)

// holdsSubstitution reports whether the script holds a substitution as text,
// which runs where that text is evaluated: within quotes, behind a backslash, or
// in a here-document that is not expanded.
func (w *walker) holdsSubstitution() bool {
	if w.held != nil {
		return *w.held
	}
	held := false
	syntax.Walk(w.file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Word: // its parts may be one only together
			held = held || substitutes(word(n).Text)
		case *syntax.SglQuoted:
			held = held || substitutes(n.Value) || n.Dollar && encoded.MatchString("$'"+n.Value)
		case *syntax.Lit:
			held = held || substitutes(n.Value) || strings.Contains(n.Value, `\$`) || strings.Contains(n.Value, "\\`")
		}
		return true
	})
	w.held = &held
	return held
}

func substitutes(text string) bool {
	return strings.Contains(text, "`") || strings.Contains(text, "$(") || strings.Contains(text, "${") || strings.Contains(text, "$[") || strings.Contains(text, "<(")
}

// Mentions reports whether a text holds all of these words, or may do so in a
// spelling that is not read here. What is part of a longer word, as rm in
// --rm, does not count; of a word that begins or ends with a star more may follow
// there.
func Mentions(text string, words []string) bool {
	if encoded.MatchString(text) {
		return true
	}
	plain, lines := quotes.Replace(text), blanks.ReplaceAllString(text, " ")
	return !slices.ContainsFunc(words, func(word string) bool {
		return !holdsWord(text, word) && !holdsWord(plain, word) && !holdsWord(lines, word)
	})
}

func holdsWord(text, word string) bool {
	word, before := strings.CutPrefix(word, "*")
	word, behind := strings.CutSuffix(word, "*")
	if word == "" {
		return true
	}
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(word)
		if (before || i == 0 || !ofWord(text[i-1])) && (behind || end == len(text) || !ofWord(text[end])) {
			return true
		}
		from = i + 1
	}
}

func ofWord(c byte) bool {
	return c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// document is the text of a here-document, as far as nothing in it is expanded.
func document(r *syntax.Redirect) Word {
	raw := false
	for _, p := range r.Word.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			raw = raw || strings.Contains(p.Value, `\`)
		case *syntax.SglQuoted, *syntax.DblQuoted:
			raw = true
		default:
			return Word{}
		}
	}
	if r.Hdoc == nil {
		return Word{Known: true}
	}
	var b strings.Builder
	for _, p := range r.Hdoc.Parts {
		lit, ok := p.(*syntax.Lit)
		if !ok || !raw && strings.Contains(lit.Value, `\`) {
			return Word{}
		}
		b.WriteString(lit.Value)
	}
	return Word{Text: b.String(), Known: true}
}

// input is what a shell reads that is given no script: a here-document, which
// is walked, or is not known.
func (w *walker) input(source string, langs ...syntax.LangVariant) {
	if len(w.redirects) > 0 {
		if last := w.redirects[len(w.redirects)-1]; last.Input.Known {
			w.nested(last.Input.Text, source, langs...)
			return
		}
	}
	w.opaque(source)
}

// runSource: a script that is read into this shell, from a file, which is for
// rules to judge, or from what is not known.
func runSource(w *walker, words []Word, source string) Kind {
	w.holdsSubstitution() // the script sees the variables of this one
	switch {
	case len(words) < 2:
	case words[1].Piped:
		w.opaque(source)
	case strings.HasPrefix(words[1].Text, "/dev/"), strings.HasPrefix(words[1].Text, "/proc/"):
		w.input(source, syntax.LangBash)
	}
	return Plain
}
