package inspect

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"minigem/hooks"
	"minigem/hooks/author/program"
	"minigem/hooks/config"
	"minigem/hooks/elsewhere"
	"minigem/hooks/protocol"
)

// Difference is a [hooks.Difference] that applies to this configuration.
type Difference struct {
	// ID is [hooks.Difference].ID.
	ID string `json:"id"`
	// Text is the difference as a sentence.
	Text string `json:"text"`
	// Reference is the file of Gemini CLI's source that shows the difference; may be
	// empty.
	Reference string `json:"reference"`
}

// wire returns the difference in the form of "hooks explain --json".
func wire(d hooks.Difference) Difference { return Difference{d.ID, d.String(), d.Source} }

// command is a Runner for engines that only plan. It is never called.
type command struct{}

// Run implements [hooks.Runner] for plans, which run nothing.
func (command) Run(context.Context, hooks.Hook, hooks.Payload, []string) hooks.Exit {
	return hooks.Exit{}
}

// view is a Setup together with what was found out about it, so that the program of a
// command is read once.
type view struct {
	*Setup
	older map[string]bool
	facts map[string][]program.Facts // by command
}

// view reads what differences depend on.
func (s *Setup) view() *view {
	return &view{Setup: s, older: s.olderDisabled(), facts: map[string][]program.Facts{}}
}

// of returns the facts of h's programs.
func (v *view) of(h hooks.Hook) []program.Facts {
	f, ok := v.facts[h.Target()]
	if !ok {
		f = program.Read(h, v.Place)
		v.facts[h.Target()] = f
	}
	return f
}

// any reports whether shows holds for any of h's programs.
func (v *view) any(h hooks.Hook, shows func(program.Facts) bool) bool {
	return slices.ContainsFunc(v.of(h), shows)
}

// hookDifferences lists the differences that can apply to a hook that runs.
var hookDifferences = []struct {
	hooks.Difference
	when func(v *view, h hooks.Hook) bool
}{
	{elsewhere.DifferenceByID("exit-2-silent"), func(v *view, h hooks.Hook) bool {
		return h.Event.CanBlock() && v.any(h, SilentExit2)
	}},
	{elsewhere.DifferenceByID("exit-2-json"), func(v *view, h hooks.Hook) bool {
		return h.Event.CanBlock() && v.any(h, Exit2WithoutDeny)
	}},
	{elsewhere.DifferenceByID("exit-above-2"), func(v *view, h hooks.Hook) bool {
		return h.Event.CanBlock() && v.any(h, func(f program.Facts) bool {
			return f.Exit(func(code int) bool { return code > 2 }) != nil && !f.Silent
		})
	}},
	{elsewhere.DifferenceByID("missing-program"), func(v *view, h hooks.Hook) bool {
		return h.Event.CanBlock() && len(v.MissingPrograms(h)) > 0
	}},
	{elsewhere.DifferenceByID("signal"), func(v *view, h hooks.Hook) bool {
		return v.any(h, func(f program.Facts) bool { return f.Kills != nil })
	}},
	{elsewhere.DifferenceByID("ignores-term"), func(v *view, h hooks.Hook) bool {
		return v.any(h, func(f program.Facts) bool { return f.Traps != nil })
	}},
	{elsewhere.DifferenceByID("leaves-child"), func(v *view, h hooks.Hook) bool {
		return v.any(h, func(f program.Facts) bool { return f.Leaves != nil })
	}},
	{elsewhere.DifferenceByID("quoted-variable"), func(v *view, h hooks.Hook) bool {
		return strings.ContainsAny(v.Place.Dir, " '\"$`\\") && slices.ContainsFunc(config.VariableUses(h.Command),
			func(u config.VariableUse) bool { return u.Quoted == u.Short })
	}},
	{elsewhere.DifferenceByID("project-dir"), func(v *view, h hooks.Hook) bool {
		return v.Place.ProjectDir != v.Place.Dir && v.any(h, func(f program.Facts) bool { return f.Mentions("_PROJECT_DIR") })
	}},
	{elsewhere.DifferenceByID("early-expansion"), func(_ *view, h hooks.Hook) bool {
		return h.Source.Layer != hooks.LayerExtension && program.SingleQuotedVariable(h.Command)
	}},
	{elsewhere.DifferenceByID("ask"), func(v *view, h hooks.Hook) bool {
		return h.Event.CanAsk() && v.any(h, func(f program.Facts) bool {
			return slices.ContainsFunc(f.Decisions, func(d program.Fact) bool { return d.Text == "ask" })
		})
	}},
	{elsewhere.DifferenceByID("on-error"), func(_ *view, h hooks.Hook) bool { return h.OnError == "block" }},
	{elsewhere.DifferenceByID("dialect"), func(_ *view, h hooks.Hook) bool { return h.Dialect != "" }},
	{elsewhere.DifferenceByID("args"), func(_ *view, h hooks.Hook) bool { return h.Args != nil }},
	{elsewhere.DifferenceByID("kind"), func(_ *view, h hooks.Hook) bool { return h.Kind() != "command" }},
	{elsewhere.DifferenceByID("async"), func(_ *view, h hooks.Hook) bool { return h.Async }},
	{elsewhere.DifferenceByID("once"), func(_ *view, h hooks.Hook) bool { return h.Once }},
	{elsewhere.DifferenceByID("older-disabled"), func(v *view, h hooks.Hook) bool {
		place, ok := strings.CutPrefix(h.Disabled, "disabled in ")
		return ok && v.older[place]
	}},
	{elsewhere.DifferenceByID("untrusted-folder"), func(v *view, h hooks.Hook) bool {
		return !v.Trusted && h.Untrusted == "" && h.Source.Layer != hooks.LayerExtension
	}},
	{elsewhere.DifferenceByID("context-stays"), func(v *view, h hooks.Hook) bool {
		return h.Event == protocol.BeforeAgent && v.any(h, func(f program.Facts) bool {
			return f.Mentions("additionalContext")
		})
	}},
	{elsewhere.DifferenceByID("whole-input"), func(v *view, h hooks.Hook) bool {
		return h.Event == protocol.BeforeTool && v.any(h, func(f program.Facts) bool {
			return f.Mentions("tool_input") && f.Mentions("hookSpecificOutput")
		})
	}},
}

// SilentExit2 reports whether a program exits with 2 and prints nothing, which Gemini CLI
// does not take for a block.
func SilentExit2(f program.Facts) bool {
	return f.Silent && f.Exit(func(code int) bool { return code == 2 }) != nil
}

// Exit2WithoutDeny reports whether a program prints JSON without a denial and then exits
// with 2, which Gemini CLI does not take for a block.
func Exit2WithoutDeny(f program.Facts) bool {
	return f.Unsaid != nil && !slices.ContainsFunc(f.Decisions, func(d program.Fact) bool {
		return d.Text == "deny" || d.Text == "block"
	}) &&
		!f.Mentions(`"continue"`)
}

// ofHook returns the differences of Gemini CLI that concern this hook. For a hook that
// does not run, only the one about older lists of disabled hooks counts.
func (v *view) ofHook(p HookPlan) []Difference {
	var out []Difference
	for _, d := range hookDifferences {
		if p.hook.Event.IsAdded() {
			break // the hook does not run there, see hooks.Explain
		}
		if (p.Order > 0 || d.ID == "older-disabled") && d.when(v, p.hook) {
			out = append(out, wire(d.Difference))
		}
	}
	return out
}

// eventDifferences lists the differences that can apply to an event with hooks that
// run.
var eventDifferences = []struct {
	hooks.Difference
	when func(v *view, p EventPlan) bool
}{
	{elsewhere.DifferenceByID("order"), func(_ *view, p EventPlan) bool {
		layers := func(l hooks.Layer) bool {
			return slices.ContainsFunc(p.Hooks, func(h HookPlan) bool { return h.Order > 0 && h.Layer == l })
		}
		return layers(hooks.LayerProject) && (layers(hooks.LayerUser) || layers(hooks.LayerSystemDefaults))
	}},
	{elsewhere.DifferenceByID("retries"), func(v *view, p EventPlan) bool {
		return p.Event == protocol.AfterAgent && slices.ContainsFunc(p.Hooks, func(h HookPlan) bool {
			return h.Order > 0 && v.any(h.hook, MightDeny)
		})
	}},
	{elsewhere.DifferenceByID("compress-each-turn"), func(_ *view, p EventPlan) bool {
		return p.Event == protocol.PreCompress
	}},
	{elsewhere.DifferenceByID("end-thrice"), func(_ *view, p EventPlan) bool {
		return p.Event == protocol.SessionEnd
	}},
	{elsewhere.DifferenceByID("chunk-shown"), func(_ *view, p EventPlan) bool {
		return p.Event == protocol.AfterModel
	}},
	{elsewhere.DifferenceByID("chunk-denied"), func(_ *view, p EventPlan) bool {
		return p.Event == protocol.AfterModel
	}},
	{elsewhere.DifferenceByID("later-allow"), func(_ *view, p EventPlan) bool {
		return (p.Event == protocol.BeforeModel || p.Event == protocol.AfterModel) && p.Runs() > 1
	}},
}

// MightDeny reports whether a program shows a decision "deny" or "block", or an exit with
// 2.
func MightDeny(f program.Facts) bool {
	return f.Exit(func(code int) bool { return code == 2 }) != nil ||
		slices.ContainsFunc(f.Decisions, func(d program.Fact) bool { return d.Text == "deny" || d.Text == "block" })
}

// MightDeny reports whether a program of h shows that it can refuse, at an event that can
// be blocked.
func (s *Setup) MightDeny(h hooks.Hook) bool {
	return h.Event.CanBlock() && slices.ContainsFunc(program.Read(h, s.Place), MightDeny)
}

// ofEvent returns remarks on the event as a whole, and the differences of Gemini CLI
// that concern it. Without a hook that runs there are none.
func (v *view) ofEvent(p EventPlan) (notes []string, out []Difference) {
	if p.Runs() == 0 {
		return nil, nil
	}
	if p.Event == protocol.BeforeTool {
		notes = append(notes, "these hooks run before the policy: they also see calls that a policy then refuses")
	}
	if p.Sequential {
		notes = append(notes,
			"one sequential hook makes all that match run one after the other, including those of other groups")
	}
	for _, d := range eventDifferences {
		if d.when(v, p) {
			out = append(out, wire(d.Difference))
		}
	}
	return notes, out
}

// MissingPrograms returns the programs that h's command starts by a path at which there
// is no file. It stops at a cd or pushd in the command, after which paths are unknown.
// It returns nil if none is missing, or if the command is not valid. Programs that are
// found by PATH are not looked for.
func (s *Setup) MissingPrograms(h hooks.Hook) []config.Program {
	var out []config.Program
	for _, c := range config.Calls(h, s.Place.Dir, s.Place.Vars()) {
		switch name := c.Words[0]; {
		case name == "cd" || name == "pushd":
			return out
		case strings.Contains(name, "/") && !exists(s.Place.Dir, name):
			out = append(out, c)
		}
	}
	return out
}

// exists reports whether a file that is named relative to dir exists.
func exists(dir, name string) bool {
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	return stat(name) == nil
}
