package config

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"minigem/hooks"
	"minigem/internal/boundedfile"
)

// Watch remembers the state of the project's files that hooks run or load when the
// session begins. If one of them changed since, perhaps by the agent itself, its hook
// does not run before the user agrees. It implements the Watch of [hooks.Engine]. Make it
// with [NewWatch]; set its fields before the first event. It is safe for concurrent use.
type Watch struct {
	// Agreed, if not nil, reports whether the user has agreed to a hook as it is now, for
	// example by "minigem trust" in another window.
	Agreed func(h hooks.Hook) bool
	// Ask, if not nil, asks the user whether h may run although files changed. A yes
	// holds for the files as they are now; a no is not asked again until a file changes
	// again. Questions are asked one at a time. If ctx ends meanwhile, there was no
	// answer.
	Ask func(ctx context.Context, h hooks.Hook, files []string) bool

	root string

	asking sync.Mutex // one question at a time
	mu     sync.Mutex
	files  map[string]string // state by path
	code   map[string]bool   // files that are programs by their names or modes
	no     map[string]string // states to which the user said no, by hook and path
}

// maxReadEachTime bounds the size of scripts that are compared by their contents before
// each run. Larger ones are compared by size and time.
const maxReadEachTime = 1 << 20

// NewWatch records the scripts under root that the enabled hooks of c run, as they are
// now. Changes from now on are what [Watch.Changed] reports.
func NewWatch(root string, c hooks.Config) *Watch {
	w := &Watch{root: root, files: map[string]string{}, code: map[string]bool{}, no: map[string]string{}}
	for _, file := range AllScripts(root, c) {
		w.files[file], w.code[file] = fileState(file), isCode(file)
	}
	return w
}

// AllScripts returns the files under root that the enabled hooks of c run or load,
// sorted; see [Scripts]. A file that several hooks run occurs once. It returns nil if
// there is none.
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

// Changed returns the files that h runs or loads and that changed since they were
// recorded, relative to the project and sorted. A program that did not exist then counts
// as changed. It returns nil if nothing changed, or if the user has agreed to h since or
// does so now. A nil Watch returns nil.
func (w *Watch) Changed(ctx context.Context, h hooks.Hook) []string {
	if w == nil {
		return nil
	}
	if len(w.changed(h)) == 0 {
		return nil
	}
	w.asking.Lock()
	defer w.asking.Unlock()
	states := w.changed(h) // there may have been an answer since
	if len(states) == 0 || w.Agreed != nil && w.Agreed(h) {
		return nil
	}
	names := w.names(states)
	if w.Ask == nil || w.refused(h, states) {
		return names
	}
	yes := w.Ask(ctx, h, names)
	if ctx.Err() != nil {
		return names // that was no answer
	}
	w.mu.Lock()
	for file, state := range states {
		if yes {
			w.files[file], w.code[file] = state, isCode(file)
		} else {
			w.no[h.ID()+"\x00"+file] = state
		}
	}
	w.mu.Unlock()
	return w.names(w.changed(h)) // the answer was about the files as they were
}

// changed returns the files of h that are not what they were, with their states.
func (w *Watch) changed(h hooks.Hook) map[string]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	changed := map[string]string{}
	for _, file := range scripts(h, w.root) {
		// A program that was not there may replace one that was loaded.
		was, known := w.files[file]
		if now := fileState(file); known && was != now || !known && isCode(file) {
			changed[file] = now
		}
	}
	return changed
}

// names returns the files of states, relative to the project and sorted.
func (w *Watch) names(states map[string]string) []string {
	var names []string
	for file := range states {
		names = append(names, relative(w.root, file))
	}
	slices.Sort(names)
	return names
}

// refused reports whether the user has said no to h with the files as they are.
func (w *Watch) refused(h hooks.Hook, states map[string]string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for file, state := range states {
		if w.no[h.ID()+"\x00"+file] != state {
			return false
		}
	}
	return true
}

// Ran records the files that h, which has just run, may have written itself, such as a
// log or a counter that its command names. Programs are not recorded anew. A nil Watch
// does nothing.
func (w *Watch) Ran(h hooks.Hook) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, file := range scripts(h, w.root) {
		if !w.code[file] && !isCode(file) {
			w.files[file] = fileState(file)
		}
	}
}

// isCode reports whether a file is a program by its name, its mode or its first line.
func isCode(path string) bool {
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o111 != 0 || slices.Contains(programSuffixes, filepath.Ext(path)) {
		return true
	}
	f, err := boundedfile.Open(path)
	if err != nil {
		return true
	}
	defer f.Close()
	begin := make([]byte, 2)
	_, err = io.ReadFull(f, begin)
	return err == nil && string(begin) == "#!"
}

// fileState returns a text that changes when the file does.
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
