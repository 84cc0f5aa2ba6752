package shell

import (
	"reflect"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// treatment says what happens to a field of the syntax tree that is set.
type treatment int

const (
	// refused: nothing is known about what bash does with it, or too much. A
	// field that has no decision is refused.
	refused treatment = iota
	// inert: bash runs and evaluates nothing because of it.
	inert
	// walked: the nodes in it are visited, and each is judged on its own.
	walked
	// judged: a function of this package looks at it.
	judged
	// arithmetic: bash evaluates it as arithmetic. Names in it are evaluated in
	// turn, indexes and substitutions in their values included, so that numbers
	// alone are harmless.
	arithmetic
	// part: a structure that is not a node; its fields have decisions of their own.
	part
)

type decision struct {
	treatment treatment
	why       string
}

// fieldDecisions decides about each field of each node of a shell script. Those
// that hold a place in the text or comments need none.
var fieldDecisions = map[string]decision{
	"File.Name":  {inert, "the parser's name of the script"},
	"File.Stmts": {walked, "they run"},

	"Comment.Text": {judged, "bashsyntax.Parse: a backslash at its end; nothing else in it is read"},

	"Stmt.Cmd":        {walked, "it runs"},
	"Stmt.Negated":    {inert, "changes the exit code only"},
	"Stmt.Background": {inert, "what runs in the background is judged like the rest"},
	"Stmt.Coprocess":  {refused, "not bash: mksh's |&"},
	"Stmt.Disown":     {refused, "not bash: zsh's &|"},
	"Stmt.Redirs":     {judged, "statement: they hold for all that is in the statement"},

	"Assign.Append": {inert, "adds to a value; an index is judged for itself"},
	"Assign.Naked":  {judged, "declaration: declare x, or an option"},
	"Assign.Name":   {judged, "call, declaration: the shell and programs heed some variables"},
	"Assign.Index":  {arithmetic, "a[i]=v evaluates i, and what i holds"},
	"Assign.Value":  {walked, "its expansions happen"},
	"Assign.Array":  {walked, "its elements are expanded"},

	"ArrayExpr.Elems": {walked, "they are expanded"},
	"ArrayElem.Index": {arithmetic, "([i]=v) evaluates i, and what i holds"},
	"ArrayElem.Value": {walked, "its expansions happen"},

	"Redirect.Op":   {judged, "redirect, twiceExpanded: what follows >& is expanded twice"},
	"Redirect.N":    {judged, "statement: {name}> sets a variable, whose index is evaluated"},
	"Redirect.Word": {walked, "its expansions happen; redirect looks at the target"},
	"Redirect.Hdoc": {walked, "its expansions happen, unless its end is quoted"},

	"CallExpr.Assigns": {walked, "each is judged; call looks at the names"},
	"CallExpr.Args":    {walked, "their expansions happen; call looks at the command"},

	"Subshell.Stmts":    {walked, "they run"},
	"Block.Stmts":       {walked, "they run"},
	"IfClause.Cond":     {walked, "they run"},
	"IfClause.Then":     {walked, "they may run"},
	"IfClause.Else":     {walked, "it may run"},
	"WhileClause.Until": {inert, "turns the condition round; both branches are judged"},
	"WhileClause.Cond":  {walked, "they run"},
	"WhileClause.Do":    {walked, "they may run"},
	"ForClause.Select":  {refused, "prompts with PS3 and reads a choice"},
	"ForClause.Braces":  {inert, "another way of writing do and done"},
	"ForClause.Loop":    {walked, "WordIter or CStyleLoop"},
	"ForClause.Do":      {walked, "they may run"},
	"WordIter.Name":     {judged, "visit: the shell and programs heed some variables"},
	"WordIter.Items":    {walked, "their expansions happen"},
	"CStyleLoop.Init":   {arithmetic, "evaluated"},
	"CStyleLoop.Cond":   {arithmetic, "evaluated"},
	"CStyleLoop.Post":   {arithmetic, "evaluated"},
	"BinaryCmd.Op":      {inert, "both sides are judged, whichever run"},
	"BinaryCmd.X":       {walked, "it runs"},
	"BinaryCmd.Y":       {walked, "it may run"},
	"CaseClause.Braces": {refused, "not bash: mksh's form"},
	"CaseClause.Word":   {walked, "its expansions happen"},
	"CaseClause.Items":  {walked, "they may run"},
	"CaseItem.Op":       {inert, "says which items follow; all are judged"},
	"CaseItem.Patterns": {walked, "their expansions happen"},
	"CaseItem.Stmts":    {walked, "they may run"},

	"FuncDecl.RsrvWord": {inert, "another way of writing it"},
	"FuncDecl.Parens":   {inert, "another way of writing it"},
	"FuncDecl.Name":     {judged, "function: any later command may mean it"},
	"FuncDecl.Names":    {refused, "not bash: zsh's"},
	"FuncDecl.Body":     {walked, "it may run"},

	"TimeClause.PosixFormat": {inert, "changes what is printed"},
	"TimeClause.Stmt":        {walked, "it runs"},
	"CoprocClause.Name":      {refused, "it is an array that is set, whose index is evaluated"},
	"CoprocClause.Stmt":      {refused, "runs in the background, and sets variables; what is in it is judged, too"},
	"TestDecl.Description":   {refused, "not bash: bats"},
	"TestDecl.Body":          {refused, "not bash: bats"},

	"Word.Parts":        {walked, "each is expanded; word finds the value"},
	"Lit.Value":         {judged, "word: patterns, braces and home directories are not values; unread: what the parser did not expand"},
	"SglQuoted.Dollar":  {judged, "word: $'' has escapes of its own, so that its value is not known"},
	"SglQuoted.Value":   {inert, "nothing in it is expanded"},
	"DblQuoted.Dollar":  {judged, "word: $\"\" is translated, so that its value is not known"},
	"DblQuoted.Parts":   {walked, "each is expanded"},
	"CmdSubst.Stmts":    {walked, "they run"},
	"CmdSubst.TempFile": {refused, "${ x; }: a command for some versions of bash, a fault for others"},
	"CmdSubst.ReplyVar": {refused, "${| x; }: as TempFile, and sets REPLY"},
	// The parser reads what is between ` ` without its backslashes, as bash does.
	"CmdSubst.Backquotes": {inert, "another way of writing it"},
	"ProcSubst.Op":        {inert, "it runs whichever way the pipe goes"},
	"ProcSubst.Stmts":     {walked, "they run"},
	"ExtGlob.Op":          {inert, "says how often the pattern may match"},
	"ExtGlob.Pattern":     {judged, "visit: its expansions happen, and the parser leaves them as text"},
	"BraceExp.Sequence":   {refused, "the parser makes none unless it is asked to"},
	"BraceExp.Elems":      {refused, "the parser makes none unless it is asked to"},

	"ParamExp.Short":       {inert, "another way of writing it"},
	"ParamExp.Flags":       {refused, "not bash: zsh's"},
	"ParamExp.Excl":        {refused, "${!x} expands what x holds, evaluates its index, and runs what is in that"},
	"ParamExp.Length":      {inert, "counts"},
	"ParamExp.Width":       {refused, "not bash: mksh's"},
	"ParamExp.IsSet":       {refused, "not bash: zsh's"},
	"ParamExp.Split":       {refused, "not bash: zsh's"},
	"ParamExp.GlobSubst":   {refused, "not bash: zsh's"},
	"ParamExp.RcExpand":    {refused, "not bash: zsh's"},
	"ParamExp.Param":       {inert, "is read; that it is only a name for another takes a declaration, which is judged"},
	"ParamExp.NestedParam": {refused, "not bash: zsh's"},
	"ParamExp.Index":       {arithmetic, "${a[i]} evaluates i, and what i holds; @ and * aside"},
	"ParamExp.Modifiers":   {refused, "not bash: zsh's"},
	"ParamExp.Slice":       {part, "${a:i:n}"},
	"ParamExp.Repl":        {part, "${a/x/y}"},
	"ParamExp.Names":       {refused, "${!x*}: a form of ${!x}"},
	"ParamExp.Exp":         {part, "${a:-x}"},
	"Slice.Offset":         {arithmetic, "evaluated"},
	"Slice.Length":         {arithmetic, "evaluated"},
	"Replace.All":          {inert, "replaces once or often"},
	"Replace.Orig":         {walked, "its expansions happen"},
	"Replace.With":         {walked, "its expansions happen"},
	"Expansion.Op":         {judged, "evaluates: ${a@P} evaluates, ${a:=x} sets"},
	"Expansion.Word":       {walked, "its expansions happen"},

	"ArithmExp.Bracket":  {inert, "another way of writing it"},
	"ArithmExp.Unsigned": {refused, "not bash: mksh's"},
	"ArithmExp.X":        {arithmetic, "evaluated"},
	"ArithmCmd.Unsigned": {refused, "not bash: mksh's"},
	"ArithmCmd.X":        {arithmetic, "evaluated"},
	"LetClause.Exprs":    {arithmetic, "evaluated"},
	// These stand in a field that is evaluated, and were judged with it.
	"BinaryArithm.Op":   {inert, "an operator"},
	"BinaryArithm.X":    {walked, "judged with the whole"},
	"BinaryArithm.Y":    {walked, "judged with the whole"},
	"UnaryArithm.Op":    {inert, "an operator"},
	"UnaryArithm.Post":  {inert, "where the operator stands"},
	"UnaryArithm.X":     {walked, "judged with the whole"},
	"ParenArithm.X":     {walked, "judged with the whole"},
	"FlagsArithm.Flags": {refused, "not bash: zsh's"},
	"FlagsArithm.X":     {refused, "not bash: zsh's"},

	"TestClause.X":  {judged, "arithmeticTest, for all that is in it"},
	"BinaryTest.Op": {judged, "arithmeticTest: -eq, -lt and the like evaluate"},
	"BinaryTest.X":  {walked, "its expansions happen"},
	"BinaryTest.Y":  {walked, "its expansions happen"},
	"UnaryTest.Op":  {judged, "arithmeticTest: -v and -R evaluate an index"},
	"UnaryTest.X":   {walked, "its expansions happen"},
	"ParenTest.X":   {walked, "its expansions happen"},

	"DeclClause.Variant": {judged, "declaration"},
	"DeclClause.Args":    {judged, "declaration: its options change what values mean"},
}

// inertTypes are those of fields that need no decision.
var inertTypes = map[reflect.Type]bool{
	reflect.TypeFor[syntax.Pos]():       true,
	reflect.TypeFor[[]syntax.Comment](): true,
}

// check is a field of a type of nodes that has to be looked at.
type check struct {
	field     int
	treatment treatment
}

// checks of each type of nodes, made when the type is first met.
var checks sync.Map // of reflect.Type to []check

func checksOf(t reflect.Type) []check {
	if known, ok := checks.Load(t); ok {
		return known.([]check)
	}
	var out []check
	for i := range t.NumField() {
		f := t.Field(i)
		if inertTypes[f.Type] {
			continue
		}
		switch d := fieldDecisions[t.Name()+"."+f.Name]; d.treatment {
		case refused, arithmetic, part:
			out = append(out, check{i, d.treatment})
		}
	}
	checks.Store(t, out)
	return out
}

// runsByItself reports whether a field of the node makes bash do more than what
// the nodes in it do, or may do so for all that is known.
func runsByItself(n syntax.Node) bool {
	return setAside(reflect.ValueOf(n).Elem())
}

func setAside(v reflect.Value) bool {
	for _, c := range checksOf(v.Type()) {
		f := v.Field(c.field)
		if f.IsZero() {
			continue
		}
		switch c.treatment {
		case arithmetic:
			if !plainField(f) {
				return true
			}
		case part:
			if setAside(f.Elem()) {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// plainField looks at a field of one expression, or of several.
func plainField(f reflect.Value) bool {
	if f.Kind() == reflect.Slice {
		for i := range f.Len() {
			if !plainField(f.Index(i)) {
				return false
			}
		}
		return true
	}
	x, ok := f.Interface().(syntax.ArithmExpr)
	return ok && (wholeArray(x) || plainNumbers(x))
}
