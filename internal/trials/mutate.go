package trials

import (
	"context"
	"fmt"

	"minigem/e2e/testbed"
	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/output"
)

// Mutate runs hooks test --mutate on the cases in files, and reports. It fails if fewer
// than least percent of the mutants were noticed.
//
// page, if not nil, gets the mutants before anything is printed.
func Mutate(ctx context.Context, sys *app.System, s *testbed.Suite, files []string, least int, format string,
	page func(testbed.Mutation) error) error {
	m, err := s.Mutate(ctx, files, Progress(sys, "mutant"))
	switch {
	case ctx.Err() != nil:
		return exit.Ended(ctx)
	case err != nil:
		return exit.With(exit.Input, err)
	}
	if page != nil {
		if err := page(m); err != nil {
			return err
		}
	}
	if format == "json" {
		err = output.WriteJSON(sys.Stdout, m)
	} else {
		_, err = fmt.Fprint(sys.Stdout, m)
	}
	if err == nil && m.Percent() < least {
		return exit.Errorf(exit.Failed, "%d%% of the mutants were noticed, less than the %d%% of --min", m.Percent(), least)
	}
	return err
}
