package proc

import (
	"context"
	"fmt"
	"os"
	"os/exec"
)

// RunAttached runs a program that needs the terminal, such as an editor. The program
// gets our streams and stays in our process group, so that keys reach it. RunAttached
// uses only Path, Args, Line, Dir, Env, Rules and Within of c. When ctx ends, the
// program is killed.
func RunAttached(ctx context.Context, c Command, in, out *os.File) error {
	path, args := c.Path, c.Args
	if c.Line != "" {
		path, args = Shell(c.Line)
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.Env = c.Dir, append([]string{}, c.Env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, out
	err := c.begin(cmd)
	if err == nil {
		err = cmd.Wait()
	}
	if err != nil {
		return fmt.Errorf("running %s: %w", path, err)
	}
	return nil
}
