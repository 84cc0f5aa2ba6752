package stage

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"sync"

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
// the folders that killed processes left.
func Temp() (dir string, remove func(), err error) {
	SettleTemp()
	parent, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		return "", nil, err
	}
	return temp(parent)
}

// SettleTemp removes the temporary folders that killed processes left, once in a
// process.
var SettleTemp = sync.OnceFunc(func() { settleTemp(os.TempDir()) })

// temp makes a folder within one that is locked, so that the locks of files in it
// are free.
func temp(parent string) (dir string, remove func(), err error) {
	outer, release, err := locked(parent, tempPrefix, tempLength, "t")
	return filepath.Join(outer, "t"), func() {
		release()
		_ = os.RemoveAll(outer) // the next start removes what a program that still runs writes there
	}, err
}

func settleTemp(parent string) {
	entries, _ := os.ReadDir(parent)
	for _, e := range entries {
		if path := filepath.Join(parent, e.Name()); e.IsDir() && named(e.Name(), tempPrefix, tempLength) {
			abandoned(path, func() { _ = os.RemoveAll(path) })
		}
	}
}

// tries is how often locked starts again where another process settled its folder.
const tries = 5

// locked makes a new folder in parent, whose name is prefix and n characters, and
// the folders inside in it. The lock shows that its process is alive. A file system
// without locks has none.
func locked(parent, prefix string, n int, inside ...string) (dir string, release func(), err error) {
	for range tries {
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

// abandoned calls do if the process of a folder is dead.
func abandoned(dir string, do func()) {
	alive := filelock.New(lockOf(dir))
	if dead, err := alive.TryLock(); dead && err == nil {
		do()
	}
	_ = alive.Close()
}

func lockOf(dir string) string { return filepath.Join(dir, "alive") }
