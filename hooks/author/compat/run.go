package compat

import (
	"errors"
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
}

// Run writes the tables, and the page to raw unless that is a terminal.
func Run(w, raw io.Writer, terminal bool, o Options) error {
	agents, err := Agents(o.Agents)
	switch {
	case err != nil:
		return exit.With(exit.Input, err)
	case o.HTML && o.JSON, len(o.Args) > 0 && (o.JSON || o.HTML):
		return exit.With(exit.Input, errors.New("give one of --json, --html and an event"))
	case o.HTML && terminal:
		return exit.With(
			exit.Input, errors.New("the page is for a browser: send it to a file, minigem hooks compat --html > compat.html"))
	case o.HTML:
		return WritePage(raw)
	case o.JSON:
		d, err := New()
		if err != nil {
			return err
		}
		return output.WriteJSON(w, d)
	case len(o.Args) == 0:
		return Write(w, agents)
	}
	p, ok := PointOf(o.Args[0])
	if !ok {
		return exit.Errorf(
			exit.Input, "nobody has measured answers at %q; it was done at %v, under any agent's name for them", o.Args[0],
			Points())
	}
	return WriteEvent(w, p, agents)
}
