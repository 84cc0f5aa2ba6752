// Package shell takes a command line apart into the commands that it would run,
// so that each can be judged on its own (core/policy/policy-engine.ts). It
// knows bash's grammar and the commands that run other commands; it keeps out
// rules and decisions, and runs nothing.
//
// It errs on one side only: what is not certain is unknown. A word is known
// when it has one value whatever variables, files and settings there are; a
// command is known when its name is.
package shell

import (
	"errors"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"minigem/internal/bashsyntax"
)

// Kind says what there is to know about a Command.
type Kind int

const (
	// Plain is a command with a known name.
	Plain Kind = iota
	// Wrapper runs commands that stand in the list themselves, and does nothing
	// else of note: env, timeout, bash -c.
	Wrapper
	// Opaque may run anything: its name or its script is not known.
	Opaque
	// Effect is not a command, but changes what others do: the assignment of a
	// variable that programs may heed, the definition of a function, arithmetic.
	Effect
)

// Line is a command line taken apart.
type Line struct {
	Commands []Command // in order of appearance; nested ones follow what holds them
}

// Command is one simple command.
type Command struct {
	Kind      Kind
	Words     []Word // the name and the arguments; empty for Opaque and Effect
	Source    string // as it was written
	Redirects []Redirect
	Danger    string // what is dangerous about it, in a few words; empty: nothing known
	Safe      bool   // it only reads, inside the working directory
	Hides     string // text from which it may run commands that cannot be read here; empty: none
}

// Word is one argument.
type Word struct {
	Text  string // without quotes
	Known bool   // it is exactly Text; otherwise it may be anything, several words and none included
	Glob  bool   // Text is a file pattern; such a word is not Known
	Piped bool   // it holds a process substitution, the name of a pipe
	Array bool   // it assigns an array that is written out, whose elements are judged on their own
}

// Redirect is a redirection that touches a file or feeds input. Those to and
// from /dev/null and between descriptors are left out.
type Redirect struct {
	Target Word
	Writes bool
	Input  Word // the text that is fed: a here-document or a here-string
}

// Name returns the command's name as written, or "".
func (c Command) Name() string {
	if len(c.Words) == 0 {
		return ""
	}
	return c.Words[0].Text
}

// Text returns the words joined by blanks, or the source where a word is not
// known.
func (c Command) Text() string {
	if len(c.Words) == 0 || slices.ContainsFunc(c.Words, func(w Word) bool { return !w.Known }) {
		return c.Source
	}
	texts := make([]string, len(c.Words))
	for i, w := range c.Words {
		texts[i] = w.Text
	}
	return strings.Join(texts, " ")
}

// Normal returns the words as rules that hold something back see them: the name
// without its folder, and git without its own options.
func (c Command) Normal() []Word {
	if len(c.Words) == 0 || !c.Words[0].Known {
		return c.Words
	}
	words := slices.Clone(c.Words)
	words[0].Text = base(words[0].Text)
	if words[0].Text == "git" {
		words = append(words[:1], gitSubcommand(words[1:])...)
	}
	return words
}

// Parse takes a command line of bash apart. Its error says why that could not
// be done.
func Parse(text string) (Line, error) {
	w := &walker{line: text}
	if err := w.script(text, syntax.LangBash); err != nil {
		return Line{}, err
	}
	judgeDirectoryChange(w.commands)
	return Line{Commands: w.commands}, nil
}

const maxDepth = 8

// walker collects the commands of a script and of the scripts within.
type walker struct {
	line string // all of it
	scope
	depth     int
	redirects []Redirect   // of the statements around the present node
	document  *syntax.Word // the latest here-document, in which < and ( are plain
	commands  []Command
}

// scope is the script that is being walked.
type scope struct {
	text string
	file *syntax.File
	held *bool // what holdsSubstitution found; nil: not looked for
}

func (w *walker) script(text string, lang syntax.LangVariant) error {
	if w.depth >= maxDepth {
		return errors.New("scripts are nested too deeply")
	}
	file, err := bashsyntax.Parse(text, lang)
	if err != nil {
		return err
	}
	outer := w.scope
	w.scope = scope{text: text, file: file}
	if outer.held != nil && *outer.held {
		w.held = outer.held
	}
	w.depth++
	w.walk(file)
	w.scope, w.depth = outer, w.depth-1
	return nil
}

// walk visits all nodes. Redirections of a statement hold for all that is in it.
func (w *walker) walk(root syntax.Node) {
	var marks []int // length of w.redirects outside each open node
	syntax.Walk(root, func(n syntax.Node) bool {
		if n == nil {
			last := len(marks) - 1
			w.redirects, marks = w.redirects[:marks[last]:marks[last]], marks[:last]
			return true
		}
		marks = append(marks, len(w.redirects))
		w.visit(n)
		return true
	})
}

// visit judges what a node does besides what the nodes in it do.
func (w *walker) visit(n syntax.Node) {
	if runsByItself(n) {
		w.effect(n)
	}
	switch n := n.(type) {
	case *syntax.Stmt:
		w.statement(n)
	case *syntax.Redirect:
		w.document = n.Hdoc
	case *syntax.CallExpr:
		w.call(n)
	case *syntax.DeclClause:
		w.simple(declared(n), w.source(n))
	case *syntax.FuncDecl:
		w.function(n)
	case *syntax.WordIter:
		if !harmlessVariable(n.Name.Value) {
			w.effect(n)
		}
	case *syntax.Word:
		if n != w.document && unread(n) {
			w.add(Command{Kind: Opaque, Source: w.source(n)})
		}
	case *syntax.ExtGlob:
		if strings.ContainsAny(n.Pattern.Value, "$`<>") {
			w.add(Command{Kind: Opaque, Source: w.source(n)})
		}
	case *syntax.CoprocClause:
		if n.Name != nil { // which bash runs, unless a compound command follows
			w.add(Command{Kind: Opaque, Source: w.source(n)})
		}
	case *syntax.ParamExp:
		if evaluates(n.Exp) {
			w.effect(n)
		}
	case *syntax.TestClause:
		w.test(n)
	}
}

// test: [[ ]] has no arguments that a rule could know.
func (w *walker) test(t *syntax.TestClause) {
	c := Command{Words: []Word{{Text: "[[", Known: true}, {}}, Source: w.source(t), Safe: readsNothing(t)}
	if arithmeticTest(t) {
		c.Danger, c.Safe = "evaluates what its operands hold", false
		w.evaluation(c.Source)
	}
	w.add(c)
}

func (w *walker) source(n syntax.Node) string {
	from, to := n.Pos().Offset(), n.End().Offset()
	if from > to || to > uint(len(w.text)) {
		return w.text
	}
	return strings.TrimSpace(w.text[from:to])
}

// add records a command with the redirections around it.
func (w *walker) add(c Command) {
	c.Redirects = slices.Clone(w.redirects)
	if len(c.Redirects) > 0 {
		c.Safe = false
	}
	w.commands = append(w.commands, c)
}

// effect records what evaluates what a name holds, or may do so.
func (w *walker) effect(n syntax.Node) { w.evaluation(w.source(n)) }

// evaluation runs the substitutions that are in a value. Where the line holds
// one as text, nothing is known.
func (w *walker) evaluation(source string) {
	kind := Effect
	if w.holdsSubstitution() {
		kind = Opaque
	}
	w.add(Command{Kind: kind, Source: source})
}

func (w *walker) statement(s *syntax.Stmt) {
	for _, r := range s.Redirs {
		if r.N != nil && strings.Trim(r.N.Value, "0123456789") != "" {
			w.effect(r) // {name}> sets a variable
		}
		if twiceExpanded(r) {
			w.effect(r)
		}
		if rd, ok := redirect(r); ok {
			w.redirects = append(w.redirects, rd)
		}
	}
	if s.Cmd == nil && len(s.Redirs) > 0 {
		w.effect(s)
	}
}

// twiceExpanded: what follows >& is expanded as a descriptor, and what comes of
// that once more as a file.
func twiceExpanded(r *syntax.Redirect) bool {
	if r.Op != syntax.DplIn && r.Op != syntax.DplOut {
		return false
	}
	target := word(r.Word)
	return !target.Known || strings.ContainsAny(target.Text, "$`<>[")
}

func redirect(r *syntax.Redirect) (Redirect, bool) {
	target := word(r.Word)
	switch r.Op {
	case syntax.DplIn, syntax.DplOut:
		if target.Known && strings.Trim(target.Text, "0123456789-") == "" {
			return Redirect{}, false
		}
	case syntax.WordHdoc:
		return Redirect{Input: target}, true
	case syntax.Hdoc, syntax.DashHdoc:
		return Redirect{Input: document(r)}, true
	}
	if target.Known && target.Text == "/dev/null" {
		return Redirect{}, false
	}
	return Redirect{Target: target, Writes: r.Op != syntax.RdrIn}, true
}

// function: a definition lets any later command mean something else.
func (w *walker) function(f *syntax.FuncDecl) {
	c := Command{Kind: Effect, Source: w.source(f)}
	syntax.Walk(f.Body, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 && f.Name != nil {
			if name := word(call.Args[0]); name.Known && name.Text == f.Name.Value {
				c.Danger = "defines a function that calls itself"
			}
		}
		return true
	})
	w.add(c)
}

func (w *walker) call(call *syntax.CallExpr) {
	for _, a := range call.Assigns {
		if a.Name == nil || len(call.Args) > 0 && !harmlessEnvironment(a.Name.Value) || !harmlessVariable(a.Name.Value) {
			w.assignment(a)
		}
	}
	if len(call.Args) == 0 {
		return
	}
	words := make([]Word, len(call.Args))
	for i, a := range call.Args {
		words[i] = word(a)
	}
	w.simple(words, w.source(call))
}

// assignment of a variable that the shell or programs may heed, and that may
// name what they run.
func (w *walker) assignment(a *syntax.Assign) {
	c := Command{Kind: Effect, Source: w.source(a), Hides: w.line}
	if a.Value == nil && a.Array == nil {
		c.Hides = ""
	} else if v := word(a.Value); a.Value != nil && v.Known {
		c.Hides = v.Text
	}
	w.add(c)
}

// simple records a command, and those that it runs.
func (w *walker) simple(words []Word, source string) {
	if len(words) == 0 || !words[0].Known || words[0].Text == "" {
		w.add(Command{Kind: Opaque, Source: source})
		return
	}
	c := Command{Words: words, Source: source, Danger: danger(words)}
	c.Hides = w.hides(c)
	if _, ok := builtins[words[0].Text]; ok && c.Danger != "" && w.holdsSubstitution() {
		w.add(Command{Kind: Opaque, Source: source})
	}
	run := runnerOf(base(words[0].Text))
	if run == nil {
		c.Safe = c.Danger == "" && safe(words)
		w.add(c)
		return
	}
	at := len(w.commands)
	w.add(c)
	w.depth++
	defer func() { w.depth-- }()
	if w.depth > maxDepth {
		w.add(Command{Kind: Opaque, Source: source})
		return
	}
	kind := run(w, words, source)
	if kind == Wrapper && !standardName(words[0].Text) {
		kind = Plain // a program in another place only has the same name
	}
	w.commands[at].Kind = kind
	w.commands[at].Safe = kind == Plain && len(w.commands) == at+1 && c.Danger == "" &&
		len(w.redirects) == 0 && safe(words)
}

// judgeDirectoryChange: after a cd, what other commands do depends on a place
// that no rule spoke of. Beside anything but reading it is not safe.
func judgeDirectoryChange(commands []Command) {
	isCD := func(c Command) bool { return c.Kind == Plain && c.Name() == "cd" }
	others := slices.ContainsFunc(commands, func(c Command) bool {
		return !isCD(c) && (!c.Safe || base(c.Name()) == "git")
	})
	if !others {
		return
	}
	for i := range commands {
		if isCD(commands[i]) {
			commands[i].Safe = false
		}
	}
}
