package compat

import (
	"errors"
	"fmt"
	"io"

	"minigem/internal/exit"
	"minigem/internal/output"
)

// Options say what of the tables is wanted.
type Options struct {
	Args   []string // an event, in any agent's words, or nothing
	Agents string   // a list of ids; empty: all
	JSON   bool
	HTML   bool
	Claims []byte // a file of claims to judge; nil: none
}

// Run writes what is wanted, the page to raw unless that is a terminal, and
// reports whether a claim is contradicted.
func Run(w, raw io.Writer, terminal bool, o Options) (contradicted bool, err error) {
	agents, err := Agents(o.Agents)
	switch {
	case err != nil:
		return false, exit.With(exit.Input, err)
	case o.HTML && (o.JSON || o.Claims != nil), len(o.Args) > 0 && (o.JSON || o.HTML || o.Claims != nil):
		return false, exit.With(exit.Input, errors.New("--json, --html and --check exclude each other and an event; --check --json is for programs"))
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

// check judges the claims.
func check(w io.Writer, o Options) (contradicted bool, err error) {
	claims, err := ReadClaims(o.Claims)
	if err != nil {
		return false, exit.With(exit.Input, err)
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
