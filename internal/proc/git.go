package proc

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"minigem/internal/text"
)

// GitEnviron returns env without the variables that point git to a repository other
// than that of its folder. Git sets them for its own hooks, and they are inherited if
// minigem is run from one.
func GitEnviron(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return slices.Contains([]string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR",
			"GIT_OBJECT_DIRECTORY", "GIT_PREFIX"}, name)
	})
}

// Git runs git with args as c says, without ever prompting, and returns its standard
// output without the final newline. Unless c.Out is set, it keeps 64 KiB of it. The
// error contains git's error message. Git gives up on a web server that sends less than
// 1,000 bytes a second for a minute; GIT_HTTP_LOW_SPEED_TIME in c.Env changes that.
func Git(ctx context.Context, c Command, args ...string) (string, error) {
	c.Path, c.Env = "git", append(slices.Clip(c.Env), "GIT_TERMINAL_PROMPT=0")
	c.Args = append([]string{"-c", "http.lowSpeedLimit=1000", "-c", "http.lowSpeedTime=60"}, args...)
	c.Out.Head, c.Err = cmp.Or(c.Out.Head, 64<<10), Limit{Tail: 4 << 10}
	res, err := Run(ctx, c)
	switch {
	case err != nil:
		return "", err
	case res.Stopped != nil:
		return "", res.Stopped
	case res.ExitCode != 0:
		return "", errors.New(strings.TrimSpace(text.Clean(res.Stderr.String())))
	}
	return strings.TrimSuffix(res.Stdout.String(), "\n"), nil
}
