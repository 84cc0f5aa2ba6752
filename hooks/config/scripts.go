package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"minigem/hooks"
	"minigem/internal/text"
	"minigem/tools/policy/shell"
)

// maxNesting bounds commands within commands: bash -c "bash -c '...'".
const maxNesting = 4

// Scripts returns the files under root that h's command names, and the files that those
// load, as far as their text shows it. Their contents count for trust. Paths are
// absolute if root is, clean and sorted; some may be symbolic links. Nothing is run.
// Changes to h or to its command's text may change the result; changes to other files
// do not, unless they are loaded.
func Scripts(h hooks.Hook, root string) []string { return scripts(h, root) }

// scripts returns the files under root that h's command names, sorted: every word of it
// that is the path of an existing file, also after an =. Paths are relative to root or
// to a directory that the command changes to with cd. Files that it only writes to do not
// count. Words within words are found ("bash -c './x.sh'"), and what only the shell can
// know, such as $(pwd) at the start of a path, is taken to be root. The files that these
// files load are added; see withLoaded. The search errs on the side of one file too many,
// about which the user is asked.
func scripts(h hooks.Hook, root string) []string {
	s := scriptSearch{bases: []string{root}, vars: map[string]string{
		"GEMINI_PROJECT_DIR": root, "GEMINI_CWD": root, "CLAUDE_PROJECT_DIR": root, "PWD": root,
	}}
	for name, value := range h.Env {
		s.vars[name] = os.Expand(value, func(of string) string { return s.vars[of] })
	}
	s.command(h.Line(), 0)
	var files []string
	for _, word := range s.words {
		for _, base := range s.bases {
			path := word
			if !filepath.IsAbs(path) {
				path = filepath.Join(base, word)
			}
			if inside(root, path) && regular(path) {
				files = append(files, filepath.Clean(path))
			}
		}
	}
	files = withLoaded(files, s.words, root)
	slices.Sort(files)
	return slices.Compact(files)
}

// inside reports whether path is inside root, with root's symbolic links resolved or not.
func inside(root, path string) bool {
	if text.Inside(root, path) {
		return true
	}
	real, err := filepath.EvalSymlinks(root)
	return err == nil && text.Inside(real, path)
}

// regular reports whether path is a regular file, or a link to one.
func regular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// scriptSearch collects the words of a command that may be paths.
type scriptSearch struct {
	bases []string // directories that relative paths may start from
	vars  map[string]string
	words []string
}

// command collects the words of a command, to a depth of maxNesting. It follows
// assignments and cd.
func (s *scriptSearch) command(command string, depth int) {
	file, err := shell.Syntax(command, syntax.LangBash)
	if err != nil { // PowerShell, or a slip: its words as they are
		for word := range strings.FieldsSeq(command) {
			s.word(strings.Trim(word, `"';&|()`), maxNesting)
		}
		return
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil && n.Value != nil {
				if value, ok := s.literal(n.Value.Parts, false); ok {
					s.vars[n.Name.Value] = value
				}
			}
		case *syntax.CallExpr:
			s.changeDir(n)
		case *syntax.Redirect:
			return !writes(n.Op) || substitutes(n.Word)
		case *syntax.Word:
			if word, ok := s.literal(n.Parts, false); ok {
				s.word(word, depth)
			}
		}
		return true
	})
}

// writes reports whether a redirection only writes to what it names: a log that
// grows with every run is not a script.
func writes(op syntax.RedirOperator) bool {
	switch op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
		return true
	}
	return false
}

// substitutes reports whether w runs a command: >(sh log.sh).
func substitutes(w *syntax.Word) bool {
	found := false
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.ProcSubst, *syntax.CmdSubst:
			found = true
		}
		return true
	})
	return found
}

// word records a possible path, and parses a word that may be a command itself.
func (s *scriptSearch) word(word string, depth int) {
	s.words = append(s.words, word)
	if _, after, found := strings.Cut(word, "="); found {
		s.words = append(s.words, after)
	}
	if depth < maxNesting && strings.ContainsAny(word, " \t\n;&|") {
		s.command(word, depth+1)
	}
}

// changeDir adds the directory of a cd or pushd to the bases of relative paths. The old
// ones stay, because the command may not get there.
func (s *scriptSearch) changeDir(call *syntax.CallExpr) {
	if len(call.Args) != 2 {
		return
	}
	name, _ := s.literal(call.Args[0].Parts, false)
	dir, ok := s.literal(call.Args[1].Parts, false)
	if !ok || name != "cd" && name != "pushd" {
		return
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(s.bases[len(s.bases)-1], dir)
	}
	s.bases = append(s.bases, dir)
}

// literal returns what the shell will make of a word, or false if that cannot be known.
func (s *scriptSearch) literal(parts []syntax.WordPart, quoted bool) (string, bool) {
	var b strings.Builder
	for i, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(unescape(p.Value, quoted))
			continue
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
			continue
		case *syntax.DblQuoted:
			text, ok := s.literal(p.Parts, true)
			if !ok {
				return "", false
			}
			b.WriteString(text)
			continue
		case *syntax.ParamExp:
			if value, ok := s.vars[p.Param.Value]; ok {
				b.WriteString(value)
				continue
			}
		}
		if i > 0 { // $(pwd)/x is a path, x-$(date) is anything
			return "", false
		}
		b.WriteString(s.bases[0])
	}
	return b.String(), true
}

// unescape removes the backslashes that the shell would.
func unescape(s string, quoted bool) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && (!quoted || strings.IndexByte("$`\"\\", s[i+1]) >= 0) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
