package wiring

import (
	"context"
	"fmt"
	"strings"

	"minigem/hooks"
	"minigem/hooks/config"
	"minigem/internal/app"
	"minigem/tools/builtin"
)

// watchHooks watches the files of the project's hooks. asker may be nil.
func watchHooks(c *app.Configuration, asker builtin.Asker) *config.Watch {
	watch := config.NewWatch(c.ProjectDir, c.Hooks)
	watch.Agreed = func(h hooks.Hook) bool { return agreedTo(c, h) }
	if asker != nil {
		watch.Ask = func(ctx context.Context, h hooks.Hook, files []string) bool {
			return mayRunChanged(ctx, asker, h, files)
		}
	}
	return watch
}

// mayRunChanged asks the user whether a hook whose files changed may run.
func mayRunChanged(ctx context.Context, asker builtin.Asker, h hooks.Hook, files []string) bool {
	const run, no = "Run it", "Do not run it"
	said, ok := builtin.AskOne(ctx, asker, builtin.Question{
		Header: "A hook changed", Type: "choice",
		Question: fmt.Sprintf("The hook %q of this project loads what changed during the session: %s. "+
			"Look at it first: it runs as you.", h.ID(), strings.Join(files, ", ")),
		Options: []builtin.Option{
			{Label: no, Description: "what it guards is refused, until it changes again"},
			{Label: run, Description: "for this session, as it is now"},
		},
	})
	return ok && said == run
}

// agreedTo reports whether the user trusts a project's hook as it is now.
func agreedTo(c *app.Configuration, h hooks.Hook) bool {
	checks, err := c.TrustStore().Check(c.ProjectDir, hooks.Config{Hooks: []hooks.Hook{h}})
	return err == nil && len(checks) == 1 && checks[0].Status == config.TrustKnown
}
