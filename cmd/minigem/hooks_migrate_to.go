package main

import (
	"cmp"
	"fmt"
	"path/filepath"

	"minigem/hooks/author/export"
	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/text"
)

// migrateTo writes this project's hooks into the configuration of another agent.
func migrateTo(sys *app.System, o export.Options, dryRun, yes bool) error {
	kimi := cmp.Or(sys.Getenv("KIMI_CODE_HOME"), filepath.Join(sys.Getenv("HOME"), ".kimi-code"))
	place := export.Place{Dir: sys.Dir, Kimi: kimi}
	r, err := export.Project(place, o)
	if err != nil {
		return exit.With(exit.Config, err)
	}
	for _, f := range r.Files {
		fmt.Fprint(sys.Stdout, shownDiff(f.Diff, false))
	}
	for _, remark := range r.Remarks {
		fmt.Fprintln(sys.Stdout, text.VisibleLine(remark))
	}
	switch {
	case len(r.Files) == 0:
		fmt.Fprintf(sys.Stdout, "There is nothing to add: %s has no hooks that %s could have and does not have already.\n", export.Source, o.Agent)
		return nil
	case dryRun:
		fmt.Fprintln(sys.Stdout, "Nothing was written: this is a dry run.")
		return nil
	case !yes && !(sys.StdinTTY && sys.StdoutTTY):
		fmt.Fprintf(sys.Stdout, "Nothing was written yet. To write it: minigem hooks migrate --to %s --yes\n", o.Agent)
		return nil
	case !yes && !confirmed(sys, "Write this? [y/N] "):
		fmt.Fprintln(sys.Stdout, "Nothing was written.")
		return nil
	}
	if err := place.Write(o, r); err != nil {
		return exit.Errorf(exit.Config, "migrating the hooks: %w", err)
	}
	for _, f := range r.Files {
		fmt.Fprintf(sys.Stdout, "Wrote %s.\n", f.Name)
	}
	if !o.Bare {
		fmt.Fprintln(sys.Stdout, "The hooks call minigem, which must be in the agent's PATH: see minigem hooks run --help.")
	}
	return nil
}
