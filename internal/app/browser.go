package app

import (
	"runtime"
	"slices"

	"minigem/internal/proc"
)

// OpenBrowser opens address in this machine's browser, using the system's opener, and
// reports whether the opener was started. It starts nothing if no user sits at this
// machine's screen (core/utils/secure-browser-launcher.ts). It uses the user's own
// environment, so that a project's .env cannot decide which program runs.
func (s *System) OpenBrowser(address string) bool {
	if !s.StdinTTY || !s.StdoutTTY {
		return false
	}
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return s.Getenv(name) != "" })
	}
	opener := []string{"xdg-open"}
	switch {
	case has("NO_BROWSER", "CI"):
		return false
	case runtime.GOOS == "darwin":
		opener = []string{"open"}
	case runtime.GOOS == "windows":
		opener = []string{"rundll32", "url.dll,FileProtocolHandler"}
	case !has("DISPLAY", "WAYLAND_DISPLAY"):
		return false
	}
	_, err := proc.Start(proc.Command{Path: opener[0], Args: append(opener[1:], address), Dir: s.Dir, Env: s.Env,
		Outlives: true})
	return err == nil
}
