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

	"minigem/internal/atomicfile"
)

// Change is one replacement: a new entry is made aside, takes the old one's place,
// and is committed once all that belongs to it is done. Until then the old one is
// kept. [Settle] brings it back where the process was killed.
type Change struct {
	dir, stage string
	release    func() // the lock that shows that the process is alive
	undo       func(name string) error
}

// A stage holds "made", what is made; "old", with what was replaced; "free", with an
// empty folder for a place that was free; and "claimed", with one for a
// [Change.Claim]. A committed stage has another name, and only goes away.
const (
	stagePrefix = ".minigem-change-"
	donePrefix  = ".minigem-done-"
)

// named reports whether name is prefix and n characters of [rand.Text].
func named(name, prefix string, n int) bool {
	is, _ := filepath.Match(prefix+strings.Repeat("[A-Z2-7]", n), name)
	return is
}

// Begin begins a change in dir, which must exist, after it has settled those of
// killed processes. The caller must call End.
func Begin(dir string) (*Change, error) {
	Settle(dir)
	stage, release, err := locked(dir, stagePrefix, 26, "old", "free")
	if err != nil {
		return nil, err
	}
	return &Change{dir: dir, stage: stage, release: release}, nil
}

// Made is where the caller makes the new one: nothing is there yet.
func (c *Change) Made() string { return filepath.Join(c.stage, "made") }

// Put moves what was made to name in the folder. What is there comes back unless
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

// Drop takes name out of the folder. It comes back unless Commit follows.
func (c *Change) Drop(name string) error {
	_ = os.Mkdir(c.Made(), 0o755) // Put has not run: whatever takes the place later belongs to somebody else
	return c.setAside(name)
}

func (c *Change) setAside(name string) error {
	return os.Rename(filepath.Join(c.dir, name), filepath.Join(c.stage, "old", name))
}

// Remove takes name out of the folder dir and removes it, all or nothing.
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

// Claim notes that the caller makes name itself. Unless Commit follows, undo
// removes it: in End, or in [SettleClaims] after a kill.
func (c *Change) Claim(name string, undo func(name string) error) error {
	c.undo = undo
	return os.MkdirAll(filepath.Join(c.stage, "claimed", name), 0o755)
}

// Commit completes the change: the old one is no longer needed.
func (c *Change) Commit() (err error) {
	c.stage, err = complete(c.stage)
	return err
}

// complete renames a stage so that it only goes away, and returns its path.
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
	_ = settle(c.dir, c.stage, c.undo) // Settle tries again
	c.release()
}

// Settle undoes or completes the changes of killed processes in each of dirs, and
// removes the files that they were writing there.
func Settle(dirs ...string) {
	for _, dir := range dirs {
		SettleClaims(dir, nil)
		atomicfile.Sweep(dir)
	}
}

// SettleClaims does for the changes of killed processes in dir what [Settle] does,
// and removes what they claimed by undo. Without undo, changes with claims stay.
func SettleClaims(dir string, undo func(name string) error) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.IsDir() && (named(e.Name(), stagePrefix, 26) || named(e.Name(), donePrefix, 26)) {
			stage := filepath.Join(dir, e.Name())
			abandoned(stage, func() { _ = settle(dir, stage, undo) }) // the next one tries again
		}
	}
}

// settle undoes the change of a stage that was not committed, and removes it.
func settle(dir, stage string, undo func(name string) error) error {
	if strings.HasPrefix(filepath.Base(stage), stagePrefix) {
		_, err := os.Lstat(filepath.Join(stage, "made"))
		put := errors.Is(err, fs.ErrNotExist) // else what is in its place is somebody else's
		for _, kind := range []string{"claimed", "free", "old"} {
			if info, err := os.Lstat(filepath.Join(stage, kind)); err != nil || !info.IsDir() {
				continue // a link would lead elsewhere
			}
			entries, _ := os.ReadDir(filepath.Join(stage, kind))
			for _, e := range entries {
				if err := takeBack(dir, stage, kind, e.Name(), put, undo); err != nil {
					return err
				}
			}
		}
		stage, err = complete(stage)
		if err != nil {
			return err
		}
	}
	return os.RemoveAll(stage)
}

var errClaimed = errors.New("only who claimed it can undo it")

// takeBack undoes the part of a change that the entry name of a stage stands for.
func takeBack(dir, stage, kind, name string, put bool, undo func(name string) error) error {
	place := filepath.Join(dir, name)
	switch {
	case kind == "claimed" && undo == nil:
		return errClaimed
	case kind == "claimed":
		return undo(name)
	case put:
		if err := os.RemoveAll(place); err != nil {
			return err
		}
	}
	if kind == "old" {
		return os.Rename(filepath.Join(stage, kind, name), place)
	}
	return nil
}
