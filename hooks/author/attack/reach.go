package attack

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"minigem/hooks"
	"minigem/hooks/author/inspect"
	"minigem/hooks/protocol"
	"minigem/internal/text"
)

// reaches reports whether the hook of e would run for one of the spellings. It
// runs nothing.
func reaches(ctx context.Context, e *hooks.Engine, ev protocol.Event, all []Spelling) bool {
	e.Runner = hooks.ByKind{} // each hook fails at once
	return slices.ContainsFunc(all, func(s Spelling) bool {
		payload, err := payload(ev, s)
		if err != nil {
			return true // the attack itself returns it
		}
		report, err := inspect.Fire(ctx, e, payload)
		return err != nil || slices.ContainsFunc(report.Runs, func(r hooks.Run) bool { return r.Ran() })
	})
}

// unreached is the error of an attack whose spellings the hook never sees. It
// names the flags of attacks that the hook does see.
func unreached(ctx context.Context, e func() *hooks.Engine, ev protocol.Event, g Goal, all []Spelling) error {
	var tools, flags []string
	for _, s := range all {
		if !slices.Contains(tools, s.Tool) {
			tools = append(tools, s.Tool)
		}
	}
	for _, other := range []Goal{{Kind: Command, Value: "git push --force"}, {Kind: Path, Value: ".env"},
		{Kind: Text, Value: "hunter2hunter2"}, {Kind: URL, Value: "https://example.com/x"}} {
		other.Dir = g.Dir
		spellings, err := other.Spellings()
		if err == nil && other.Kind != g.Kind && reaches(ctx, e(), ev, spellings) {
			flags = append(flags, "--"+other.Kind)
		}
	}
	h := e().Config.Hooks[0]
	said := fmt.Sprintf("%s never runs for this attack: it runs for %s, and --%s is tried with %s",
		text.VisibleLine(h.ID()),
		text.VisibleLine(h.Matcher), g.Kind, strings.Join(tools, ", "))
	if h.If != "" {
		said = fmt.Sprintf("%s never runs for this attack: its condition %s fits no spelling of it", text.VisibleLine(h.ID()),
			text.VisibleLine(h.If))
	}
	if len(flags) > 0 {
		said += "; try " + strings.Replace(strings.Join(flags, " or "), "--text", "--text if it guards what is written, or "+
			"a case if it guards where: write PATH TEXT in -- model --, and ! tool-ran write", 1)
	}
	return errors.New(said)
}
