package proc

import (
	"slices"
	"strings"
)

// GitEnviron returns env without the variables that lead git to another repository
// than that of its folder. Git sets them for its own hooks, and whoever runs minigem
// from one hands them on.
func GitEnviron(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return slices.Contains([]string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR",
			"GIT_OBJECT_DIRECTORY", "GIT_PREFIX"}, name)
	})
}
