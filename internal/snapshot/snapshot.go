// Package snapshot stores the states of a project's files in a git repository of its
// own, apart from the project's, so that edits can be undone
// (core/utils/checkpointUtils.ts). It does not store files that the project's git
// ignores. Its callers decide when to take a snapshot.
package snapshot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"minigem/internal/proc"
)

// Store is the repository of one project. Processes may use it concurrently: each
// method waits for the others.
type Store struct {
	Dir  string   // contains the repository, which is made on first use
	Root string   // the project, absolute
	Env  []string // git's environment, which only needs PATH
}

// ErrUnknown means that there is no snapshot with the given id.
var ErrUnknown = errors.New("there is no such snapshot")

// Take stores the current state and returns its id.
func (s Store) Take(ctx context.Context, why string) (id string, err error) {
	err = s.locked(ctx, func() error {
		id, err = s.take(ctx, why)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("taking a snapshot of %s: %w", s.Root, err)
	}
	return id, nil
}

// Change is a file that differs from the snapshot.
type Change struct {
	Path    string // absolute
	Added   int    // lines added since; 0 if it is not text
	Removed int    // lines removed since
}

// Compare lists what has changed since the state with the given id, sorted by path. It
// stores the current state to do so.
func (s Store) Compare(ctx context.Context, id string) (changes []Change, err error) {
	err = s.locked(ctx, func() error {
		if err := s.known(ctx, id); err != nil {
			return err
		}
		now, err := s.take(ctx, "to compare with "+id)
		if err != nil {
			return err
		}
		out, err := s.git(ctx, "diff", "--numstat", "-z", "--no-renames", "--no-textconv", id, now, "--")
		if err != nil {
			return err
		}
		for record := range strings.SplitSeq(out, "\x00") {
			fields := strings.SplitN(record, "\t", 3)
			if len(fields) != 3 {
				continue
			}
			added, _ := strconv.Atoi(fields[0]) // "-" for files that are not text
			removed, _ := strconv.Atoi(fields[1])
			changes = append(changes, Change{filepath.Join(s.Root, filepath.FromSlash(fields[2])), added, removed})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("comparing %s with a snapshot: %w", s.Root, err)
	}
	return changes, nil
}

// known returns an error unless id is the id of a snapshot.
func (s Store) known(ctx context.Context, id string) error {
	if strings.HasPrefix(id, "-") {
		return ErrUnknown
	}
	if _, err := s.git(ctx, "rev-parse", "--quiet", "--verify", id+"^{commit}"); err != nil {
		return ErrUnknown
	}
	return nil
}

// Restore restores the state with the given id. It restores files that were changed or
// removed since, and removes new ones. It first stores the current state and calls keep
// with its id. If keep fails, nothing is restored.
func (s Store) Restore(ctx context.Context, id string, keep func(before string) error) error {
	err := s.locked(ctx, func() error {
		if err := s.known(ctx, id); err != nil {
			return err
		}
		before, err := s.take(ctx, "before restoring "+id)
		if err != nil {
			return err
		}
		if err := keep(before); err != nil {
			return err
		}
		_, err = s.git(ctx, "restore", "--source="+id, "--staged", "--worktree", "--", ":/")
		return err
	})
	if err != nil {
		return fmt.Errorf("restoring %s: %w", s.Root, err)
	}
	return nil
}

func (s Store) take(ctx context.Context, why string) (string, error) {
	if err := s.open(ctx); err != nil {
		return "", err
	}
	if err := s.forgetNested(ctx); err != nil {
		return "", err
	}
	for _, args := range [][]string{
		{"add", "--all", "--", ":/"},
		{"commit", "--quiet", "--allow-empty", "--no-verify", "--message=" + why},
	} {
		if _, err := s.git(ctx, args...); err != nil {
			return "", err
		}
	}
	return s.git(ctx, "rev-parse", "HEAD")
}

// forgetNested removes repositories within the project from the index. A snapshot only
// records that they exist. For one in the index, git would look for changes, and so run
// the programs that the nested repository's own configuration names.
func (s Store) forgetNested(ctx context.Context) error {
	found := &nested{}
	// With a Head of one byte, Watch gets all output, and almost none of it is kept.
	if _, err := s.run(ctx, proc.Limit{Head: 1, Watch: found}, nil, "ls-files", "--stage", "-z"); err != nil ||
		len(found.names) == 0 {
		return err
	}
	_, err := s.run(ctx, proc.Limit{Head: 4 << 10}, [][]byte{found.names}, "update-index", "--force-remove", "-z",
		"--stdin")
	return err
}

// nested collects the names of repositories from the output of git ls-files --stage -z,
// each with its NUL.
type nested struct{ record, names []byte }

// modeOfNested is the mode of a repository in another one's index.
const modeOfNested = "160000 "

// Write implements io.Writer.
func (n *nested) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		end := bytes.IndexByte(rest, 0)
		if end < 0 {
			n.record = append(n.record, rest...)
			break
		}
		n.record = append(n.record, rest[:end+1]...)
		if _, name, ok := bytes.Cut(n.record, []byte("\t")); ok && bytes.HasPrefix(n.record, []byte(modeOfNested)) {
			n.names = append(n.names, name...)
		}
		n.record, rest = n.record[:0], rest[end+1:]
	}
	return len(p), nil
}

// open makes the repository if there is none. It excludes minigem's own files within
// the project.
func (s Store) open(ctx context.Context) error {
	if _, err := os.Stat(filepath.Join(s.repository(), "HEAD")); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := s.git(ctx, "init", "--quiet"); err != nil {
		return err
	}
	rel, err := filepath.Rel(s.Root, filepath.Dir(filepath.Dir(s.Dir)))
	if err != nil || !filepath.IsLocal(rel) {
		return nil
	}
	info := filepath.Join(s.repository(), "info")
	if err := os.MkdirAll(info, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(info, "exclude"),
		[]byte("/"+filepath.ToSlash(rel)+"/history/\n/"+filepath.ToSlash(rel)+"/tmp/\n"), 0o600)
}

func (s Store) repository() string { return filepath.Join(s.Dir, ".git") }

func (s Store) locked(ctx context.Context, do func() error) error {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(s.Dir, ".lock"))
	if _, err := lock.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return fmt.Errorf("waiting for another process: %w", err)
	}
	defer func() { _ = lock.Close() }()
	return do()
}

// git runs git without anyone's configuration, and so without the user's hooks,
// signatures and filters.
func (s Store) git(ctx context.Context, args ...string) (string, error) {
	return s.run(ctx, proc.Limit{Head: 4 << 20}, nil, args...)
}

func (s Store) run(ctx context.Context, out proc.Limit, stdin [][]byte, args ...string) (string, error) {
	env := append([]string{}, s.Env...)
	env = append(env,
		"GIT_DIR="+s.repository(), "GIT_WORK_TREE="+s.Root, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
		"LC_ALL=C",
		"GIT_AUTHOR_NAME=minigem", "GIT_AUTHOR_EMAIL=minigem@localhost", "GIT_COMMITTER_NAME=minigem",
		"GIT_COMMITTER_EMAIL=minigem@localhost",
	)
	said, err := proc.Git(ctx, proc.Command{Dir: s.Root, Env: env, Grace: 200 * time.Millisecond, Stdin: stdin, Out: out},
		append([]string{"-c", "core.hooksPath=" + os.DevNull, "-c", "core.autocrlf=false",
			"-c", "advice.addEmbeddedRepo=false"},
			args...)...)
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return said, nil
}
