package testbed

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"minigem/internal/text"
)

// Check is what came of one assertion.
type Check struct {
	Where, Command string
	Unasked        string // why another program could not be asked; empty: it was
	Passed         bool
	Vacuous        string // why it proves nothing though it passed; empty: it does, as far as can be told
	Expected       string
	Actual         string
}

// notThere are conditions that nothing outside of this program can be asked
// about.
var notThere = []string{
	"effect", "warning", "failed", "upstream", "because", "before", "after", "error",
	"system", "tools", "tool", "mode", "allowed", "temperature", "topP", "topK", "maxOutputTokens",
}

// unasked says why another program cannot be asked about c; empty: it can.
func (c Command) unasked() string {
	if !c.verb.elsewhere {
		return c.verb.name + " is not available there"
	}
	for _, cond := range c.Conds {
		if slices.Contains(notThere, cond.Key) {
			return fmt.Sprintf("%s of %s is not available there", cond.Key, c.verb.name)
		}
	}
	return ""
}

// unasked says why nothing can be said about c; empty: something can.
func (r *Record) unasked(c Command) string {
	if r.other == nil {
		return c.unasked()
	}
	if !c.verb.elsewhere {
		return c.verb.name + " cannot be seen there"
	}
	return r.other.Cannot(c.verb.name, c.Args, c.Conds)
}

// tool is minigem's name for a tool.
func (r *Record) tool(name string) string {
	if r.other != nil {
		return r.other.Tool(name)
	}
	return canonicalTool(name)
}

// Unplayable says why another program cannot play the case; empty: it can.
func (c *Case) Unplayable() string {
	prompts := 0
	for _, cmd := range c.Commands {
		if cmd.verb.name == "prompt" {
			prompts++
		}
		if cmd.verb.kind != assertion && !cmd.verb.elsewhere {
			return cmd.verb.name + " is not available there"
		}
	}
	if prompts != 1 {
		return fmt.Sprintf("the case has %s: only one is available there", text.Plural(prompts, "prompt"))
	}
	for _, r := range c.Rounds {
		if r.Err != nil {
			return "requests that fail are not available there"
		}
	}
	for _, cmd := range c.Commands {
		if cmd.verb.kind == assertion && cmd.unasked() == "" {
			return ""
		}
	}
	return "none of its assertions is available there"
}

// Comparison is a case as it went here and on another program.
type Comparison struct {
	Case        *Case
	Broken      error
	Unplayable  string // why it was not run there; empty: it was
	Here, There Result
}

// Compare runs c here and there. Both Options need a Driver; there is that of
// the other program, such as Binary.
func Compare(ctx context.Context, c *Case, here, there Options) Comparison {
	cmp := Comparison{Case: c, Unplayable: c.Unplayable()}
	if cmp.Unplayable != "" {
		return cmp
	}
	here.Update, there.Update = false, false
	there.Elsewhere = true
	cmp.Here = Run(ctx, c, here)
	if cmp.Broken = cmp.Here.Broken; cmp.Broken != nil || cmp.Here.Skipped != "" {
		cmp.Unplayable = cmp.Here.Skipped
		return cmp
	}
	cmp.There = Run(ctx, c, there)
	cmp.Broken = cmp.There.Broken
	return cmp
}

// Same reports whether all that could be asked went the same way.
func (c Comparison) Same() bool { return c.Broken == nil && len(c.differences()) == 0 && !c.stuck() }

// Why is what the case says of its difference; empty: it does not differ, or
// does not say.
func (c Comparison) Why() string {
	i := slices.IndexFunc(c.Case.Commands, func(cmd Command) bool { return cmd.verb.name == "differs" })
	if i < 0 || c.Broken != nil || c.Unplayable != "" || c.Same() {
		return ""
	}
	return c.Case.Commands[i].Text
}

// stuck: it did not come to its end there.
func (c Comparison) stuck() bool { return len(c.There.Checks) < len(c.Here.Checks) }

// differences are the assertions that went another way there, as pairs.
func (c Comparison) differences() [][2]Check {
	var out [][2]Check
	for i, there := range c.There.Checks {
		if i < len(c.Here.Checks) && there.Unasked == "" && there.Passed != c.Here.Checks[i].Passed {
			out = append(out, [2]Check{c.Here.Checks[i], there})
		}
	}
	return out
}

// String is the comparison for reading, with a newline at its end.
func (c Comparison) String() string {
	var b strings.Builder
	differences := c.differences()
	asked := 0
	for _, check := range c.There.Checks {
		if check.Unasked == "" {
			asked++
		}
	}
	switch {
	case c.Broken != nil:
		return fmt.Sprintf("BROKEN  %s\n%s", c.Case.Name, indent(c.Broken.Error()+"\n"))
	case c.Unplayable != "":
		return fmt.Sprintf("n/a     %s: %s\n", c.Case.Name, c.Unplayable)
	case c.Why() != "":
		fmt.Fprintf(&b, "KNOWN   %s: %s\n", c.Case.Name, c.Why())
	case c.stuck():
		fmt.Fprintf(&b, "DIFFERS %s: it did not end there\n", c.Case.Name)
	case len(differences) == 0:
		fmt.Fprintf(&b, "same    %s  (%d of %s could be asked there)\n", c.Case.Name, asked, text.Plural(len(c.There.Checks), "assertion"))
	default:
		fmt.Fprintf(&b, "DIFFERS %s\n", c.Case.Name)
	}
	for _, d := range differences {
		fmt.Fprintf(&b, "  %s: %s\n    here:  %s\n    there: %s\n", d[0].Where, d[0].Command, told(d[0]), told(d[1]))
	}
	for _, f := range c.There.Failures {
		if f.Command == "" || strings.HasPrefix(f.Command, "prompt") {
			b.WriteString(indent(f.String()))
		}
	}
	return b.String()
}

func told(c Check) string {
	verdict := "fails"
	if c.Passed {
		verdict = "holds"
	}
	return verdict + ", " + oneLine(strings.TrimSpace(c.Actual), 300)
}

// CompareFiles runs the cases here and on another program, one after the other:
// such programs are slow to start, and time-outs are meant for one of them. It
// tells how each went, and returns the exit code. It ends where ctx does.
func CompareFiles(ctx context.Context, w io.Writer, files []string, here, there Options) (code int, err error) {
	same, known, differ, left := 0, 0, 0, 0
	for _, file := range files {
		if ctx.Err() != nil {
			return ExitFailed, ctx.Err()
		}
		c, err := ReadFile(file)
		if err != nil {
			return ExitBroken, err
		}
		cmp := Compare(ctx, c, here, there)
		fmt.Fprint(w, cmp)
		switch {
		case cmp.Broken != nil:
			code = ExitBroken
		case cmp.Unplayable != "":
			left++
		case cmp.Same():
			same++
		case cmp.Why() != "":
			known++
		default:
			differ++
			code = max(code, ExitFailed)
		}
	}
	fmt.Fprintf(w, "%d the same, %d differ and say why, %d differ, %d not available there\n", same, known, differ, left)
	return code, nil
}
