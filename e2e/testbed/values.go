package testbed

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"minigem/agent/event"
	"minigem/hooks"
	"minigem/hooks/config"
	"minigem/llm"
	"minigem/tools"
)

// Values are checked like names, because a condition that can never hold makes its
// negation always hold.

// valuesOf lists the possible values of a condition, or returns nil if any value is
// possible.
func valuesOf(key string) []string {
	switch key {
	case "decision":
		return strings.Fields("proceed allow ask deny stop")
	case "effect":
		return []string{
			hooks.EffectNone, hooks.EffectDeny, hooks.EffectStop, hooks.EffectAsk, hooks.EffectAllow, hooks.EffectRewrite,
			hooks.EffectContext, hooks.EffectSynthetic, hooks.EffectReplace, hooks.EffectRetry, hooks.EffectTail,
			hooks.EffectTools, hooks.EffectClear,
		}
	case "status":
		return []string{string(event.ToolSuccess), string(event.ToolError), string(event.ToolCancelled)}
	case "error":
		var types []string
		for _, t := range tools.ErrorTypes {
			types = append(types, string(t))
		}
		return types
	case "mode":
		return []string{string(llm.ToolModeAuto), string(llm.ToolModeAny), string(llm.ToolModeNone)}
	}
	return nil
}

// check returns an error if c can never be fulfilled.
func (c *Cond) check() error {
	values := valuesOf(c.Key)
	switch {
	case c.Key == "times":
		if t, err := parseTimes(c.Value); err != nil || c.re != nil || t == (times{0, -1}) {
			return fmt.Errorf("times is %q: expected times=2, times=1.. or times=0..3", c.Value)
		}
		return nil
	case c.Key == "event" && c.re == nil:
		name := []string{c.Value}
		err := checkEvent(name)
		c.Value = name[0]
		return err
	case c.Key == "exit" && c.re == nil && !exitValue().MatchString(c.Value):
		return fmt.Errorf("exit=%s: expected an exit code, \"timed out\", \"stopped\", \"could not run\", or \"signal\" and "+
			"its name", c.Value)
	case c.re == nil && (c.Key == "tool" || c.Key == "allowed"):
		for name := range strings.SplitSeq(c.Value, ",") {
			if tool := config.Misspelled(name); tool != "" {
				return fmt.Errorf("%s=%s: there is no tool %s%s", c.Key, c.Value, name, meant(name, []string{tool}))
			}
		}
		return nil
	case c.re == nil && slices.Contains(strings.Fields("temperature topP topK maxOutputTokens"), c.Key):
		if _, err := strconv.ParseFloat(c.Value, 64); c.Value != "" && err != nil {
			return fmt.Errorf("%s=%s: expected a number such as 0.5 or 40", c.Key, c.Value)
		}
		return nil
	case c.re == nil && (c.Key == "failed" || c.Key == "upstream") && c.Value != "" && c.Value != "cancelled" &&
		!strings.Contains(c.Value, " "):
		return fmt.Errorf("%s=%s%s: it is a sentence; expected a pattern such as failed~'timed out'", c.Key, c.Value,
			didYouMean(c.Value, []string{"cancelled"}))
	case c.re == nil && c.Key == "args":
		if !gjson.Valid(c.Value) || !gjson.Parse(c.Value).IsObject() {
			return fmt.Errorf("args=%s: expected a JSON object", c.Value)
		}
		c.Value = gjson.Get(c.Value, "@ugly").Raw
		return nil
	case values == nil || slices.ContainsFunc(values, c.matches):
		return nil
	}
	word := c.Value
	for _, v := range values {
		if strings.HasPrefix(word, v[:3]) { // such as denied for deny
			word = v
		}
	}
	return fmt.Errorf("%s never has the value %q%s", c.Key, c.Value, meant(word, values))
}

var exitValue = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\d+|timed out|stopped|could not run|signal .+)$`)
})

// noArgument names the arg.NAME of conds that the tool does not have. It is empty if all
// are in the tool's schema, or if the schema is not known.
func (r *Record) noArgument(tool string, conds []Cond) string {
	known := r.arguments(tool)
	for _, cond := range conds {
		var names []string
		if name, isArg := strings.CutPrefix(cond.Key, "arg."); isArg {
			name, _, _ = strings.Cut(name, ".")
			names = []string{name}
		} else if cond.Key == "args" && cond.re == nil {
			gjson.Parse(cond.Value).ForEach(func(key, _ gjson.Result) bool {
				names = append(names, key.String())
				return true
			})
		}
		for _, name := range names {
			if known != nil && !slices.Contains(known, name) {
				return fmt.Sprintf("%s has no argument %q%s", tool, name, meant(name, known))
			}
		}
	}
	return ""
}

// noAgent names the agent=NAME of conds that is misspelled. It is empty if none is, or if
// that is not known.
func noAgent(r *Record, conds []Cond) string {
	for _, cond := range conds {
		if cond.Key != "agent" || cond.re != nil {
			continue
		}
		var known []string
		for _, rep := range r.Reports {
			if name := agentOf(rep); !slices.Contains(known, name) {
				known = append(known, name)
			}
		}
		if guess := didYouMean(cond.Value, known); guess != "" && !slices.Contains(known, cond.Value) {
			return fmt.Sprintf("there is no agent %q%s", cond.Value, guess)
		}
	}
	return ""
}

// arguments lists the arguments of a tool, from its schema in the first request that
// offers it.
func (r *Record) arguments(tool string) []string {
	var names []string
	for _, req := range r.Requests {
		i := slices.IndexFunc(req.Tools, func(t llm.ToolSpec) bool { return t.Name == tool })
		if i < 0 {
			continue
		}
		gjson.GetBytes(req.Tools[i].Parameters, "properties").ForEach(func(key, _ gjson.Result) bool {
			names = append(names, key.String())
			return true
		})
		break
	}
	return names
}

// misconfigured fails the case for each entry of its settings that is ignored as written,
// unless an assertion expects that or has failed because of it.
func (r *runner) misconfigured() {
	record := r.rec.soFar()
	for _, p := range record.Config.Problems {
		if !leftOut().MatchString(p.Text) {
			continue
		}
		told := slices.ContainsFunc(r.failures, func(f Failure) bool { return strings.Contains(f.Actual, p.Text) })
		if !told && !slices.ContainsFunc(r.c.Commands, func(c Command) bool { return !c.Negated && c.mentions(p.Text) }) {
			r.fail(Failure{Where: record.shorten(fmt.Sprintf("%s:%d", p.File, p.Line)), Expected: "settings without mistakes",
				Actual: p.Text})
		}
	}
}

var leftOut = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`never|skipped|ignored|is called`) })

// mentions reports whether c is about warnings and a pattern of it matches text.
func (c Command) mentions(text string) bool {
	return slices.ContainsFunc(c.Conds, func(cond Cond) bool {
		return cond.re != nil && cond.re.MatchString(text) &&
			(strings.Contains("warning failed", cond.Key) || strings.Contains("stderr notice user-saw screen", c.verb.Name))
	})
}

// values lists the conditions' keys with their actual values.
func values(conds []Cond, value func(Cond) string) string {
	var parts []string
	for _, c := range conds {
		parts = append(parts, fmt.Sprintf("%s=%q", c.Key, oneLine(value(c), 200)))
	}
	return strings.Join(parts, " ")
}

func eventValue(rep hooks.Report, key string) string {
	switch key {
	case "decision":
		return rep.Verdict.Decision.String()
	case "reason":
		return rep.Verdict.Reason
	case "effect":
		return rep.Effect.Kind
	case "subject":
		return rep.Subject
	case "agent":
		return agentOf(rep)
	case "before":
		return string(rep.Effect.Before)
	case "after":
		return string(rep.Effect.After)
	}
	return ""
}
