package testbed

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"minigem/internal/text"
)

// condition matches the start of a condition, a word such as key=value or key~pattern. A
// bare "~pattern" is short for text~pattern.
var condition = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_.-]*)?([=~])`) })

func parseCommand(line string) (Command, error) {
	cmd := Command{Source: line}
	rest := line
	if after, ok := strings.CutPrefix(rest, "!"); ok {
		cmd.Negated, rest = true, strings.TrimSpace(after)
	}
	name := rest
	if i := strings.IndexAny(rest, " \t"); i >= 0 {
		name, rest = rest[:i], strings.TrimSpace(rest[i:])
	} else {
		rest = ""
	}
	v := findVerb(name)
	if v == nil {
		return cmd, fmt.Errorf("unknown command %q%s", name, meant(name, verbNames()))
	}
	cmd.verb = v
	if cmd.Negated && v.Kind != assertion {
		return cmd, fmt.Errorf("%s cannot be negated: remove the \"!\"", v.Name)
	}
	if v.Raw {
		cmd.Text = rest
		return cmd, v.checkText(cmd)
	}
	ws, err := words(rest)
	if err != nil {
		return cmd, err
	}
	for _, w := range ws {
		if err := cmd.word(w); err != nil {
			return cmd, err
		}
	}
	return cmd, v.checkArgs(&cmd)
}

// word adds a word to the arguments or the conditions.
func (c *Command) word(w string) error {
	m := condition().FindStringSubmatch(w)
	if m == nil || c.verb.Plain {
		c.Args = append(c.Args, w)
		return nil
	}
	cond := Cond{Key: m[1], Value: w[len(m[0]):]}
	if cond.Key == "" {
		cond.Key = "text"
	}
	if !c.verb.knows(cond.Key) {
		if c.verb.Keys == "" {
			return fmt.Errorf("%s takes no conditions such as %s", c.verb.Name, w)
		}
		return fmt.Errorf("%s knows no condition %q%s", c.verb.Name, cond.Key, meant(cond.Key, strings.Fields(c.verb.Keys)))
	}
	if m[2] == "~" {
		re, err := regexp.Compile("(?m)" + cond.Value)
		if err != nil {
			return fmt.Errorf("%s is not a regular expression: %w", w, err)
		}
		cond.re = re
	}
	if err := cond.check(); err != nil {
		return err
	}
	c.Conds = append(c.Conds, cond)
	return nil
}

// times bounds how often something has to happen.
type times struct{ least, most int } // most -1 means no bound

func (t times) allow(n int) bool { return n >= t.least && (t.most < 0 || n <= t.most) }

func (t times) String() string {
	switch {
	case t.most < 0:
		return "at least " + often(t.least)
	case t.least == t.most:
		return often(t.least)
	}
	return fmt.Sprintf("%d to %d times", t.least, t.most)
}

// often returns n in words, such as once.
func often(n int) string {
	switch n {
	case 0:
		return "never"
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}

func parseTimes(s string) (times, error) {
	var t times
	least, most, isRange := strings.Cut(s, "..")
	var err error
	if t.least, err = strconv.Atoi(least); err != nil || t.least < 0 {
		return t, fmt.Errorf("%q is not a count", least)
	}
	switch {
	case !isRange:
		t.most = t.least
	case most == "":
		t.most = -1
	default:
		if t.most, err = strconv.Atoi(most); err != nil || t.most < t.least {
			return t, fmt.Errorf("%q is not a count from %d", most, t.least)
		}
	}
	return t, nil
}

// times returns how often the command wants something to happen, by default at least once.
func (c Command) times() times {
	for _, cond := range c.Conds {
		if cond.Key == "times" {
			t, _ := parseTimes(cond.Value) // checked when the case was read
			return t
		}
	}
	return times{1, -1}
}

// negative reports whether c can hold because something did not happen, without naming a
// reason.
func (c Command) negative() bool {
	return c.Negated || c.times().least == 0 || c.verb.Name == "not-fired" && len(c.Conds) == 0
}

// others returns the conditions except times.
func (c Command) others() []Cond {
	return slices.DeleteFunc(slices.Clone(c.Conds), func(cond Cond) bool { return cond.Key == "times" })
}

// all reports whether the values satisfy all conditions.
func all(conds []Cond, value func(key string) string) bool {
	return !slices.ContainsFunc(conds, func(c Cond) bool { return !c.matches(value(c.Key)) })
}

// didYouMean returns ` (did you mean "x"?)` if one of names is close, else "".
func didYouMean(name string, names []string) string {
	best := text.Nearest(name, names)
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}

// meant suggests the closest of names, or else lists all of them.
func meant(name string, names []string) string {
	if guess := didYouMean(name, names); guess != "" {
		return guess
	}
	return ": expected one of " + strings.Join(names, ", ")
}
