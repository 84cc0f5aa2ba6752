package portable

import "strings"

// fileChange describes what a patch does to one file.
type fileChange struct {
	path, content string // the file and, if it is written as a whole, its content
	before, after string // if it is changed, the texts before and after
	changes       bool
}

// readPatch splits the patch that Codex CLI's apply_patch takes. Text in an unknown form
// is returned as a change without a file, so that it is not lost.
func readPatch(text string) []fileChange {
	var all []fileChange
	at := -1
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if head, path, ok := patchHead(line); ok {
			all = append(all, fileChange{path: path, changes: head == "Update"})
			if head != "Move" || at < 0 { // what follows is still about the file that is moved
				at = len(all) - 1
			}
			continue
		}
		if at < 0 || line == "" {
			continue
		}
		now := &all[at]
		switch rest := line[1:] + "\n"; {
		case strings.HasPrefix(line, "*** ") || strings.HasPrefix(line, "@@"):
		case line[0] == '+' && now.changes:
			now.after += rest
		case line[0] == '+':
			now.content += rest
		case line[0] == '-':
			now.before += rest
		case line[0] == ' ':
			now.before, now.after = now.before+rest, now.after+rest
		}
	}
	if len(all) == 0 {
		all = []fileChange{{content: text}}
	}
	return all
}

// patchHead reads a line that begins a file. Deleting a file counts as emptying it, and
// the target of a move counts as a file that is written.
func patchHead(line string) (head, path string, ok bool) {
	for _, h := range []struct{ text, kind string }{
		{"*** Add File: ", "Add"}, {"*** Update File: ", "Update"}, {"*** Delete File: ", "Delete"},
		{"*** Move to: ", "Move"},
	} {
		if path, ok := strings.CutPrefix(line, h.text); ok {
			return h.kind, path, true
		}
	}
	return "", "", false
}
