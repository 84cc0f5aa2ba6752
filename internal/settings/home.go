package settings

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
)

// Home says where the user's own files are. Both paths are absolute and clean.
type Home struct {
	Dir  string // holds .gemini
	User string // HOME of hooks and commands
}

// FindHome decides where the user's files are when minigem works in dir. It uses the
// folder named by HOME (on Windows also USERPROFILE), otherwise the one that account
// returns. GEMINI_CLI_HOME moves .gemini; its folder may be missing, because minigem
// creates it. A variable that names the project's folder is ignored, because the
// project's settings would then count as the user's. The account's own home is always
// accepted. If account is nil, there is no account home. The error says what to set.
func FindHome(lookup func(string) (string, bool), dir string, account func() (string, error)) (Home, error) {
	own, wrong := "", errors.New("HOME is not set")
	if account != nil {
		path, err := account()
		if err == nil {
			err = folder(path)
		}
		if err != nil {
			wrong = fmt.Errorf("HOME is not set, and the account has no home: %w", err)
		} else {
			own = filepath.Clean(path)
		}
	}
	counts := func(name, path string) error {
		err := folder(path)
		if name == envHome && errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		if err == nil && ofProject(path, dir) && (own == "" || !sameFile(path, own)) {
			err = fmt.Errorf("%s is the project's folder, not yours", path)
		}
		if err != nil {
			err = fmt.Errorf("%s does not count: %w", name, err)
		}
		return err
	}
	h := Home{}
	for _, name := range []string{"USERPROFILE", "HOME"} {
		path, _ := lookup(name)
		if path == "" {
			continue
		}
		if err := counts(name, path); err != nil {
			wrong = err
		} else {
			h.User = filepath.Clean(path)
		}
	}
	h.User = cmp.Or(h.User, own)
	h.Dir = h.User
	if path, _ := lookup(envHome); path != "" {
		wrong = counts(envHome, path)
		h.Dir = filepath.Clean(path)
		h.User = cmp.Or(h.User, h.Dir)
	} else if h.Dir != "" {
		wrong = nil
	}
	if wrong != nil {
		return Home{}, fmt.Errorf("no home folder: %w. "+
			"Set HOME (or GEMINI_CLI_HOME) to the absolute path of a folder of yours", wrong)
	}
	return h, nil
}

// folder returns an error if path cannot be a home.
func folder(path string) error {
	if !filepath.IsAbs(path) {
		return fmt.Errorf("%q is not an absolute path", path)
	}
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is not a folder", path)
	}
	return err
}

// ofProject reports whether path is dir, or a folder between dir and the root of its
// repository.
func ofProject(path, dir string) bool {
	between := false
	for at := dir; ; at = filepath.Dir(at) {
		between = between || sameFile(path, at)
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return between
		}
		if at == filepath.Dir(at) {
			return sameFile(path, dir)
		}
	}
}

// AccountHome returns the home directory of this process's user from the system's user
// database, whatever the environment says.
func AccountHome() (string, error) {
	if runtime.GOOS == "windows" {
		u, err := user.Current()
		if err != nil {
			return "", err
		}
		return u.HomeDir, nil
	}
	u, err := user.LookupId(strconv.Itoa(os.Getuid()))
	if err != nil {
		return "", err
	}
	return u.HomeDir, nil
}
