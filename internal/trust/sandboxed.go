package trust

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"minigem/hooks/jsonc"
	"minigem/internal/boundedfile"
	"minigem/internal/text"
)

// loaded lists the entries of a folder that minigem loads when it starts there.
var loaded = []string{".gemini", ".agents", ".env"}

// sandboxed maps each folder that sandboxed commands worked in to those of these
// entries, as relative paths, that were there before or that the user has agreed to.
// The kernel cannot prevent a command from creating a new name.
type sandboxed map[string][]string

func sandboxedFile(trustedFolders string) string {
	return filepath.Join(filepath.Dir(trustedFolders), "sandboxed_folders.json")
}

func changeSandboxed(trustedFolders string, change func(sandboxed)) error {
	file := sandboxedFile(trustedFolders)
	return jsonc.Update(file, 0o600, func(data []byte) ([]byte, error) {
		var s sandboxed
		if err := json.Unmarshal(data, &s); data != nil && err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if s == nil {
			s = sandboxed{}
		}
		change(s)
		return json.MarshalIndent(s, "", "  ")
	})
}

// BeforeSandbox records what minigem would load from dir, looking among later, which
// are paths in dir. It must be called before commands run there in a sandbox: see
// [Appeared].
func BeforeSandbox(trustedFolders, dir string, later []string) error {
	found := []string{}
	for _, name := range later {
		rel, err := filepath.Rel(dir, name)
		entries, notFolder := os.ReadDir(name)
		if err == nil && slices.Contains(loaded, filepath.Base(name)) && (notFolder != nil || len(entries) > 0) {
			found = append(found, rel)
		}
	}
	return changeSandboxed(trustedFolders, func(s sandboxed) {
		if known, again := s[real(dir)]; again {
			found = slices.DeleteFunc(found, func(rel string) bool { return !slices.Contains(known, rel) })
		}
		s[real(dir)] = found
	})
}

// Appeared returns the paths from which minigem would load something if it started in
// dir, and that did not exist before commands ran there in a sandbox, unless the user
// has agreed to them. One of these commands, or something it left running, may have
// made them.
func Appeared(trustedFolders, dir string) ([]string, error) {
	data, err := boundedfile.Read(sandboxedFile(trustedFolders), boundedfile.Kept)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var s sandboxed
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", sandboxedFile(trustedFolders), err)
	}
	return s.appeared(real(dir), func(string, string) {}), nil
}

// appeared calls do with each such folder of s and the path relative to it.
func (s sandboxed) appeared(dir string, do func(top, rel string)) []string {
	var out []string
	for top, known := range s {
		for at := dir; text.Inside(top, at); at = filepath.Dir(at) {
			for _, base := range loaded {
				name := filepath.Join(at, base)
				rel, _ := filepath.Rel(top, name)
				if _, err := os.Lstat(name); err == nil && !slices.Contains(known, rel) {
					out = append(out, name)
					do(top, rel)
				}
			}
			if at == top {
				break
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// agree records that the user agrees to what appeared in dir and above it.
func agree(trustedFolders, dir string) error {
	if names, err := Appeared(trustedFolders, dir); len(names) == 0 {
		return err
	}
	return changeSandboxed(trustedFolders, func(s sandboxed) {
		s.appeared(dir, func(top, rel string) { s[top] = append(s[top], rel) })
	})
}
