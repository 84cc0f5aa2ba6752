package compat

import (
	"errors"
	"io"

	"minigem/internal/exit"
	"minigem/internal/output"
)

// Options select what [Run] writes. Args, JSON and HTML exclude each other.
type Options struct {
	// Args is nothing or one event, in any agent's words.
	Args []string
	// Agents is a comma-separated list of ids; empty means all. It has no effect with
	// JSON or HTML.
	Agents string
	// JSON writes the [Document].
	JSON bool
	// HTML writes the page.
	HTML bool
}

// Run writes what o asks for to w, and the page to raw, which is the uncleaned standard
// output. terminal says that raw is a terminal, for which the page is refused. Errors of
// the user have the exit code of wrong input.
func Run(w, raw io.Writer, terminal bool, o Options) error {
	agents, err := Agents(o.Agents)
	switch {
	case err != nil:
		return exit.With(exit.Input, err)
	case o.HTML && o.JSON, len(o.Args) > 0 && (o.JSON || o.HTML):
		return exit.With(exit.Input, errors.New("give only one of --json, --html and an event"))
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
			exit.Input, "answers at %q have not been measured; measured events: %v, under any agent's name for them", o.Args[0],
			Points())
	}
	return WriteEvent(w, p, agents)
}
