package compat

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"minigem/hooks/dialect"
)

// A Claim is what somebody says of agents, taken apart into what can be looked
// up.
type Claim struct {
	ID     string  `json:"id"`
	Source string  `json:"source"`
	Claim  string  `json:"claim"`
	Checks []Check `json:"checks"`
}

// Check is one cell that a claim is about: an answer and its effect, a matcher
// and whether it fires, or a fact of the tables.
type Check struct {
	Agent   string `json:"agent"`
	Version string `json:"version,omitempty"` // of the agent; empty: whichever
	Answer  string `json:"answer,omitempty"`
	Matcher string `json:"matcher,omitempty"` // Expect is "fired" or "not-fired"
	Tool    string `json:"tool,omitempty"`    // an action; what the matcher looks at
	Fact    string `json:"fact,omitempty"`    // such as timeout.unit
	Expect  string `json:"expect"`            // an effect, "prevent", "observe", a value, or "none"

	// Holds is what of the claim is true all the same where this check is not:
	// the claim is then right in part. It is for who wrote the claim down to say.
	Holds string `json:"holds,omitempty"`
}

// The verdicts of a claim.
const (
	Agrees      = "agrees"
	Partly      = "partly" // where it is wrong, something of it holds all the same
	Contradicts = "contradicts"
	Unmeasured  = "unmeasured"
	Stale       = "stale" // it is about another version
)

// Verdict is what the tables say of a claim.
type Verdict struct {
	ID      string   `json:"id"`
	Verdict string   `json:"verdict"`
	Claim   string   `json:"claim,omitempty"`
	Source  string   `json:"source,omitempty"`
	Cells   []Result `json:"checks"`
}

// Result is one check of it.
type Result struct {
	Check
	Verdict  string           `json:"verdict"`
	Measured string           `json:"measured,omitempty"`
	About    string           `json:"about,omitempty"` // the version that was looked at
	Evidence dialect.Evidence `json:"evidence,omitempty"`
}

// ReadClaims reads a file of claims. A word that nothing in the tables has is an
// error, for it would never be measured.
func ReadClaims(data []byte) ([]Claim, error) {
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.DisallowUnknownFields()
	var claims []Claim
	if err := d.Decode(&claims); err != nil {
		return nil, fmt.Errorf("reading claims: %w", err)
	}
	for _, c := range claims {
		for _, k := range c.Checks {
			if _, err := dialect.Find(k.Agent); err != nil {
				return nil, fmt.Errorf("claim %s: %w", c.ID, err)
			}
			if _, ok := dialect.Corpus()[k.Answer]; k.Answer != "" && !ok {
				return nil, fmt.Errorf("claim %s: no answer is called %q; minigem hooks compat --json lists them", c.ID, k.Answer)
			}
			if k.Expect == "" || (k.Answer == "") == (k.Matcher+k.Fact == "") {
				return nil, fmt.Errorf("claim %s: a check has expect, and one of answer, matcher and fact", c.ID)
			}
		}
	}
	return claims, nil
}

// Judge says what the tables make of claims.
func Judge(claims []Claim) []Verdict {
	var out []Verdict
	for _, c := range claims {
		v := Verdict{ID: c.ID, Claim: c.Claim, Source: c.Source, Verdict: Unmeasured}
		for _, k := range c.Checks {
			r := judge(k)
			v.Cells = append(v.Cells, r)
			if strength[r.Verdict] > strength[v.Verdict] {
				v.Verdict = r.Verdict
			}
		}
		out = append(out, v)
	}
	return out
}

// strength: a claim that is wrong somewhere is wrong.
var strength = map[string]int{Unmeasured: 0, Stale: 1, Agrees: 2, Partly: 3, Contradicts: 4}

func judge(k Check) Result {
	a, err := dialect.Find(k.Agent)
	if err != nil {
		return Result{Check: k, Verdict: Unmeasured} // unreachable: ReadClaims looked
	}
	r := Result{Check: k, Verdict: Unmeasured, About: a.Version}
	if k.Version != "" && k.Version != a.Version {
		r.Verdict = Stale
		return r
	}
	var known bool
	r.Measured, r.Evidence, known = lookUp(a, k)
	if !known {
		return r
	}
	r.Verdict = Contradicts
	if k.Holds != "" {
		r.Verdict = Partly
	}
	if agrees(a, k, r.Measured) {
		r.Verdict = Agrees
	}
	return r
}

func lookUp(a *dialect.Agent, k Check) (measured string, e dialect.Evidence, known bool) {
	switch {
	case k.Answer != "":
		o, e, known := a.Cell(k.Answer)
		return o.Effect, e, known
	case k.Matcher != "":
		tool, ok := a.Tool(k.Tool)
		fires, known := a.Fires(k.Matcher, tool.Hook)
		if fires {
			return dialect.Fired, a.Of(a.Matcher.Evidence), ok && known
		}
		return dialect.NotFired, a.Of(a.Matcher.Evidence), ok && known
	}
	v, ok := facts(a)[k.Fact]
	return v, a.Evidence, ok
}

func agrees(a *dialect.Agent, k Check, measured string) bool {
	switch k.Expect {
	case "prevent", "observe":
		o, _, _ := a.Cell(k.Answer)
		return (k.Expect == "prevent") == prevents(o)
	}
	return measured == k.Expect || k.Fact != "" && strings.HasPrefix(measured, k.Expect+":")
}

// facts are a table as names and values.
func facts(a *dialect.Agent) map[string]string {
	f := map[string]string{
		"matcher.kind": a.Matcher.Kind, "config.shape": a.Config.Shape, "events.count": strconv.Itoa(len(a.Events)), "timeout.on_expiry": a.Timeout.OnExpiry,
	}
	set := func(name, value string) {
		if value != "" && value != "0" {
			f[name] = value
		}
	}
	set("timeout.unit", a.Timeout.Unit)
	set("timeout.default_ms", strconv.Itoa(a.Timeout.DefaultMS))
	set("stop.retries", strconv.Itoa(a.Stop.Retries))
	if a.Config.Trust != "" {
		f["trust.silent"] = strconv.FormatBool(a.Config.Silent)
	}
	for _, p := range a.Config.Paths {
		f["config.path "+p] = "yes"
	}
	for _, e := range a.Events {
		if e.Point != "" {
			set("events."+string(e.Point), e.Native)
			set("fires."+string(e.Point), e.Fires)
		}
	}
	for _, t := range a.Tools {
		f["tools."+t.Action] = t.Hook
	}
	for _, r := range slices.Concat(a.Entry, a.Env) {
		f["entry_keys."+r.Name] = orYes(r.Value)
	}
	return f
}

func orYes(s string) string {
	if s == "" {
		return "yes"
	}
	return s
}

// WriteVerdicts writes them for people.
func WriteVerdicts(verdicts []Verdict) string {
	var b strings.Builder
	count := map[string]int{}
	for _, v := range verdicts {
		count[v.Verdict]++
		fmt.Fprintf(&b, "%-12s %s: %s (%s)\n", v.Verdict, v.ID, v.Claim, v.Source)
		for _, r := range v.Cells {
			if r.Verdict == Contradicts || r.Verdict == Partly {
				what := r.Answer + r.Fact
				if r.Matcher != "" {
					what = "matcher " + r.Matcher
				}
				fmt.Fprintf(&b, "             %s %s, %s: claimed %s, %s %s", r.Agent, r.About, what, r.Expect, r.Evidence, r.Measured)
				if r.Holds != "" {
					b.WriteString("; but " + r.Holds)
				}
				b.WriteByte('\n')
			}
		}
	}
	fmt.Fprintf(&b, "%d contradict, %d are right in part, %d agree, %d are unmeasured, %d are stale\n", count[Contradicts], count[Partly], count[Agrees], count[Unmeasured], count[Stale])
	return b.String()
}
