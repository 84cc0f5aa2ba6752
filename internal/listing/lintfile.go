package listing

import (
	"slices"
	"strings"

	"minigem/hooks/author/inspect"
	"minigem/hooks/author/lint"
	"minigem/hooks/config"
	"minigem/internal/app"
	"minigem/internal/exit"
)

// LintFile lints, and returns the findings in one file: settings, or a hook's program.
// An empty name means all files.
func LintFile(sys *app.System, c *app.Configuration, in lint.Input, name string) ([]lint.Finding, error) {
	if name == "" {
		return lint.Run(in), nil
	}
	path := app.Absolute(sys, name)
	known := slices.ContainsFunc(in.Setup.Files, func(f inspect.File) bool { return f.Path == path })
	for _, h := range in.Setup.Config.Hooks {
		known = known || slices.Contains(config.FilesNamed(h, c.Dir, in.Setup.Place.Vars()), path)
	}
	if !known {
		var others strings.Builder
		_ = WriteForeign(c, &others) // a Builder does not fail
		return nil, exit.Errorf(exit.Input,
			"%s configures no hooks of minigem's, and none runs it: minigem hooks list shows the files of hooks\n%s", name,
			others.String())
	}
	return slices.DeleteFunc(lint.Run(in), func(f lint.Finding) bool { return f.File != path }), nil
}
