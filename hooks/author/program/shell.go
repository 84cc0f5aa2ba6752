package program

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// shell parses the program as a shell does.
func (f *Facts) shell() {
	program := strings.TrimPrefix(strings.ReplaceAll(f.Text, "\r\n", "\n"), "\ufeff")
	file, err := syntax.NewParser().Parse(strings.NewReader(program), "")
	if err != nil {
		f.Invalid = err.Error()
		return
	}
	w := &walker{f: f, ends: map[string]bool{}}
	w.list(file.Stmts, true)
	f.Silent = !w.prints
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 1 && text(c.Args[0]) == "jq" {
			f.jq(c)
		}
		return true
	})
}

// words returns the literal text of each word.
func words(list []*syntax.Word) []string {
	all := make([]string, len(list))
	for i, w := range list {
		all[i] = text(w)
	}
	return all
}

// walker walks through statements and keeps track of where their stdout goes.
// Where the script may go two ways, both are followed.
type walker struct {
	f      *Facts
	prints bool            // something is printed, or might be
	json   *Fact           // JSON that was printed on this path
	ended  bool            // the path ends here
	ends   map[string]bool // functions that end the program
}

// ways walks alternative branches, of which a run takes one.
func (w *walker) ways(alternatives ...func()) {
	before, all := w.json, true
	var after *Fact
	for _, walk := range alternatives {
		w.json, w.ended = before, false
		walk()
		if w.ended {
			continue
		}
		if all = false; w.json != nil {
			after = w.json
		}
	}
	w.json, w.ended = after, all
}

// exit ends a path.
func (w *walker) exit(code string) {
	if code == "2" && w.json != nil && w.f.Unsaid == nil {
		w.f.Unsaid = w.json
	}
	w.json, w.ended = nil, true
}

// list walks consecutive statements. shown means that their stdout is the hook's.
func (w *walker) list(stmts []*syntax.Stmt, shown bool) {
	var words *Fact // text printed so far on this path
	for _, s := range stmts {
		before := len(w.f.Stdout)
		w.stmt(s, shown)
		for i := range w.f.Stdout[before:] {
			if said := &w.f.Stdout[before+i]; isJSON(said.Text) && words != nil && w.f.Mixed == nil {
				w.f.Mixed = words
			}
		}
		if _, plain := s.Cmd.(*syntax.CallExpr); plain && len(w.f.Stdout) == before+1 {
			if said := w.f.Stdout[before]; !isJSON(said.Text) && strings.TrimSpace(said.Text) != "" {
				words = &said
			}
		}
	}
}

// redirected returns where s sends its stdout: "", "stderr" or "away".
func redirected(s *syntax.Stmt) string {
	to := ""
	for _, r := range s.Redirs {
		fd := ""
		if r.N != nil {
			fd = r.N.Value
		}
		switch r.Op {
		case syntax.DplOut: // >&
			if (fd == "" || fd == "1") && r.Word.Lit() == "2" {
				to = "stderr"
			}
		case syntax.RdrOut, syntax.AppOut, syntax.RdrClob:
			if fd == "" || fd == "1" {
				to = "away"
				if r.Word.Lit() == "/dev/stderr" {
					to = "stderr"
				}
			}
		case syntax.RdrAll, syntax.AppAll: // &>
			to = "away"
		}
	}
	return to
}

// stmt follows one statement. shown says that its output is the script's.
func (w *walker) stmt(s *syntax.Stmt, shown bool) {
	if s == nil {
		return
	}
	to := redirected(s)
	if s.Background && shown && to == "" && w.f.Leaves == nil {
		w.f.Leaves = &Fact{int(s.Pos().Line()), ""}
	}
	shown = shown && to != "away"
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		w.call(c, s, shown, to == "stderr")
	case *syntax.BinaryCmd:
		pipe := c.Op == syntax.Pipe || c.Op == syntax.PipeAll
		w.stmt(c.X, shown && !pipe)
		if pipe {
			w.stmt(c.Y, shown)
		} else {
			w.ways(func() { w.stmt(c.Y, shown) }, func() {})
		}
	case nil:
	default:
		w.compound(c, shown)
	}
}

// compound walks the statements in a compound command.
func (w *walker) compound(c syntax.Command, shown bool) {
	switch c := c.(type) {
	case *syntax.Block:
		w.list(c.Stmts, shown)
	case *syntax.Subshell:
		w.list(c.Stmts, shown)
	case *syntax.IfClause:
		w.clause(c, shown)
	case *syntax.WhileClause:
		w.list(c.Cond, shown)
		w.ways(func() { w.list(c.Do, shown) }, func() {})
	case *syntax.ForClause:
		w.ways(func() { w.list(c.Do, shown) }, func() {})
	case *syntax.CaseClause:
		ways := []func(){func() {}} // it may be that no pattern matches
		for _, item := range c.Items {
			ways = append(ways, func() { w.list(item.Stmts, shown) })
		}
		w.ways(ways...)
	case *syntax.FuncDecl:
		before := w.json
		w.json, w.ended = nil, false
		w.stmt(c.Body, shown)
		w.ends[c.Name.Value] = w.ended
		w.json, w.ended = before, false
	case *syntax.TimeClause:
		w.stmt(c.Stmt, shown)
	}
}

// clause walks an if statement with its elif and else branches.
func (w *walker) clause(c *syntax.IfClause, shown bool) {
	w.list(c.Cond, shown)
	w.ways(func() { w.list(c.Then, shown) }, func() {
		if c.Else != nil {
			w.clause(c.Else, shown)
		}
	})
}

// quiet lists commands that print nothing on stdout unless they are asked to.
const quiet = " exit return test [ [[ true false : cd set shift local export read trap sleep kill mkdir rm touch cp " +
	"mv chmod unset umask wait let declare readonly break continue "

// call follows one command. Commands that are not known may print anything.
func (w *walker) call(c *syntax.CallExpr, s *syntax.Stmt, shown, stderr bool) {
	if len(c.Args) == 0 {
		return
	}
	name, line := text(c.Args[0]), int(c.Pos().Line())
	args := words(c.Args[1:])
	switch {
	case name == "echo":
		w.say(Fact{line, strings.Join(dropFlags(args), " ")}, shown, stderr)
	case name == "printf":
		w.say(Fact{line, formatted(dropFlags(args))}, shown, stderr)
	case name == "cat" && heredoc(s) != "":
		w.say(Fact{line, heredoc(s)}, shown, stderr)
	case name == "exit" || name == "exec":
		if len(args) == 1 && args[0] != "" && name == "exit" {
			w.f.Exits = append(w.f.Exits, Fact{line, args[0]})
		}
		if len(args) > 0 || name == "exit" {
			w.exit(strings.Join(args, " "))
		}
	case w.ends[name]:
		w.exit("")
		w.prints = true // it might print
	case name == "set" && w.f.Strict == nil && strict(args):
		w.f.Strict = &Fact{line, source(c)}
	case name == "trap" && len(args) > 1 && args[0] == "" && isEmptyLiteral(c.Args[1]) && namesTerm(args[1:]):
		w.f.Traps = &Fact{line, ""}
	case name == "kill" && strings.Contains(source(c), "$$"):
		w.f.Kills = &Fact{line, source(c)}
	case strings.Contains(quiet, " "+name+" "):
	case name == "grep" && slices.ContainsFunc(args, func(a string) bool {
		return strings.HasPrefix(a, "-") && strings.Contains(a, "q")
	}):
	case shown || stderr:
		w.prints = true
	}
}

// say notes what a command prints, and where.
func (w *walker) say(what Fact, shown, stderr bool) {
	switch {
	case stderr:
		w.f.Stderr = append(w.f.Stderr, what)
		w.prints = true
	case shown:
		w.f.Stdout = append(w.f.Stdout, what)
		w.prints = true
		if isJSON(what.Text) {
			w.json = &what
		}
	}
}

// heredoc returns the here-document that s reads.
func heredoc(s *syntax.Stmt) string {
	for _, r := range s.Redirs {
		if r.Hdoc != nil {
			return text(r.Hdoc)
		}
	}
	return ""
}

// text returns the literal parts of a word. Expansions are left out.
func text(w *syntax.Word) string {
	var b strings.Builder
	var parts func([]syntax.WordPart)
	parts = func(list []syntax.WordPart) {
		for _, p := range list {
			switch p := p.(type) {
			case *syntax.Lit:
				b.WriteString(strings.ReplaceAll(p.Value, `\"`, `"`))
			case *syntax.SglQuoted:
				b.WriteString(p.Value)
			case *syntax.DblQuoted:
				parts(p.Parts)
			}
		}
	}
	parts(w.Parts)
	return b.String()
}

// source returns the text of a part of a script, in the printer's form.
func source(n syntax.Node) string {
	var b strings.Builder
	_ = syntax.NewPrinter().Print(&b, n) // parsed syntax can always be printed
	return b.String()
}

// formatted returns what printf prints. Expansions are left out.
func formatted(args []string) string {
	if len(args) == 0 {
		return ""
	}
	format, rest := args[0], args[1:]
	var b strings.Builder
	for {
		before, after, found := strings.Cut(format, "%s")
		b.WriteString(before)
		if format = after; !found {
			break
		}
		if len(rest) > 0 {
			b.WriteString(rest[0])
			rest = rest[1:]
		}
		if format == "" && len(rest) > 0 { // printf reuses the format
			format = args[0]
		}
	}
	return strings.TrimSuffix(strings.NewReplacer(`\n`, "\n", "%%", "%").Replace(b.String()), "\n")
}

// dropFlags leaves out the flags of echo and printf.
func dropFlags(args []string) []string {
	for len(args) > 0 && (args[0] == "-n" || args[0] == "-e" || args[0] == "-ne" || args[0] == "--") {
		args = args[1:]
	}
	return args
}

// strict reports whether these options of set make a failure end the program.
func strict(args []string) bool {
	for _, option := range args {
		switch {
		case option == "errexit" || option == "nounset":
			return true
		case option == "--":
			return false
		case strings.HasPrefix(option, "-") && strings.ContainsAny(option, "eu"):
			return true
		}
	}
	return false
}

// isEmptyLiteral reports whether the word is a pair of quotes with nothing in it.
func isEmptyLiteral(w *syntax.Word) bool {
	if len(w.Parts) != 1 {
		return false
	}
	switch p := w.Parts[0].(type) {
	case *syntax.SglQuoted:
		return p.Value == ""
	case *syntax.DblQuoted:
		return len(p.Parts) == 0
	}
	return false
}

// namesTerm reports whether TERM is among the signals of a trap, in any spelling.
func namesTerm(signals []string) bool {
	return slices.ContainsFunc(signals, func(s string) bool {
		return s == "15" || strings.TrimPrefix(strings.ToUpper(s), "SIG") == "TERM"
	})
}
