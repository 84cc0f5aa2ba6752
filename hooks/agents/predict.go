package agents

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Predict returns what the agent's rules say about a case, in the form of an observation.
// Where the rules do not know, the Effect is [Unknown].
func (a *Agent) Predict(c Case) Observation {
	switch {
	case c.Matcher != "":
		shell, _ := a.Tool("shell")
		if fires, _ := a.Fires(c.Matcher, shell.Hook); fires {
			return Observation{Effect: Fired}
		}
		return Observation{Effect: NotFired}
	case c.Mode == "default" && (c.Stdout == "" || a.Approves == nil || !a.Approves.Is):
		return Observation{Effect: string(Refused)}
	}
	e := a.Read(c.Answer(a))
	o := Observation{Effect: string(e.Kind), Ran: e.Ran}
	switch e.Kind {
	case Asked: // there is no user to ask
		o.Effect = string(Refused)
	case Retry:
		if c.Times == 0 {
			o.Retries, o.Endless = a.Stop.Retries, a.Stop.Endless
		}
	}
	o.System = c.Event == SessionStart && e.Context != "" && a.Play != nil && a.Play.StartInSystem
	o.Model = Markers(e.Reason + "\n" + e.Context)
	return o
}

// The values of [Observation.Effect] for a matcher.
const (
	// Fired means that the hook was run.
	Fired = "fired"
	// NotFired means that the hook was not run.
	NotFired = "not-fired"
)

// marker matches a marked text of the corpus.
var marker = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`R-[A-Z0-9]+(-[A-Z0-9]+)*`) })

// Markers returns the marked texts of the corpus in a text, such as "R-ONE", sorted and
// each once; nil if there are none. A marker in a request shows that the model read the
// text.
func Markers(text string) []string {
	found := marker().FindAllString(text, -1)
	slices.Sort(found)
	return slices.Compact(found)
}

// Cell returns what is known about a case of the corpus on the agent: what was observed
// or else, for rules that were read in its program or its documentation, what these
// predict. known is false if neither says anything.
func (a *Agent) Cell(name string) (o Observation, e Evidence, known bool) {
	if o, ok := Observed()[a.ID][name]; ok {
		return o, Measured, true
	}
	c, ok := Corpus()[name]
	if !ok || c.Matcher != "" || c.Mode != "" || a.Of(a.Answer.Evidence) == Measured {
		return Observation{}, "", false
	}
	if _, ok := c.Variants[a.ID]; !ok && strings.Contains(c.Stdout, "{{event}}") && !a.Reads(c.Event) {
		return Observation{}, "", false
	}
	o = a.Predict(c)
	return o, a.Of(a.Answer.Evidence), o.Effect != string(Unknown)
}
