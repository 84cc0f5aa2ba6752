package testbed

import (
	"context"
	"strings"
	"time"

	"minigem/internal/proc"
)

// goCaches returns the variables that locate Go's build and module caches on this machine.
// With the empty home of a case, a ten-line program would compile the whole standard
// library, which takes longer than all other cases together. It returns nil if go is
// missing or fails.
func goCaches(dir string, lookup func(string) (string, bool)) []string {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	names := []string{"GOCACHE", "GOMODCACHE"}
	res, err := proc.Run(ctx, proc.Command{
		Line: "go env " + strings.Join(names, " "), Dir: dir, Grace: time.Second,
		Env: append(known(lookup, "PATH", "HOME", "GOENV", "GOCACHE", "GOMODCACHE", "GOPATH", "XDG_CACHE_HOME",
			"XDG_CONFIG_HOME",
			"SYSTEMROOT", "COMSPEC", "PATHEXT", "USERPROFILE", "LOCALAPPDATA", "APPDATA"), "GOTOOLCHAIN=local"),
	})
	values := strings.Split(strings.TrimRight(string(res.Stdout.Head), "\r\n"), "\n")
	if err != nil || res.ExitCode != 0 || len(values) != len(names) {
		return nil
	}
	var env []string
	for i, name := range names {
		if v := strings.TrimRight(values[i], "\r"); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// known returns the variables that are set, as "k=v".
func known(lookup func(string) (string, bool), names ...string) []string {
	var env []string
	for _, name := range names {
		if v, ok := lookup(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}
