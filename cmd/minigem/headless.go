package main

import (
	"context"

	"minigem/internal/acp"
	"minigem/internal/app"
	"minigem/internal/cases"
	"minigem/internal/headless"
)

// withoutTerminal reports whether the run is not interactive (core/utils/headless.ts).
func withoutTerminal(sys *app.System, f *app.Options) bool {
	if f.PromptInteractive != "" {
		return false
	}
	ci := sys.Getenv("CI") == "true" || sys.Getenv("GITHUB_ACTIONS") == "true"
	if sys.Getenv("GEMINI_CLI_INTEGRATION_TEST") == "true" {
		ci = false
	}
	return ci || f.PromptSet || !sys.StdinTTY || !sys.StdoutTTY
}

// runAgent runs minigem without a subcommand.
func runAgent(ctx context.Context, sys *app.System, f *app.Options) error {
	if ctx == nil {
		ctx = context.Background()
	}
	if done, err := runInstead(sys, f); done {
		return err
	}
	if f.ACP {
		return acp.Serve(ctx, sys, f)
	}
	if withoutTerminal(sys, f) {
		var recording headless.Observer
		if f.RecordCase != "" {
			recording = &cases.Recording{Sys: sys, Flags: f}
		}
		return headless.Run(ctx, sys, f, recording)
	}
	return runInteractive(ctx, sys, f)
}
