package app

import (
	"runtime"
	"slices"

	"minigem/internal/proc"
)

// OpenBrowser opens address in the browser of this machine, by the program that
// the system has for that, and reports whether that was started. Where nobody sits
// before this machine's screen nothing is (core/utils/secure-browser-launcher.ts). The
// environment is the user's own: a project's .env shall not say which program runs.
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
