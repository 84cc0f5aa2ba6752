// Package stage replaces an entry of a folder, such as an installed extension, in
// steps: the old one stays until the new one is complete, whatever kills the
// process in between.
package stage

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Change is one replacement. A new entry is made aside, replaces the old one, and is
// committed once everything that belongs to it is done. Until then the old one is kept,
// and [Settle] restores it if the process was killed.
type Change struct {
	dir, stage string
	release    func() // releases the lock that shows that the process is alive
}

// A stage contains "made", the new entry; "old", with what was replaced; and "free",
// with an empty folder for a name that was free. A committed stage has another name,
// and only remains to be removed.
const (
	stagePrefix = ".minigem-change-"
	donePrefix  = ".minigem-done-"
)

// Begin begins a change in dir, which must exist, after settling those of killed
// processes. The caller must call End.
func Begin(dir string) (*Change, error) {
	Settle(dir)
	stage, release, err := locked(dir, stagePrefix, 26, "old", "free")
	if err != nil {
		return nil, err
	}
	return &Change{dir: dir, stage: stage, release: release}, nil
}

// Made returns the path where the caller makes the new entry. Nothing is there yet.
func (c *Change) Made() string { return filepath.Join(c.stage, "made") }

// Put moves the new entry to name in the folder. What was there is restored unless
// Commit follows.
func (c *Change) Put(name string) error {
	err := c.setAside(name)
	if errors.Is(err, fs.ErrNotExist) {
		err = os.Mkdir(filepath.Join(c.stage, "free", name), 0o755)
	}
	if err != nil {
		return err
	}
	return os.Rename(c.Made(), filepath.Join(c.dir, name))
}

// Drop removes name from the folder. It is restored unless Commit follows.
func (c *Change) Drop(name string) error {
	_ = os.Mkdir(c.Made(), 0o755) // Put has not run, so whatever appears there later belongs to someone else
	return c.setAside(name)
}

func (c *Change) setAside(name string) error {
	return os.Rename(filepath.Join(c.dir, name), filepath.Join(c.stage, "old", name))
}

// Remove removes name from the folder dir, completely or not at all.
func Remove(dir, name string) error {
	c, err := Begin(dir)
	if err != nil {
		return err
	}
	defer c.End()
	if err := c.Drop(name); err != nil {
		return err
	}
	return c.Commit()
}

// Commit completes the change. The old entry is no longer needed.
func (c *Change) Commit() (err error) {
	c.stage, err = complete(c.stage)
	return err
}

// complete renames a stage so that it only remains to be removed, and returns its new
// path.
func complete(stage string) (string, error) {
	dir, name := filepath.Split(stage)
	done := filepath.Join(dir, donePrefix+name[len(stagePrefix):])
	if err := os.Rename(stage, done); err != nil {
		return stage, err
	}
	return done, nil
}

// End removes the stage, and undoes a change that was not committed.
func (c *Change) End() {
	_ = settle(c.dir, c.stage) // Settle tries again
	c.release()
}

// Settle undoes or completes the changes of killed processes in each of dirs.
func Settle(dirs ...string) {
	for _, dir := range dirs {
		undo := func(stage string) { _ = settle(dir, stage) } // the next Settle tries again
		abandoned(dir, stagePrefix, 26, undo)
		abandoned(dir, donePrefix, 26, undo)
	}
}

// settle undoes the change of a stage that was not committed, and removes it.
func settle(dir, stage string) error {
	if strings.HasPrefix(filepath.Base(stage), stagePrefix) {
		_, err := os.Lstat(filepath.Join(stage, "made"))
		put := errors.Is(err, fs.ErrNotExist) // otherwise what is there belongs to someone else
		for _, kind := range []string{"free", "old"} {
			if info, err := os.Lstat(filepath.Join(stage, kind)); err != nil || !info.IsDir() {
				continue // a link would lead elsewhere
			}
			entries, _ := os.ReadDir(filepath.Join(stage, kind))
			for _, e := range entries {
				place := filepath.Join(dir, e.Name())
				if err = nil; put {
					err = os.RemoveAll(place)
				}
				if err == nil && kind == "old" {
					err = os.Rename(filepath.Join(stage, kind, e.Name()), place)
				}
				if err != nil {
					return err
				}
			}
		}
		if stage, err = complete(stage); err != nil {
			return err
		}
	}
	return os.RemoveAll(stage)
}
