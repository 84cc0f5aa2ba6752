package policy

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"minigem/tools"
)

// Options is what an Engine is made of.
type Options struct {
	Mode        Mode // the zero Mode is ModeDefault
	Interactive bool // there is a user who can be asked
	Untrusted   bool // the folder is not trusted: git is not a safe command there
	Rules       []Rule
	// Shell runs the command lines; empty: bash, or PowerShell on Windows.
	Shell Shell
	// InWorkspace and InPlans say whether an absolute path lies there, links
	// followed. nil: nothing does.
	InWorkspace func(path string) bool
	InPlans     func(path string) bool
	// Sensitive says which paths are not changed unasked in any mode but yolo,
	// such as settings by which editors run programs, links followed. With below
	// it is about all that lies, or may come to lie, in the directory. nil: none.
	Sensitive func(path string, below bool) bool
	// Refused names a file that the file tools would not read, of those that a
	// command reads; empty: there is none. nil: only words are looked at.
	Refused func(Reading) string
	// SavedRules is the file that "always, and save" appends to; empty: such an
	// answer holds for the session only.
	SavedRules string
	// SaveFailed hears that SavedRules could not be written; may be nil.
	SaveFailed func(error)
}

// Shell is what runs command lines. A line is judged by its grammar; where that
// is not known well enough, the line may run anything.
type Shell string

const (
	Bash       Shell = "bash"
	POSIX      Shell = "sh" // some other shell, as sh is where there is no bash
	PowerShell Shell = "powershell"
)

// Engine judges calls by rules. It is safe for concurrent use. The zero Engine
// has no rules and nobody to ask: it denies everything.
type Engine struct {
	options Options

	mu    sync.RWMutex
	mode  Mode
	rules []Rule // the highest priority first
}

// New returns an Engine of the built-in rules and those given. A rule whose
// expressions do not compile, which only one made by hand can have, is an error.
func New(o Options) (*Engine, error) {
	rules := slices.Concat(Builtin(), o.Rules)
	for i := range rules {
		if err := rules[i].compile(); err != nil {
			return nil, err
		}
	}
	sortRules(rules)
	o.Rules = nil
	return &Engine{options: o, mode: cmp.Or(o.Mode, ModeDefault), rules: rules}, nil
}

// situation is what rules depend on beside the call.
type situation struct {
	mode        Mode
	interactive bool
	untrusted   bool
	rules       []Rule
}

func (e *Engine) situation() situation {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return situation{
		mode:        cmp.Or(e.mode, ModeDefault),
		interactive: e.options.Interactive,
		untrusted:   e.options.Untrusted,
		rules:       e.rules,
	}
}

// Mode returns the present approval mode.
func (e *Engine) Mode() Mode { return e.situation().mode }

// SetMode changes the approval mode for the rest of the session.
func (e *Engine) SetMode(m Mode) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.mode = cmp.Or(m, ModeDefault)
}

// Rules returns all rules in the order in which they are tried.
func (e *Engine) Rules() []Rule { return slices.Clone(e.situation().rules) }

// Check judges a call. It never returns Ask where nobody can be asked.
func (e *Engine) Check(c Call) Verdict {
	s := e.situation()
	c.Tool = canonical(c.Tool)
	var v Verdict
	if c.Tool == shellTool && c.Info.MCP == nil {
		v = e.checkShell(s, c)
	} else {
		v = e.checkPlain(s, c)
	}
	if v.Decision == Ask && !s.interactive {
		v.Decision = Deny
		v.Reason = strings.TrimPrefix(v.Reason+"; "+headless, "; ")
	}
	return v
}

// editTools change the files that their arguments name.
var editTools = []string{"write_file", "replace"}

func (e *Engine) checkPlain(s situation, c Call) Verdict {
	text := stable(c.Args)
	for i := range s.rules {
		r := &s.rules[i]
		if !r.appliesTo(s, c.Tool, c.Info, c.Subagent) || !e.argumentsMatch(r, c, text) {
			continue
		}
		v := verdictOf(r)
		if v.Decision == Allow && s.mode != ModeYolo && r.args == nil && slices.Contains(editTools, c.Tool) && e.changesSensitive(c) {
			v.Decision = Ask
			v.Reason = "it may change what programs run, which only a rule that names the file allows"
		}
		return v
	}
	return s.unruled()
}

// argumentsMatch holds for every tool but the shell: a rule about commands
// never matches another one.
func (e *Engine) argumentsMatch(r *Rule, c Call, text string) bool {
	if r.regex != nil || len(r.prefixes) > 0 {
		return false
	}
	if r.args != nil && !matches(r.args, text, r.restrictive()) {
		return false
	}
	if r.Decision == Allow && r.Area == Workspace && e.changesSensitive(c) {
		return false
	}
	return e.inArea(r.Area, c.Intent)
}

func (e *Engine) changesSensitive(c Call) bool {
	return slices.ContainsFunc(pathsOf(c.Intent), func(p string) bool { return e.sensitive(p, false) })
}

// inArea reports whether all paths of the call lie in the area. A call that
// names no path is in none.
func (e *Engine) inArea(a Area, in tools.Intent) bool {
	if a == Anywhere {
		return true
	}
	paths := pathsOf(in)
	inside := e.options.InWorkspace
	if a == Plans {
		inside = e.options.InPlans
	}
	if len(paths) == 0 || inside == nil {
		return false
	}
	return !slices.ContainsFunc(paths, func(p string) bool {
		return a == Plans && !strings.HasSuffix(p, ".md") || !inside(p)
	})
}

// pathsOf returns what the call reads or changes.
func pathsOf(in tools.Intent) []string {
	if in.Edit == nil || in.Edit.FilePath == "" {
		return in.Paths
	}
	return append(slices.Clone(in.Paths), in.Edit.FilePath)
}

// Offered reports whether the model is told of the tool at all: not where every
// call of it would be refused whatever its arguments
// (core/tools/tool-registry.ts).
func (e *Engine) Offered(t tools.Tool) bool { return e.situation().offer(t).Decision != Deny }

// NotOffered says by which rule a tool is not offered, and in which more
// permissive modes it would be, the least permissive first. For a tool that is
// offered, the Decision is not Deny and there are no modes.
func (e *Engine) NotOffered(t tools.Tool) (v Verdict, elsewhere []Mode) {
	s := e.situation()
	if v = s.offer(t); v.Decision != Deny {
		return v, nil
	}
	for _, s.mode = range modes[slices.Index(modes, s.mode)+1:] {
		if s.offer(t).Decision != Deny {
			elsewhere = append(elsewhere, s.mode)
		}
	}
	return v, elsewhere
}

// offer finds the rule that decides whether a tool is offered. Allow and Ask
// mean that some of its calls may run.
func (s situation) offer(t tools.Tool) Verdict {
	name, info := canonical(t.Spec().Name), t.Info()
	for i := range s.rules {
		r := &s.rules[i]
		if !r.appliesTo(s, name, info, "") || r.Decision != Allow && r.conditional() {
			continue
		}
		v := verdictOf(r)
		if v.Decision == Ask && !s.interactive {
			v.Decision, v.Reason = Deny, headless
		}
		return v
	}
	return s.unruled()
}

// headless is why an Ask became a Deny.
const headless = "nobody can be asked in a headless session"

// unruled is the verdict on what no rule speaks of.
func (s situation) unruled() Verdict {
	switch {
	case s.mode == ModeYolo && len(s.rules) > 0:
		return Verdict{Decision: Allow, Rule: "no rule: yolo mode allows"}
	case s.interactive:
		return Verdict{Decision: Ask, Rule: "no rule: the user is asked"}
	}
	return Verdict{Decision: Deny, Rule: "no rule: denied in a headless session"}
}

func verdictOf(r *Rule) Verdict {
	v := Verdict{Decision: r.Decision, Rule: r.Place.String()}
	if r.Name != "" {
		v.Rule += " (" + r.Name + ")"
	}
	if r.Decision == Deny {
		v.Message = r.Message
	}
	return v
}
