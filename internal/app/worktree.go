package app

import (
	"context"
	"fmt"
	"path/filepath"

	"minigem/internal/exit"
	"minigem/internal/text"
	"minigem/internal/worktrees"

	"github.com/google/uuid"
)

// NewWorktree is the value of --worktree that asks for a name derived from the time.
const NewWorktree = "new"

// EnterWorktree makes the worktree that --worktree asks for and moves the session
// there: sys.Dir is then its folder. notice tells the user so. Without the option it
// does nothing.
func EnterWorktree(ctx context.Context, sys *System, f *Options) (notice string, err error) {
	if f.Worktree == "" {
		return "", nil
	}
	c, err := Configure(sys, f)
	if err != nil {
		return "", err
	}
	if !c.Trust.Trusted {
		return "", exit.Errorf(
			exit.Untrusted, "--worktree checks out files in a folder that is not trusted (%s): run minigem trust here first",
			c.Trust.Why)
	}
	if !c.Settings.Experimental.Worktrees {
		return "", exit.Errorf(exit.Failed, `--worktree is experimental: set "experimental": {"worktrees": true} in %s`,
			c.Shorten(filepath.Join(c.DotGemini, "settings.json")))
	}
	name := f.Worktree
	if name == NewWorktree {
		name = sys.Now().Format("20060102-150405") + "-" + uuid.NewString()[:4]
	}
	w, err := worktrees.Add(ctx, sys.Dir, name, sys.Env)
	if err != nil {
		return "", exit.With(exit.Failed, err)
	}
	f.resolve(sys.Dir)
	sys.Dir = w.Dir
	return fmt.Sprintf("This session works in %s, on the branch %s.", c.Shorten(w.Dir), w.Branch), nil
}

// resolve makes relative paths in the options absolute, relative to dir, wherever the
// session works.
func (f *Options) resolve(dir string) {
	in := func(path *string) {
		if *path != "" {
			*path = text.Abs(dir, *path)
		}
	}
	for _, path := range []*string{&f.Fake, &f.FakeNonStrict, &f.Record, &f.RecordCase, &f.HookTrace, &f.SessionFile} {
		in(path)
	}
	for _, list := range [][]string{f.IncludeDirs, f.Policies, f.AdminPolicies} {
		for i := range list {
			in(&list[i])
		}
	}
}
