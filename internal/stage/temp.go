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

// The names of temporary folders are short, because one may hold a socket, whose
// path has 103 bytes at most.
const (
	tempPrefix = "minigem-"
	tempLength = 12 // of the rest
)

// Temp makes a folder for temporary files in the system's own, and returns its path
// without links. The caller must call remove. The first call in a process removes
// the folders that killed processes left. The folder is within one that is locked,
// so that the locks of files in it are free.
func Temp() (dir string, remove func(), err error) {
	SettleTemp()
	parent, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		return "", nil, err
	}
	return Note(parent, "t")
}

// SettleTemp removes the temporary folders that killed processes left, and the files
// that they were writing wherever those are, once in a process.
var SettleTemp = sync.OnceFunc(func() {
	atomicfile.SweepJournals(os.TempDir())
	SettleNotes(os.TempDir(), func(string) error { return nil })
})

// Note makes a folder called name, within a new one in parent, that shows what this
// process is doing until it calls remove.
func Note(parent, name string) (dir string, remove func(), err error) {
	outer, release, err := locked(parent, tempPrefix, tempLength, name)
	return filepath.Join(outer, name), func() {
		release()
		_ = os.RemoveAll(outer) // the next start removes what a program that still runs writes there
	}, err
}

// SettleNotes calls undo for the name of each [Note] in parent that a killed process
// left, and removes it unless that fails.
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

// locked makes a new folder in parent, whose name is prefix and n characters, and
// the folders inside in it. The lock shows that its process is alive. A file system
// without locks has none.
func locked(parent, prefix string, n int, inside ...string) (dir string, release func(), err error) {
	for range 5 { // again where another process settled the folder before it was locked
		dir = filepath.Join(parent, prefix+rand.Text()[:n])
		if err = os.Mkdir(dir, 0o700); err != nil {
			break
		}
		// It waits while another process settles the folder.
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

// abandoned calls do for each folder in parent of [locked] whose process is dead.
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
