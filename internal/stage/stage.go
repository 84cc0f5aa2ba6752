// Package stage replaces an entry of a folder, such as an installed extension, in
// steps: the old one stays until the new one is complete, whatever kills the
// process in between.
package stage

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"minigem/internal/filelock"
)

// Change is one replacement: a new entry is made aside, takes the old one's place,
// and is committed once all that belongs to it is done. Until then the old one is
// kept. [Settle] brings it back where the process was killed.
type Change struct {
	dir, stage string
	alive      *flock.Flock // of the stage: its process lives
}

// A stage holds "made", what is made; "old", with what was replaced; and "free", with
// an empty folder for a place that was free. A committed stage has another name, and
// only goes away.
const (
	stagePrefix = ".minigem-change-"
	donePrefix  = ".minigem-done-"
)

// tries is how often Begin starts again where another process settled its stage.
const tries = 5

// isStage reports whether name is that of a stage.
func isStage(name string) bool {
	rest, ok := strings.CutPrefix(name, stagePrefix)
	if !ok {
		rest, ok = strings.CutPrefix(name, donePrefix)
	}
	return ok && len(rest) == len(rand.Text())
}

// Begin begins a change in dir, which must exist, after it has settled those of
// killed processes. The caller must call End.
func Begin(dir string) (*Change, error) {
	Settle(dir)
	var err error
	for range tries {
		c := &Change{dir: dir, stage: filepath.Join(dir, stagePrefix+rand.Text())}
		if err = os.Mkdir(c.stage, 0o755); err != nil {
			return nil, err
		}
		c.alive = filelock.New(filepath.Join(c.stage, "alive"))
		_, _ = c.alive.TryLock() // a file system without locks has none
		err = errors.Join(os.Mkdir(filepath.Join(c.stage, "old"), 0o755), os.Mkdir(filepath.Join(c.stage, "free"), 0o755))
		if err == nil {
			return c, nil
		}
		c.End() // a Settle came between
	}
	return nil, err
}

// Made is where the caller makes the new one: nothing is there yet.
func (c *Change) Made() string { return filepath.Join(c.stage, "made") }

// Put moves what was made to name in the folder. What is there comes back unless
// Commit follows.
func (c *Change) Put(name string) error {
	place := filepath.Join(c.dir, name)
	err := os.Rename(place, filepath.Join(c.stage, "old", name))
	if errors.Is(err, fs.ErrNotExist) {
		err = os.Mkdir(filepath.Join(c.stage, "free", name), 0o755)
	}
	if err != nil {
		return err
	}
	return os.Rename(c.Made(), place)
}

// Commit completes the change: the old one is no longer needed.
func (c *Change) Commit() error {
	done := filepath.Join(c.dir, donePrefix+filepath.Base(c.stage)[len(stagePrefix):])
	err := os.Rename(c.stage, done)
	if err == nil {
		c.stage = done
	}
	return err
}

// End removes the stage, and undoes a change that was not committed.
func (c *Change) End() {
	_ = settle(c.dir, c.stage) // Settle tries again
	_ = c.alive.Close()
	_ = os.RemoveAll(c.stage)
}

// Settle undoes or completes the changes of killed processes in each of dirs.
func Settle(dirs ...string) {
	for _, dir := range dirs {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if !isStage(e.Name()) || !e.IsDir() {
				continue
			}
			stage := filepath.Join(dir, e.Name())
			alive := filelock.New(filepath.Join(stage, "alive"))
			if dead, err := alive.TryLock(); dead && err == nil {
				_ = settle(dir, stage) // the next one tries again
			}
			_ = alive.Close()
		}
	}
}

// settle undoes the change of a stage that was not committed, and removes it.
func settle(dir, stage string) error {
	if filepath.Base(stage)[:len(donePrefix)] != donePrefix {
		_, err := os.Lstat(filepath.Join(stage, "made"))
		put := errors.Is(err, fs.ErrNotExist) // else what is in its place is somebody else's
		for _, kind := range []string{"free", "old"} {
			entries, _ := os.ReadDir(filepath.Join(stage, kind))
			for _, e := range entries {
				place := filepath.Join(dir, e.Name())
				if put {
					if err := os.RemoveAll(place); err != nil {
						return err
					}
				}
				if kind == "old" {
					if err := os.Rename(filepath.Join(stage, kind, e.Name()), place); err != nil {
						return err
					}
				}
			}
		}
	}
	return os.RemoveAll(stage)
}
