// Package shell parses command lines for code that decides by what a line runs. It
// lists the commands and says whether the line runs anything else. It knows bash's
// grammar and the names of commands that read. Rules and decisions are left to package
// policy, and nothing is run.
//
//	line, err := shell.Parse("git status && ls | wc -l")
//	for _, c := range line.Commands {
//		fmt.Println(c.Name(), c.Reads()) // git true, ls true, wc true
//	}
//
// A line is plain only if everything in it is known to be plain. What a command does
// with its arguments is not known here. The kernel must enforce that a command which
// should only read does nothing else.
package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Line is a command line. Make it with [Parse], [ParsePOSIX] or [ParsePowerShell].
type Line struct {
	// Commands are all simple commands anywhere in the line, in order of
	// appearance. They are not all that may run unless the line is Plain.
	Commands []Command
	// Plain means that the line is a list or pipe of simple commands, made of
	// letters, quotes, file patterns and plain variables, and nothing else.
	Plain bool
	// Text is the line as it was given.
	Text string
}

// Command is one simple command.
type Command struct {
	// Words are the name and the arguments; never empty for a command of [Parse].
	Words []Word
	// Source is the command as it was written.
	Source string
	// Redirects are its redirections, in a plain line only.
	Redirects []Redirect

	at uint // offset in the line
}

// Word is one argument. "*.go" is a Glob with this Text; of "$x" and "{a,b}" only a
// running shell knows what they become.
type Word struct {
	// Text is the word without quotes.
	Text string
	// Known says that the word is exactly Text; otherwise it may be anything, several
	// words and none included.
	Known bool
	// Glob says that Text is a file pattern; such a word is not Known.
	Glob bool
}

// Redirect is a redirection of a plain line to or from a file other than /dev/null.
type Redirect struct {
	// Target is the file.
	Target Word
	// Writes says that the file is written or created; otherwise it is read.
	Writes bool
}

// Name returns the command's name as written, perhaps with a folder; "" if it is not
// known.
func (c Command) Name() string {
	if len(c.Words) == 0 || !c.Words[0].Known {
		return ""
	}
	return c.Words[0].Text
}

// Known reports whether all words are known.
func (c Command) Known() bool {
	return len(c.Words) > 0 && !slices.ContainsFunc(c.Words, func(w Word) bool { return !w.Known })
}

// Text returns the words joined by blanks, or the source if a word is not known. Quotes
// are lost: "a b" and a b look the same.
func (c Command) Text() string {
	if !c.Known() {
		return c.Source
	}
	return joined(c.Words)
}

// joined returns the known texts of words with blanks between them.
func joined(words []Word) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.Text
	}
	return strings.Join(texts, " ")
}

// Normal returns the words as rules that hold something back see them: the name without
// its folder, and git without its own options. c is not changed. If the name is not
// known, the words are returned as they are.
func (c Command) Normal() []Word {
	if c.Name() == "" {
		return c.Words
	}
	words := slices.Clone(c.Words)
	words[0].Text = path.Base(words[0].Text)
	if words[0].Text == "git" {
		words = append(words[:1], gitSubcommand(words[1:])...)
	}
	return words
}

// Parse reads a command line of bash. Its error says why that could not be done; then
// treat the line as one that may run anything.
func Parse(text string) (Line, error) { return parse(text, syntax.LangBash) }

// parse reads a line by the grammar of a shell. The commands are all that the line may
// run, also those in branches; Plain says whether that is all.
func parse(text string, lang syntax.LangVariant) (Line, error) {
	file, err := Syntax(text, lang)
	if err != nil {
		return Line{}, err
	}
	line := Line{Plain: true, Text: text}
	syntax.Walk(file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			line.Commands = append(line.Commands, line.command(call))
		}
		return true
	})
	for _, s := range file.Stmts {
		line.Plain = line.Plain && line.plain(s, nil)
	}
	return line, nil
}

// source returns the text of a part of the line, or the whole line if its position is
// not usable.
func (l *Line) source(n syntax.Node) string {
	from, to := n.Pos().Offset(), n.End().Offset()
	if from > to || to > uint(len(l.Text)) {
		return l.Text
	}
	return strings.TrimSpace(l.Text[from:to])
}

// command returns a command without its redirections.
func (l *Line) command(call *syntax.CallExpr) Command {
	c := Command{Source: l.source(call), at: call.Pos().Offset()}
	for _, a := range call.Args {
		c.Words = append(c.Words, word(a))
	}
	return c
}

// plain reports whether s is plain and records its redirections. around are the
// redirections of the enclosing statement, of which a plain line has none.
func (l *Line) plain(s *syntax.Stmt, around []*syntax.Redirect) bool {
	if s.Background || s.Coprocess || s.Disown || len(around) > 0 {
		return false
	}
	switch cmd := s.Cmd.(type) {
	case *syntax.CallExpr:
		if len(cmd.Assigns) > 0 || len(cmd.Args) == 0 || slices.ContainsFunc(cmd.Args, func(w *syntax.Word) bool {
			return !l.plainWord(w.Parts)
		}) {
			return false
		}
		i := slices.IndexFunc(l.Commands, func(c Command) bool { return c.at == cmd.Pos().Offset() })
		return !slices.ContainsFunc(s.Redirs, func(rd *syntax.Redirect) bool { return !l.redirect(rd, &l.Commands[i]) })
	case *syntax.BinaryCmd:
		return slices.Contains([]syntax.BinCmdOperator{syntax.AndStmt, syntax.OrStmt, syntax.Pipe, syntax.PipeAll}, cmd.Op) &&
			l.plain(cmd.X, s.Redirs) && l.plain(cmd.Y, s.Redirs)
	}
	return false
}

// Texts of words that the shell does not expand, or that expand to a word that cannot
// change the command.
var (
	descriptor = option(`^(\d+-?|-)$`)
	number     = option(`^\d*$`)
	variable   = option(`^\$(\w+|\{\w+\}|\?)$`)
	unexpanded = option("^([^`$]|\\$[ |)/\\\\.,:%])*\\$?$")
)

// redirect notes the redirections of c that a plain line may have: between
// descriptors, and to and from files.
func (l *Line) redirect(rd *syntax.Redirect, c *Command) bool {
	target := word(rd.Word)
	if rd.N != nil && !number().MatchString(rd.N.Value) || rd.Hdoc != nil || !l.plainWord(rd.Word.Parts) {
		return false
	}
	switch rd.Op {
	case syntax.DplIn, syntax.DplOut:
		return target.Known && descriptor().MatchString(target.Text)
	case syntax.RdrIn, syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll, syntax.RdrClob:
		if !target.Known || target.Text != "/dev/null" {
			c.Redirects = append(c.Redirects, Redirect{Target: target, Writes: rd.Op != syntax.RdrIn})
		}
		file := path.Clean(target.Text)
		return !strings.HasPrefix(file, "/dev/tcp") && !strings.HasPrefix(file, "/dev/udp")
	}
	return false
}

// plainWord: letters, quotes without expansions but plain variables.
func (l *Line) plainWord(parts []syntax.WordPart) bool {
	for i, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if !plainText(p.Value, i == len(parts)-1) {
				return false
			}
		case *syntax.SglQuoted:
			if p.Dollar {
				return false
			}
		case *syntax.DblQuoted:
			if p.Dollar || !l.plainWord(p.Parts) {
				return false
			}
		case *syntax.ParamExp:
			if !variable().MatchString(l.source(p)) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// plainText reports whether the parser left nothing in a text that bash expands.
// A dollar is plain at the end of the word, and before what begins no expansion.
func plainText(s string, last bool) bool {
	s = escaped().ReplaceAllLiteralString(s, `\`)
	return unexpanded().MatchString(s) && (last || !strings.HasSuffix(s, "$"))
}
