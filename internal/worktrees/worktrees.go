// Package worktrees makes git worktrees for sessions, where Gemini CLI makes them:
// PROJECT/.gemini/worktrees/NAME, on the branch worktree-NAME
// (core/services/worktreeService.ts). They are never removed, because their work may
// not have been committed yet.
package worktrees

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"minigem/internal/atomicfile"
	"minigem/internal/proc"
	"minigem/internal/stage"
)

// nameForm matches valid names: a name becomes a folder and the end of a branch name.
var nameForm = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$`)

// Worktree is a folder with the files of a repository, on its own branch.
type Worktree struct {
	Dir    string // absolute
	Branch string
}

// Add makes the worktree name of the repository that contains dir, from the commit that
// is checked out there, with the user's git and git hooks. env is git's environment.
func Add(ctx context.Context, dir, name string, env []string) (Worktree, error) {
	if !nameForm.MatchString(name) || strings.HasSuffix(name, ".lock") || strings.HasSuffix(name, ".") ||
		strings.Contains(name, "..") {
		return Worktree{},
			fmt.Errorf("%q is no name for a worktree: use up to 64 letters, digits, dots, underscores and dashes", name)
	}
	said, err := git(ctx, dir, env, "rev-parse", "--show-toplevel", "--absolute-git-dir")
	if err != nil {
		return Worktree{}, fmt.Errorf("a worktree needs a git repository: %w", err)
	}
	root, store, _ := strings.Cut(said, "\n")
	store = filepath.Join(store, changes)
	Settle(root, store, env)
	above := filepath.Join(filepath.FromSlash(root), ".gemini", "worktrees")
	w := Worktree{Dir: filepath.Join(above, name), Branch: "worktree-" + name}
	if _, err := os.Lstat(w.Dir); err == nil {
		return Worktree{}, fmt.Errorf("there is a worktree %q already: change to the folder %s, or choose another name", name,
			w.Dir)
	}
	if err := hide(above); err != nil {
		return Worktree{}, err
	}
	if _, err := git(ctx, root, env, "show-ref", "--verify", "-q", "refs/heads/"+w.Branch); err == nil {
		return Worktree{}, fmt.Errorf("there is a branch %s already: choose another name", w.Branch)
	}
	if err := os.MkdirAll(store, 0o755); err != nil {
		return Worktree{}, err
	}
	_, done, err := stage.Note(store, name)
	if err != nil {
		return Worktree{}, err
	}
	defer os.Remove(store) // fails unless it is empty
	defer done()
	if _, err := git(ctx, root, env, "worktree", "add", "-q", "-b", w.Branch, w.Dir); err != nil {
		return Worktree{}, errors.Join(fmt.Errorf("git made no worktree: %w", err), undo(root, env)(name))
	}
	return w, nil
}

// changes is the folder inside git's own in which worktrees are recorded while they are
// being made. A record in the project could come from anyone.
const changes = "minigem-worktrees"

// Settle removes the worktrees that killed processes were making in the repository at
// root, with their branches. store is where they are recorded; "" means root's own
// .git.
func Settle(root, store string, env []string) {
	if store == "" {
		store = filepath.Join(root, ".git", changes)
	}
	stage.SettleNotes(store, undo(root, env))
	_ = os.Remove(store) // fails unless it is empty
}

// undo returns a function that removes an incomplete worktree, and its branch unless it
// has new commits. Nothing that the repository configures runs.
func undo(root string, env []string) func(name string) error {
	git := func(args ...string) error {
		_, err := git(context.Background(), root, append(slices.Clip(env), "GIT_NO_LAZY_FETCH=1"),
			append([]string{"-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false"}, args...)...)
		return err
	}
	return func(name string) error {
		if !nameForm.MatchString(name) {
			return nil
		}
		dir, branch := filepath.Join(filepath.FromSlash(root), ".gemini", "worktrees", name), "worktree-"+name
		_ = git("worktree", "remove", "--force", "--force", dir) // git may not know it yet
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
		_ = git("branch", "-q", "-d", branch) // fails if it does not exist, or has new commits
		return nil
	}
}

// hide keeps worktrees out of what git and searches find in the repository itself.
func hide(above string) error {
	if err := os.MkdirAll(above, 0o755); err != nil {
		return err
	}
	if really, err := filepath.EvalSymlinks(above); err != nil || really != above {
		return fmt.Errorf("%s is a link to %s: worktrees stay in the repository", above, really)
	}
	path := filepath.Join(above, ".gitignore")
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	return atomicfile.WriteFile(path, []byte("*\n"), 0o644)
}

func git(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	return proc.Git(ctx, proc.Command{Dir: dir, Env: proc.GitEnviron(env)}, args...)
}
