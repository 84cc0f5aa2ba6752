package stage

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"minigem/internal/filelock"
)

// The name of a temporary folder is short, because it may hold a socket, whose path
// has 103 bytes at most.
const (
	tempPrefix = "minigem-"
	tempLength = 12 // of the rest: letters and digits of [rand.Text]
)

// Temp makes a folder for temporary files in parent; "" is the system's own. The
// caller must call remove. Before, Temp removes the folders that killed processes
// left in parent.
func Temp(parent string) (dir string, remove func(), err error) {
	if parent == "" {
		parent = os.TempDir()
	}
	SettleTemp(parent)
	for range tries {
		dir = filepath.Join(parent, tempPrefix+rand.Text()[:tempLength])
		if err = os.Mkdir(dir, 0o700); err != nil {
			return "", nil, err
		}
		alive := hold(dir)
		if _, err = os.Stat(dir); err == nil {
			return dir, func() {
				_ = alive.Close()
				_ = os.RemoveAll(dir) // what a program that was left still writes goes the next time
			}, nil
		}
		_ = alive.Close() // a SettleTemp came between
	}
	return "", nil, err
}

// SettleTemp removes the temporary folders that killed processes left in dir.
func SettleTemp(dir string) {
	d, err := os.Open(dir)
	if err != nil {
		return
	}
	names, _ := d.Readdirnames(-1)
	_ = d.Close()
	for _, name := range names {
		rest, ok := strings.CutPrefix(name, tempPrefix)
		if !ok || len(rest) != tempLength || strings.Trim(rest, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") != "" {
			continue
		}
		path := filepath.Join(dir, name)
		if info, err := os.Lstat(path); err == nil && info.IsDir() {
			abandoned(path, func() { _ = os.RemoveAll(path) })
		}
	}
}

// hold takes the lock that shows that the process of a folder lives. A file system
// without locks has none.
func hold(dir string) *flock.Flock {
	alive := filelock.New(filepath.Join(dir, "alive"))
	_, _ = alive.TryLock()
	return alive
}

// abandoned calls do if the process of a folder is dead.
func abandoned(dir string, do func()) {
	alive := filelock.New(filepath.Join(dir, "alive"))
	if dead, err := alive.TryLock(); dead && err == nil {
		do()
	}
	_ = alive.Close()
}
