package agents

// How an agent reads an answer: rows of data, applied from top to bottom.
//
//	at       the points of a row: tool after prompt stop start; absent: all
//	if       words that must all hold, "!" for not, " or " between groups:
//	         a fact (see facts), exit=2, exit>1, is=KIND (the effect so far), or a
//	         text or field with a test: stderr, text, .field at the top, $.field of
//	         hookSpecificOutput, *.field in either of them
//	then     sets the kind of effect and ends; "end" keeps the effect so far
//	now      sets the kind, unless there is one already
//	set      sets the kind, even if there is one
//	         (without any of the three the row only adds its context and why)
//	reason   the first of several texts, separated by " | ", that is not empty:
//	context  'a literal', or a text or field after modifiers (see textOf)
//	input    the field with the new arguments; merge: arguments that it omits stay
//	why      which part of the answer has no effect, and what to write instead
//
// The kind "block" is the effect that refuses at the point; see Rules.Blocks.

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Rules says how an agent reads answers. Without rows nothing is known.
type Rules struct {
	// From lists the streams that may hold the answer, "stdout" or "stderr". The first
	// that is not empty counts.
	From []string `json:"-" toml:"from"`
	// FromExit2 replaces From at exit 2; nil means From.
	FromExit2 []string `json:"-" toml:"from_exit2"`
	// JSON names the agent's JSON parser: "claude", "rust", "js", "object" or "plain".
	JSON string `json:"-" toml:"json"`
	// Blocks says what a block does, by the word of the point, if that is not the usual
	// effect.
	Blocks map[string]Kind `json:"-" toml:"blocks"`
	// Read holds the rows, applied from top to bottom.
	Read []Rule `json:"-" toml:"read"`
}

// Rule is one row. The comment at the top of this file explains its fields.
type Rule struct {
	// At names the points of the row; empty means all. If holds the words that must be
	// true; empty means always.
	At, If string
	// Then sets the kind of effect and ends the reading; Now sets it unless there is
	// one already; Set always sets it. At most one of them is given.
	Then, Now, Set Kind
	// Reason and Context are literals, or name texts and fields of the answer. Input
	// names the field with the new arguments.
	Reason, Context, Input string
	// Ran says that the tool runs although the run ends. Merge says that arguments
	// which Input omits stay.
	Ran, Merge bool
	// Why says which part of the answer has no effect, and what to write instead.
	Why string
}

// Kinds of rows that are not effects.
const (
	block Kind = "block"
	end   Kind = "end"
)

// points holds the words of Rule.At.
var points = map[Point]string{
	BeforeTool: "tool", AfterTool: "after", BeforePrompt: "prompt", AgentStop: "stop", SessionStart: "start",
}

// usual is the effect of a block if Rules.Blocks has no other.
var usual = map[string]Kind{"tool": Refused, "after": Replaced, "prompt": PromptBlocked, "stop": Retry}

// silent lists the effects whose reason and context the model does not read.
var silent = []Kind{Allowed, Unknown, RunEnded, PromptBlocked, Answered}

// shared holds sentences that several agents need.
var shared = map[string]string{
	"@late":  "it took too long, and what it printed before the timeout is discarded there",
	"@among": "the decision is among other text, and only JSON alone is read there: print nothing else on stdout",
	"@exit":  "exit {exit} does not block there: use exit 2, with the reason on stderr",
}

// reading is an answer while rows are applied to it.
type reading struct {
	agent  *Agent
	rules  *Rules
	answer Answer
	at     string // the word of the point
	native string // the agent's name of the event

	text string         // that is read
	form string         // what text is: "json", "void", "broken", "other", "text", "empty"
	top  map[string]any // of form "json" or "void"
	sub  map[string]any // hookSpecificOutput, where it counts
	name string         // its hookEventName
	err  string         // why the answer is void

	effect Effect
}

// apply returns the effect of x by these rules.
func (rules *Rules) apply(a *Agent, x Answer) Effect {
	own, _ := a.Event(x.Point)
	r := &reading{
		agent: a, rules: rules, answer: x, at: points[x.Point], native: own.Native, effect: Effect{Kind: Allowed},
	}
	r.parse()
	for i := range rules.Read {
		if row := &rules.Read[i]; r.matches(row) && r.take(row) {
			break
		}
	}
	return r.effect
}

// parse finds the text that is read, and its form.
func (r *reading) parse() {
	streams := map[string]string{"stdout": r.answer.Stdout, "stderr": r.answer.Stderr}
	from := r.rules.From
	if r.answer.Exit == 2 && r.rules.FromExit2 != nil {
		from = r.rules.FromExit2
	}
	trim := jsTrim
	if r.rules.JSON == "rust" || r.rules.JSON == "plain" { // a byte order mark stays
		trim = strings.TrimSpace
	}
	for _, name := range from {
		if r.text = trim(streams[name]); r.text != "" {
			break
		}
	}
	if r.text == "" {
		r.form = "empty"
		return
	}
	r.top, r.form, r.err = parsers[r.rules.JSON](r.agent, r.answer.Point, r.text)
	sub := nestedOf(r.top)
	r.name = str(sub, "hookEventName")
	if sub != nil && !r.agent.Answer.TopOnly && !r.misnamed() {
		r.sub = sub
	}
}

// misnamed reports whether the answer names another event, for agents where that counts.
func (r *reading) misnamed() bool {
	return r.agent.Answer.ByName && nestedOf(r.top) != nil && r.name != r.native
}

// matches reports whether a row is for the point and its condition holds. An empty
// condition holds.
func (r *reading) matches(row *Rule) bool {
	if row.At != "" && !slices.Contains(strings.Fields(row.At), r.at) {
		return false
	}
	return slices.ContainsFunc(strings.Split(row.If, " or "), func(group string) bool {
		for _, word := range strings.Fields(group) {
			word, not := strings.CutPrefix(word, "!")
			if r.holds(word) == not {
				return false
			}
		}
		return true
	})
}

// missingScript matches stderr if a script was not found.
var missingScript = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)no such file|can't open`) })

// facts holds the words of Rule.If that are not texts, fields or numbers.
var facts = map[string]func(*reading) bool{
	"late":     func(r *reading) bool { return r.answer.TimedOut },
	"empty":    func(r *reading) bool { return r.form == "empty" },
	"json":     func(r *reading) bool { return r.form == "json" },
	"void":     func(r *reading) bool { return r.form == "void" },   // an object that the agent refuses
	"broken":   func(r *reading) bool { return r.form == "broken" }, // begins like JSON, and is not
	"text":     func(r *reading) bool { return r.form == "text" },
	"nested":   func(r *reading) bool { return r.sub != nil },
	"opens":    func(r *reading) bool { return strings.HasPrefix(r.text, "{") },
	"bare":     func(r *reading) bool { return len(r.top) == 0 },
	"no_json":  func(r *reading) bool { return r.agent.Answer.NoJSON },
	"misnamed": (*reading).misnamed,
	"prevents": func(r *reading) bool { return r.effect.Prevents() },
	"missing":  func(r *reading) bool { return missingScript().MatchString(r.answer.Stderr) },
}

// refusal lists the fields that show that a text was meant to decide something.
const refusal = "decision|permissionDecision|continue"

// holds reports whether a word of Rule.If holds. It panics for an unknown word; a test
// evaluates all of them.
func (r *reading) holds(word string) bool {
	if fact := facts[word]; fact != nil {
		return fact(r)
	}
	if kind, ok := strings.CutPrefix(word, "is="); ok {
		return r.effect.Kind == Kind(kind)
	}
	if n, ok := strings.CutPrefix(word, "exit"); ok {
		status, err := strconv.Atoi(n[1:])
		if err != nil {
			panic("not a word of a rule: " + word)
		}
		return r.answer.Exit == status && n[0] == '=' || r.answer.Exit > status && n[0] == '>'
	}
	if name, values, ok := strings.Cut(word, "="); ok && !strings.Contains(name, ":") {
		return slices.Contains(strings.Split(values, "|"), r.word(name))
	}
	name, test, tested := strings.Cut(word, ":")
	if !tested {
		return r.textOf(name) != ""
	}
	if test == "refusal" {
		test = "says=" + refusal
	}
	if keys, ok := strings.CutPrefix(test, "says="); ok {
		text := r.textOf(name)
		return slices.ContainsFunc(strings.Split(keys, "|"), func(k string) bool { return strings.Contains(text, `"`+k+`"`) })
	}
	v, there := r.field(name)
	switch test {
	case "there":
		return there
	case "some":
		return v != nil
	case "object":
		_, ok := v.(map[string]any)
		return ok
	case "string":
		_, ok := v.(string)
		return ok
	}
	panic("not a word of a rule: " + word)
}

// word returns a field's value as it is written in Rule.If: a text, or true or false. A
// text that reads "true" is quoted.
func (r *reading) word(name string) string {
	if name[0] == '*' {
		return firstOf(r.word("$"+name[1:]), r.word(name[1:]))
	}
	v, _ := r.field(name)
	switch v := v.(type) {
	case string:
		if v == "true" || v == "false" {
			return strconv.Quote(v)
		}
		return v
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

// field returns the value of .a.b at the top, or of $.a.b in hookSpecificOutput.
func (r *reading) field(name string) (v any, there bool) {
	m := r.top
	if name[0] == '$' {
		m = r.sub
	}
	_, path, _ := strings.Cut(name, ".")
	v = any(m)
	for key := range strings.SplitSeq(path, ".") {
		m, _ := v.(map[string]any)
		v, there = m[key]
	}
	return v, there
}

// stream returns the text of a name that is not a field.
func (r *reading) stream(name string) string {
	switch name {
	case "stdout":
		return r.answer.Stdout
	case "stderr":
		return r.answer.Stderr
	case "text":
		return r.text
	}
	return ""
}

// textOf returns the first of several texts that is not empty. Modifiers: ~ and ^ trim as
// Go and JavaScript do, & escapes the text as context, # also accepts numbers, and {}
// writes a value as JSON.
func (r *reading) textOf(names string) string {
	for name := range strings.SplitSeq(names, " | ") {
		if s := r.oneText(name); s != "" {
			return s
		}
	}
	return ""
}

// oneText returns one text, with its modifiers applied.
func (r *reading) oneText(name string) string {
	switch {
	case name == "":
		return ""
	case name[0] == '\'':
		return r.fill(strings.Trim(name, "'"))
	case name[0] == '~':
		return strings.TrimSpace(r.oneText(name[1:]))
	case name[0] == '^':
		return jsTrim(r.oneText(name[1:]))
	case name[0] == '&':
		return strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(r.oneText(name[1:]))
	case name[0] == '#':
		v, _ := r.field(name[1:])
		return scalar(v)
	case name[0] == '{':
		v, _ := r.field(name[2:])
		return asJSON(v)
	case name[0] == '.', name[0] == '$':
		v, _ := r.field(name)
		s, _ := v.(string)
		return s
	}
	return r.stream(name)
}

// fill replaces the names in braces in a sentence.
func (r *reading) fill(sentence string) string {
	return strings.NewReplacer(
		"{exit}", strconv.Itoa(r.answer.Exit), "{event}", r.native, "{error}", r.err, "{name}", strconv.Quote(r.name),
	).Replace(firstOf(shared[sentence], sentence))
}

// take applies a row that matches, and reports whether it is the last.
func (r *reading) take(row *Rule) (last bool) {
	e, kind := &r.effect, cmp.Or(row.Then, row.Now, row.Set)
	if row.Now != "" && e.Kind != Allowed {
		return false
	}
	if row.Why != "" {
		e.Why = append(e.Why, r.fill(row.Why))
	}
	reason, context := r.textOf(row.Reason), r.textOf(row.Context)
	switch kind {
	case end:
		return true
	case block:
		if kind = cmp.Or(r.rules.Blocks[r.at], usual[r.at]); kind == "" {
			kind = Allowed
			e.Why = append(e.Why, "nothing can be blocked at the start of a session there")
		}
	case Context, Appended:
		if row.Context != "" && context == "" && row.Reason == "" { // it only gives the model more to read
			kind = e.Kind
		}
	case "":
		e.Context = joined(e.Context, context)
		return false
	}
	e.Kind, e.Context, e.Ran = kind, joined(e.Context, context), row.Ran
	if row.Reason != "" {
		e.Reason = reason
	}
	e.Input = nil
	if row.Input != "" {
		v, _ := r.field(row.Input)
		e.Input, _ = v.(map[string]any)
		e.Merge = row.Merge
	}
	if slices.Contains(silent, kind) {
		*e = Effect{Kind: kind, Ran: e.Ran, Why: e.Why}
	}
	if kind == Unknown {
		e.Why = nil
	}
	return row.Then != ""
}
