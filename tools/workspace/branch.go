package workspace

import (
	"encoding/hex"
	"path/filepath"
	"strings"
)

// Branch returns what is checked out in the git repository that dir is in: the name of
// a branch, or the first seven digits of a commit. It is empty if dir is in no
// repository, or its HEAD says something else. The name is as the file has it: clean it
// before it is shown. It runs no git.
func Branch(dir string) string {
	repo := findRepo(dir)
	if repo == "" {
		return ""
	}
	head := FirstLine(filepath.Join(ownGitDir(repo), "HEAD"))
	if name, ok := strings.CutPrefix(head, "ref: refs/heads/"); ok {
		return name
	}
	if hash, err := hex.DecodeString(head); err == nil && len(hash) >= 20 {
		return head[:7]
	}
	return ""
}
