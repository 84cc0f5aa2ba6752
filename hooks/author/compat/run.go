package compat

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"minigem/hooks/dialect"
	"minigem/hooks/hif"
	"minigem/internal/exit"
	"minigem/internal/output"
	"minigem/internal/text"
)

// Options say what of the tables is wanted.
type Options struct {
	Args   []string // an event, in any agent's words, or nothing
	Agents string   // a list of ids; empty: all
	JSON   bool
	HTML   bool
	Claims []byte // a file of claims to judge; nil: none
	HIF    []byte // a file of the Hook Interchange Format, whose hooks are looked at; nil: none
	From   string // the name of the file of claims
}

func (o Options) file() bool { return o.Claims != nil || o.HIF != nil }

// Run writes what is wanted, the page to raw unless that is a terminal, and
// reports whether a claim is contradicted, or a hook inverted.
func Run(w, raw io.Writer, terminal bool, o Options) (contradicted bool, err error) {
	agents, err := Agents(o.Agents)
	switch {
	case err != nil:
		return false, exit.With(exit.Input, err)
	case o.HTML && (o.JSON || o.file()), len(o.Args) > 0 && (o.JSON || o.HTML || o.file()), o.Claims != nil && o.HIF != nil:
		return false, exit.With(exit.Input, errors.New("--json, --html, --check and --hif exclude each other and an event; --check --json and --hif --json are for programs"))
	case o.HIF != nil:
		return fates(w, agents, o)
	case o.Claims != nil:
		return check(w, o)
	case o.HTML && terminal:
		return false, exit.With(exit.Input, errors.New("the page is for a browser: send it to a file, minigem hooks compat --html > compat.html"))
	case o.HTML:
		return false, WritePage(raw)
	case o.JSON:
		d, err := New()
		if err != nil {
			return false, err
		}
		return false, output.WriteJSON(w, d)
	case len(o.Args) == 0:
		return false, Write(w, agents)
	}
	p, ok := PointOf(o.Args[0])
	if !ok {
		return false, exit.Errorf(exit.Input, "nobody has measured answers at %q; it was done at %v, under any agent's name for them", o.Args[0], Points())
	}
	return false, WriteEvent(w, p, agents)
}

// fates says what happens to hooks in agents.
func fates(w io.Writer, agents []*dialect.Agent, o Options) (inverted bool, err error) {
	d, err := hif.Parse(o.HIF)
	if err != nil {
		return false, exit.With(exit.Input, err)
	}
	all := hif.Fates(d, agents)
	for _, f := range all {
		inverted = inverted || f.Fate == hif.Inverted
	}
	if o.JSON {
		return inverted, output.WriteJSON(w, all)
	}
	var b strings.Builder
	for _, f := range all {
		fmt.Fprintf(&b, "%-12s %-12s %-9s %s\n", text.VisibleLine(f.Hook), f.Agent, f.Fate, text.VisibleLine(strings.Join(f.Why, "; ")))
	}
	if inverted {
		b.WriteString("\ninverted: what refuses lets pass there. minigem hooks run --portable --dialect hif -- COMMAND translates the answers\n")
	}
	_, err = io.WriteString(w, b.String())
	return inverted, err
}

// check judges the claims.
func check(w io.Writer, o Options) (contradicted bool, err error) {
	claims, err := ReadClaims(o.Claims)
	if err != nil {
		return false, exit.Errorf(exit.Input, "%s: %w", o.From, err)
	}
	verdicts := Judge(claims)
	for _, v := range verdicts {
		contradicted = contradicted || v.Verdict == Contradicts
	}
	if o.JSON {
		return contradicted, output.WriteJSON(w, verdicts)
	}
	_, err = fmt.Fprint(w, WriteVerdicts(verdicts))
	return contradicted, err
}
