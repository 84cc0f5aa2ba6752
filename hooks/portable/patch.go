package portable

import "strings"

// fileChange is what a patch does to one file.
type fileChange struct {
	path, content string // of a file that is written
	before, after string // of one that is changed
	changes       bool
}

// readPatch takes apart the patch that apply_patch of Codex CLI takes. What is
// in no form that is known comes as a change of no file, so that it is not lost.
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

// patchHead reads a line that begins a file. A file that is deleted is one that
// is emptied, and where one is moved to is another that is written.
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
