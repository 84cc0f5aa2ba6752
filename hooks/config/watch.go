package config

import (
	"fmt"
	"minigem/hooks"
	"os"
	"slices"
)

// Watch knows the script files of a project that hooks run as they were when
// the session began, so that a change made since, by the agent itself it may be,
// is named before it runs. It is safe for concurrent use.
type Watch struct {
	root  string
	files map[string]string // state by path
}

// maxReadEachTime is how large a script may be to be compared by its contents
// before each run; of larger ones size and time are.
const maxReadEachTime = 1 << 20

// NewWatch looks at the scripts under root that the hooks of c run.
func NewWatch(root string, c hooks.Config) *Watch {
	w := &Watch{root: root, files: map[string]string{}}
	for _, file := range AllScripts(root, c) {
		w.files[file] = fileState(file)
	}
	return w
}

// AllScripts are the files under root that the enabled hooks of c run,
// sorted.
func AllScripts(root string, c hooks.Config) []string {
	var files []string
	for _, h := range c.Hooks {
		if h.Disabled == "" {
			files = append(files, scripts(h, root)...)
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// Changed names the scripts of h that are not what they were, relative to the
// project. A nil Watch knows of none.
func (w *Watch) Changed(h hooks.Hook) []string {
	if w == nil {
		return nil
	}
	var changed []string
	for _, file := range scripts(h, w.root) {
		if was, known := w.files[file]; known && was != fileState(file) {
			changed = append(changed, relative(w.root, file))
		}
	}
	return changed
}

func fileState(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return "unreadable"
	}
	if info.Size() > maxReadEachTime {
		return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
	}
	return hashFile(path)
}
