package inspect

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"minigem/hooks"
	"minigem/hooks/author/program"
	"minigem/hooks/protocol"
)

// Difference is something that Gemini CLI 0.61 would do otherwise with this
// configuration.
type Difference struct {
	ID        string `json:"id"`
	Text      string `json:"text"`
	Reference string `json:"reference"` // where it is to be seen in Gemini CLI's source
}

// The places in Gemini CLI's source, below packages.
const (
	refRunner     = "core/src/hooks/hookRunner.ts"
	refMatchers   = "core/src/hooks/hookPlanner.ts"
	refRegistry   = "core/src/hooks/hookRegistry.ts"
	refSystem     = "core/src/hooks/hookSystem.ts"
	refChat       = "core/src/core/geminiChat.ts"
	refClient     = "core/src/core/client.ts"
	refScheduler  = "core/src/scheduler/scheduler.ts"
	refSettings   = "cli/src/config/settings.ts"
	refTypes      = "core/src/hooks/types.ts"
	refCompressor = "core/src/services/chatCompressionService.ts"
	refContainer  = "cli/src/ui/AppContainer.tsx"
)

// command stands where the engine wants a Runner; planning calls none.
type command struct{}

func (command) Run(context.Context, hooks.Hook, hooks.Payload, []string) hooks.Exit {
	return hooks.Exit{}
}

// view is what predicates look at: the setup, and what programs show.
type view struct {
	*Setup
	older map[string]bool
	facts map[string][]program.Facts // by command
}

func (s *Setup) view() *view {
	return &view{Setup: s, older: s.olderDisabled(), facts: map[string][]program.Facts{}}
}

// of are the facts of h's programs.
func (v *view) of(h hooks.Hook) []program.Facts {
	f, ok := v.facts[h.Command]
	if !ok {
		f = program.Read(h, v.Place)
		v.facts[h.Command] = f
	}
	return f
}

// any reports whether a program of h shows it.
func (v *view) any(h hooks.Hook, shows func(program.Facts) bool) bool {
	return slices.ContainsFunc(v.of(h), shows)
}

// hookDifferences are those of one hook that runs.
var hookDifferences = []struct {
	id, say, ref string
	when         func(v *view, h hooks.Hook) bool
}{
	{"exit-2-silent", "does not block where the program exits with 2 and prints nothing", refRunner, func(v *view, h hooks.Hook) bool {
		return h.Event.CanBlock() && v.any(h, SilentExit2)
	}},
	{"exit-2-json", "does not block where the program exits with 2 and prints JSON without a deny", refRunner, func(v *view, h hooks.Hook) bool {
		return h.Event.CanBlock() && v.any(h, Exit2WithoutDeny)
	}},
	{"exit-above-2", "blocks where the program exits with more than 2 and prints something; here it is a warning", refRunner, func(v *view, h hooks.Hook) bool {
		return h.Event.CanBlock() && v.any(h, func(f program.Facts) bool {
			return f.Exit(func(code int) bool { return code > 2 }) != nil && !f.Silent
		})
	}},
	{"missing-program", "blocks, with the shell's error as the reason: the command names a program that is not there (exit 127)", refRunner, func(v *view, h hooks.Hook) bool {
		return h.Event.CanBlock() && len(v.MissingPrograms(h)) > 0
	}},
	{"signal", "takes the end by a signal for exit 0, without a word about it", refRunner, func(v *view, h hooks.Hook) bool {
		return v.any(h, func(f program.Facts) bool { return f.Kills != nil })
	}},
	{"ignores-term", "waits until the program ends, whatever its time-out is, because the program ignores TERM", refRunner, func(v *view, h hooks.Hook) bool {
		return v.any(h, func(f program.Facts) bool { return f.Traps != nil })
	}},
	{"leaves-child", "waits for the child that the program leaves in the background, whatever the time-out is", refRunner, func(v *view, h hooks.Hook) bool {
		return v.any(h, func(f program.Facts) bool { return f.Leaves != nil })
	}},
	{"quoted-variable", `cannot find the program: it puts a quoted path into the quotes around $GEMINI_PROJECT_DIR, and this path has a space; write "${GEMINI_PROJECT_DIR}/..."`, refRunner, func(v *view, h hooks.Hook) bool {
		return strings.ContainsAny(v.Place.Dir, " '\"$`\\") && len(program.QuotedVariables(h.Command)) > 0
	}},
	{"project-dir", "gives GEMINI_PROJECT_DIR the working directory, not the project's root", refRunner, func(v *view, h hooks.Hook) bool {
		return v.Place.ProjectDir != v.Place.Dir && v.any(h, func(f program.Facts) bool { return f.Mentions("_PROJECT_DIR") })
	}},
	{"early-expansion", "puts the values of variables into the command when it reads the settings, inside single quotes too", refSettings, func(_ *view, h hooks.Hook) bool {
		return h.Source.Layer != hooks.LayerExtension && program.SingleQuotedVariable(h.Command)
	}},
	{"ask", "lifts a policy's deny to a prompt where the program says ask, and ends a run without a terminal", refScheduler, func(v *view, h hooks.Hook) bool {
		return h.Event.CanAsk() && v.any(h, func(f program.Facts) bool {
			return slices.ContainsFunc(f.Decisions, func(d program.Fact) bool { return d.Text == "ask" })
		})
	}},
	{"on-error", "ignores onError: a failure never blocks because of it", refTypes, func(_ *view, h hooks.Hook) bool { return h.OnError == "block" }},
	{"dialect", "ignores dialect: the program reads and answers in Gemini CLI's own", refTypes, func(_ *view, h hooks.Hook) bool { return h.Dialect != "" }},
	{"older-disabled", "runs the hook: it does not read hooks.disabled", refRegistry, func(v *view, h hooks.Hook) bool {
		place, ok := strings.CutPrefix(h.Disabled, "disabled in ")
		return ok && v.older[place]
	}},
	{"untrusted-folder", "runs no hook of settings files in a folder that is not trusted, this one of yours or the system's neither", refRegistry, func(v *view, h hooks.Hook) bool {
		return !v.Trusted && h.Untrusted == "" && h.Source.Layer != hooks.LayerExtension
	}},
	{"context-stays", "keeps the added context in the conversation for good", refClient, func(v *view, h hooks.Hook) bool {
		return h.Event == protocol.BeforeAgent && v.any(h, func(f program.Facts) bool { return f.Mentions("additionalContext") })
	}},
	{"whole-input", "replaces all arguments by tool_input: one that is left out is gone", refTypes, func(v *view, h hooks.Hook) bool {
		return h.Event == protocol.BeforeTool && v.any(h, func(f program.Facts) bool {
			return f.Mentions("tool_input") && f.Mentions("hookSpecificOutput")
		})
	}},
}

// SilentExit2 and Exit2WithoutDeny are the exits that Gemini CLI does not take
// for a block.
func SilentExit2(f program.Facts) bool {
	return f.Silent && f.Exit(func(code int) bool { return code == 2 }) != nil
}

func Exit2WithoutDeny(f program.Facts) bool {
	if f.Exit(func(code int) bool { return code == 2 }) == nil || f.JSONOnStdout() == nil {
		return false
	}
	return !slices.ContainsFunc(f.Decisions, func(d program.Fact) bool { return d.Text == "deny" || d.Text == "block" }) &&
		!f.Mentions(`"continue"`)
}

func (v *view) ofHook(p HookPlan) []Difference {
	var out []Difference
	for _, d := range hookDifferences {
		if (p.Order > 0 || d.id == "older-disabled") && d.when(v, p.hook) {
			out = append(out, Difference{d.id, "Gemini CLI 0.61 " + d.say, d.ref})
		}
	}
	return out
}

// eventDifferences are those of an event at which a hook would run.
var eventDifferences = []struct {
	id, say, ref string
	when         func(v *view, p EventPlan) bool
}{
	{"order", "runs the hooks of your settings before the project's", refRegistry, func(_ *view, p EventPlan) bool {
		layers := func(l hooks.Layer) bool {
			return slices.ContainsFunc(p.Hooks, func(h HookPlan) bool { return h.Order > 0 && h.Layer == l })
		}
		return layers(hooks.LayerProject) && (layers(hooks.LayerUser) || layers(hooks.LayerSystemDefaults))
	}},
	{"retries", "does not bound how often an answer is sent back: only its limit of 100 turns ends it", refClient, func(v *view, p EventPlan) bool {
		return p.Event == protocol.AfterAgent && slices.ContainsFunc(p.Hooks, func(h HookPlan) bool {
			return h.Order > 0 && v.any(h.hook, MightDeny)
		})
	}},
	{"compress-each-turn", "fires this event in every turn, whether the history is compressed or not", refCompressor, func(_ *view, p EventPlan) bool {
		return p.Event == protocol.PreCompress
	}},
	{"end-thrice", "fires this event three times at the end of an interactive session", refContainer, func(_ *view, p EventPlan) bool {
		return p.Event == protocol.SessionEnd
	}},
	{"chunk-shown", "replaces a chunk on the screen only: history, transcript and the next request keep the original, and a denied chunk's calls run", refChat, func(_ *view, p EventPlan) bool {
		return p.Event == protocol.AfterModel
	}},
	{"later-allow", "lets a later hook's allow, or its plain text, overturn a deny", refSystem, func(_ *view, p EventPlan) bool {
		return (p.Event == protocol.BeforeModel || p.Event == protocol.AfterModel) && p.Runs() > 1
	}},
}

// MightDeny: the program says deny or block somewhere, or exits with 2.
func MightDeny(f program.Facts) bool {
	return f.Exit(func(code int) bool { return code == 2 }) != nil ||
		slices.ContainsFunc(f.Decisions, func(d program.Fact) bool { return d.Text == "deny" || d.Text == "block" })
}

func (v *view) ofEvent(p EventPlan) (notes []string, out []Difference) {
	if p.Runs() == 0 {
		return nil, nil
	}
	if p.Event == protocol.BeforeTool {
		notes = append(notes, "these hooks run before the policy: they see calls, too, that a policy refuses afterwards")
	}
	if p.Sequential {
		notes = append(notes, "one sequential hook makes all that match run one after the other, those of other groups too")
	}
	for _, d := range eventDifferences {
		if d.when(v, p) {
			out = append(out, Difference{d.id, "Gemini CLI 0.61 " + d.say, d.ref})
		}
	}
	return notes, out
}

// MissingPrograms are the programs that h's command starts by a path at which
// there is nothing. Where the command goes elsewhere first, nothing is known.
func (s *Setup) MissingPrograms(h hooks.Hook) []hooks.Call {
	var out []hooks.Call
	for _, c := range hooks.Calls(h, s.Place.Dir, s.Place.Vars()) {
		switch name := c.Words[0]; {
		case name == "cd" || name == "pushd":
			return out
		case strings.Contains(name, "/") && !exists(s.Place.Dir, name):
			out = append(out, c)
		}
	}
	return out
}

func exists(dir, name string) bool {
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	return stat(name) == nil
}

// DifferenceIDs are the ids of all differences that a configuration can show.
func DifferenceIDs() []string {
	ids := []string{"matcher"}
	for _, d := range hookDifferences {
		ids = append(ids, d.id)
	}
	for _, d := range eventDifferences {
		ids = append(ids, d.id)
	}
	return ids
}
