package agents

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Predict is what the rules of an agent say of a case, in the form in which it
// was observed.
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
	case Asked: // nobody is there to be asked
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

// What came of a matcher.
const (
	Fired    = "fired"
	NotFired = "not-fired"
)

var marker = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`R-[A-Z0-9]+(-[A-Z0-9]+)*`) })

// Markers are the marked texts of the corpus in what a model read, by which it
// is seen that it read them; nil: none.
func Markers(text string) []string {
	found := marker().FindAllString(text, -1)
	slices.Sort(found)
	return slices.Compact(found)
}

// Cell is what is known of a case of the corpus on an agent: what was observed,
// or else what the rules say that were read in its program or its
// documentation.
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
