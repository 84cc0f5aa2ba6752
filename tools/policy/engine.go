package policy

import (
	"cmp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"minigem/tools"
	"minigem/tools/workspace"
)

// Options configures an [Engine]. Functions are called concurrently. The zero Options has
// the built-in rules and a session without a user.
type Options struct {
	// Mode is the approval mode at the start; the zero Mode means [ModeDefault].
	Mode Mode
	// Interactive says that there is a user who can be asked.
	Interactive bool
	// Hooks says that there are PermissionRequest hooks, which are asked before the user
	// and also if there is none.
	Hooks bool
	// Untrusted says that the folder is not trusted: git is not a safe command there, and
	// MCP servers are not trusted.
	Untrusted bool
	// Rules are added to the built-in ones, see [FromLists] and [LoadPaths].
	Rules []Rule
	// Unconfined, if not empty, says why commands that only read cannot be confined on
	// this machine, and what to do. Such commands then need approval. If it is empty,
	// they run confined and without a question.
	Unconfined string
	// Shell is the shell that runs commands; empty means bash, or PowerShell on
	// Windows.
	Shell Shell
	// InWorkspace and InPlans report whether an absolute path, links followed, is
	// inside the workspace or the plans folder. The path may hold "..". If they are
	// nil, nothing is. They may be called concurrently and must not call the Engine.
	InWorkspace func(path string) bool
	// InPlans is the same for the folder of plans.
	InPlans func(path string) bool
	// Sensitive reports whether changing path, links followed, needs a question in
	// every mode but yolo, such as settings by which editors run programs. If it is nil,
	// no path is sensitive.
	Sensitive func(path string) bool
	// Refused returns a file that a command reads at an absolute path, which may be a
	// pattern, although the file tools would refuse it, or "". If it is nil, commands that
	// read files need approval.
	Refused func(path string, r workspace.Reach) string
	// Tracked returns a secret that git may print from the repository around a
	// directory, such as a file that it tracks, or "". If words is not nil, it includes
	// files that were tracked once, and what the words of the command name that no branch
	// leads to. If it is nil, git is not asked.
	Tracked func(dir string, words []string) string
	// Sandbox means that commands can run in the sandbox, and do so only if a rule
	// says it.
	Sandbox bool
}

// Shell is the shell that runs command lines. A line is judged by the shell's grammar; if
// that is not known well enough, the line may run anything.
type Shell string

// The shells.
const (
	// Lines are judged by bash's grammar.
	Bash Shell = "bash"
	// Another shell, such as sh where there is no bash. Lines are judged by the grammar
	// of POSIX.
	POSIX Shell = "sh"
	// Lines are judged by what is known of PowerShell. None of them runs unasked.
	PowerShell Shell = "powershell"
)

// Engine decides about calls by rules. It is safe for concurrent use. The zero Engine has
// no rules and no user to ask: it denies everything. Make a useful one with [New].
type Engine struct {
	options Options

	warned atomic.Bool // a denial has said that it is not a sandbox

	mu sync.RWMutex // guards Mode, and Rules, of which the highest priority is first
}

// New returns an [Engine] of the built-in rules and the given ones. A rule whose
// expressions do not compile, as only code can make it, is an error.
func New(o Options) (*Engine, error) {
	rules := slices.Concat(Builtin(), o.Rules)
	if o.Hooks && !o.Interactive {
		rules = append(rules, forHooks())
	}
	for i := range rules {
		if err := rules[i].compile(); err != nil {
			return nil, err
		}
	}
	sortRules(rules)
	if o.Shell == "" && runtime.GOOS != "windows" {
		o.Shell = Bash
	}
	if o.Shell = cmp.Or(o.Shell, PowerShell); o.Shell == PowerShell {
		o.Unconfined = cmp.Or(o.Unconfined, "it is not known which lines of PowerShell only read")
	}
	o.Rules = rules
	return &Engine{options: o}, nil
}

// situation is what rules depend on in addition to the call.
type situation struct {
	Options
	wanted bool // the user makes the call
}

// answered reports whether somebody or something says whether a call may run.
func (s situation) answered() bool { return s.Interactive || s.Hooks }

// situation returns what the rules depend on at this moment. The rules in it are shared
// and must not be changed.
func (e *Engine) situation() situation {
	e.mu.RLock()
	defer e.mu.RUnlock()
	s := situation{Options: e.options}
	s.Mode = cmp.Or(s.Mode, ModeDefault)
	return s
}

// Mode returns the current approval mode, which [Engine.SetMode] and an answer that
// allows edits change.
func (e *Engine) Mode() Mode { return e.situation().Mode }

// SetMode changes the approval mode for the rest of the session. The zero Mode means
// [ModeDefault]. Whether the mode is permitted is for the caller to decide.
func (e *Engine) SetMode(m Mode) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.options.Mode = m
}

// Rules returns all rules in the order in which they are tried, by falling priority. It
// includes the built-in rules and the user's answers. The slice is a copy; what its
// elements refer to is shared.
func (e *Engine) Rules() []Rule { return slices.Clone(e.situation().Rules) }

// Check decides about a call. It never returns [Ask] if neither a user nor a hook can
// be asked. It reads files that a command line names, and may run git by
// Options.Tracked.
func (e *Engine) Check(c Call) Verdict {
	v := e.check(e.situation(), c)
	if v.Reason == NoSandbox && e.warned.Swap(true) {
		v.Reason = ""
	}
	return v
}

// check decides in a situation that need not be the current one, so that Lasting can
// try out answers.
func (e *Engine) check(s situation, c Call) Verdict {
	c.Tool, s.wanted = canonical(c.Tool), c.Wanted
	var v Verdict
	if c.Tool == shellTool && c.Info.MCP == nil {
		v = e.checkShell(s, c)
		if v.Decision != Allow && !s.answered() && strings.HasPrefix(v.Rule, "built-in policy:") {
			v.Reason = join(v.Reason, allowedBy(c, v.Rule))
		}
	} else {
		v = e.checkPlain(s, c)
	}
	switch {
	case v.Decision != Ask, s.answered() && !s.wanted:
	case s.wanted:
		v.Decision = Allow
	default:
		v.Decision, v.Reason = Deny, join(v.Reason, headless)
	}
	return v
}

// editTools change the files that their arguments name.
var editTools = []string{"write_file", "replace"}

// checkPlain decides about a call of any tool but the shell.
func (e *Engine) checkPlain(s situation, c Call) Verdict {
	text := stable(c.Args)
	for i := range s.Rules {
		r := &s.Rules[i]
		if r.Always || !r.appliesTo(s, c) || !e.argumentsMatch(r, c, text) {
			continue
		}
		v := verdictOf(r)
		if v.Decision == Allow && s.Mode != ModeYolo && r.args == nil && slices.Contains(editTools, c.Tool) &&
			e.changesSensitive(c) {
			v.Decision = Ask
			v.Reason = "it may change what programs run, which only a rule that names the file allows"
		}
		return v
	}
	return s.unruled()
}

// argumentsMatch is for all tools but the shell: a rule about commands never
// matches another tool.
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

// changesSensitive reports whether the call changes a file that needs a question.
func (e *Engine) changesSensitive(c Call) bool {
	return slices.ContainsFunc(c.Intent.Paths, func(p string) bool { return e.sensitive(p) })
}

// inArea reports whether all paths of the call are in the area. A call without
// paths is in none.
func (e *Engine) inArea(a Area, in tools.Intent) bool {
	if a == Anywhere {
		return true
	}
	inside := e.options.InWorkspace
	if a == Plans {
		inside = e.options.InPlans
	}
	if len(in.Paths) == 0 || inside == nil {
		return false
	}
	return !slices.ContainsFunc(in.Paths, func(p string) bool {
		return a == Plans && !strings.HasSuffix(p, ".md") || !inside(p)
	})
}

// Offered reports whether the model gets the tool at all: it does not if every call would
// be denied whatever its arguments (core/tools/tool-registry.ts). The answer depends on
// the mode.
func (e *Engine) Offered(t tools.Tool) bool { return e.situation().offer(t, "").Decision != Deny }

// OfferedTo reports whether the rules of a subagent alone offer it the tool: Gemini CLI
// leaves out for all agents what it leaves out for the main one.
func (e *Engine) OfferedTo(subagent string, t tools.Tool) bool {
	return e.situation().offer(t, subagent).Decision != Deny
}

// NotOffered returns the rule that keeps a tool from being offered, and the more
// permissive modes in which it would be offered, the least permissive first. For a tool
// that is offered, the Decision is not [Deny] and there are no modes.
func (e *Engine) NotOffered(t tools.Tool) (v Verdict, elsewhere []Mode) {
	s := e.situation()
	if v = s.offer(t, ""); v.Decision != Deny {
		return v, nil
	}
	for _, s.Mode = range modes[slices.Index(modes, s.Mode)+1:] {
		if s.offer(t, "").Decision != Deny {
			elsewhere = append(elsewhere, s.Mode)
		}
	}
	return v, elsewhere
}

// offer finds the rule that decides whether a tool is offered. Allow and Ask
// mean that some of its calls may run.
func (s situation) offer(t tools.Tool, subagent string) Verdict {
	c := Call{Tool: canonical(t.Spec().Name), Info: t.Info(), Subagent: subagent}
	for i := range s.Rules {
		r := &s.Rules[i]
		if !r.appliesTo(s, c) || r.Decision != Allow && r.conditional() {
			continue
		}
		v := verdictOf(r)
		if v.Decision == Ask && !s.answered() {
			v.Decision, v.Reason = Deny, headless
		}
		return v
	}
	return s.unruled()
}

// headless is the reason why an Ask became a Deny.
const headless = "nobody can be asked in a headless session"

// unruled is the verdict if no rule matches.
func (s situation) unruled() Verdict {
	switch {
	case s.Mode == ModeYolo && len(s.Rules) > 0:
		return Verdict{Decision: Allow, Rule: "no rule: yolo mode allows"}
	case s.Interactive:
		return Verdict{Decision: Ask, Rule: "no rule: the user is asked"}
	case s.answered():
		return Verdict{Decision: Ask, Rule: "no rule: hooks are asked"}
	}
	return Verdict{Decision: Deny, Rule: "no rule: denied in a headless session"}
}

// verdictOf returns what rule r decides, with its place.
func verdictOf(r *Rule) Verdict {
	v := Verdict{Decision: r.Decision, Rule: r.Place.String(), Sandbox: r.Sandbox}
	if r.Name != "" {
		v.Rule += " (" + r.Name + ")"
	}
	switch {
	case r.Decision == Deny:
		v.Message = r.Message
	case r.Decision == Ask && !r.builtIn(): // built-in rules ask about whatever no other rule decides
		v.Reason = "the rule in " + v.Rule + " wants it asked"
	}
	return v
}
