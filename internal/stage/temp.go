package stage

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"minigem/internal/atomicfile"
	"minigem/internal/filelock"
)

// The names of temporary folders are short, because a folder may contain a socket,
// whose path has at most 103 bytes.
const (
	tempPrefix = "minigem-"
	tempLength = 12 // of the rest
)

// Temp makes a temporary folder in the system's own, and returns its path without
// links. The caller must call remove. The first call in a process removes the folders
// that killed processes left. The folder is inside a locked one, so that locks of files
// in it are available.
func Temp() (dir string, remove func(), err error) {
	SettleTemp()
	parent, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		return "", nil, err
	}
	return Note(parent, "t")
}

// SettleTemp removes the temporary folders that killed processes left and, in any folder,
// the files that they were writing. Only the first call in a process has an effect.
var SettleTemp = sync.OnceFunc(func() {
	atomicfile.SweepJournals(os.TempDir())
	SettleNotes(os.TempDir(), func(string) error { return nil })
})

// Note makes a folder called name, inside a new one in parent, that records what this
// process is doing until it calls remove.
func Note(parent, name string) (dir string, remove func(), err error) {
	outer, release, err := locked(parent, tempPrefix, tempLength, name)
	return filepath.Join(outer, name), func() {
		release()
		_ = os.RemoveAll(outer) // the next start removes what a still running program writes there
	}, err
}

// SettleNotes calls undo for the name of each [Note] that a killed process left in
// parent, and removes the note unless undo fails.
func SettleNotes(parent string, undo func(name string) error) {
	abandoned(parent, tempPrefix, tempLength, func(outer string) {
		entries, err := os.ReadDir(outer)
		for _, e := range entries {
			err = errors.Join(err, undo(e.Name()))
		}
		if err == nil {
			_ = os.RemoveAll(outer) // the next start tries again
		}
	})
}

// locked makes a new folder in parent, named prefix and n characters, with the folders
// inside. Its lock shows that its process is alive. On a file system without locks
// there is none.
func locked(parent, prefix string, n int, inside ...string) (dir string, release func(), err error) {
	for range 5 { // again if another process settled the folder before it was locked
		dir = filepath.Join(parent, prefix+rand.Text()[:n])
		if err = os.Mkdir(dir, 0o700); err != nil {
			break
		}
		// This waits while another process settles the folder.
		release, _ = filelock.Wait(context.Background(), lockOf(dir)) // fails only when the context ends
		for _, name := range inside {
			err = errors.Join(err, os.Mkdir(filepath.Join(dir, name), 0o700))
		}
		if err == nil {
			break
		}
		release()
	}
	return dir, release, err
}

// abandoned calls do for each folder made by [locked] in parent whose process is dead.
func abandoned(parent, prefix string, n int, do func(dir string)) {
	entries, _ := os.ReadDir(parent)
	for _, e := range entries {
		if is, _ := filepath.Match(prefix+strings.Repeat("[A-Z2-7]", n), e.Name()); !is || !e.IsDir() {
			continue
		}
		dir := filepath.Join(parent, e.Name())
		alive := filelock.New(lockOf(dir))
		if dead, err := alive.TryLock(); dead && err == nil {
			do(dir)
		}
		_ = alive.Close()
	}
}

func lockOf(dir string) string { return filepath.Join(dir, "alive") }
