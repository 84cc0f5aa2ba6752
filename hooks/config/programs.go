package config

// What can be seen of a command without running it.

import (
	"path/filepath"
	"slices"
	"strings"

	"minigem/hooks"
	"mvdan.cc/sh/v3/syntax"
)

// Program is one program that a command starts, and its arguments. A word that only
// the shell can know is empty.
type Program struct {
	Words []string
	Line  int // in the command, from 1
}

// Calls are the programs that h's command starts, in the order of its text; the
// functions that it defines are left out. dir is the working directory of hooks,
// vars are the variables that are known beforehand, beside those that every hook
// has. nil: the command is nothing that a POSIX shell or bash can read.
func Calls(h hooks.Hook, dir string, vars map[string]string) []Program {
	file, err := syntax.NewParser().Parse(strings.NewReader(h.Line()), "")
	if err != nil {
		return nil
	}
	s := searchIn(h, dir, vars)
	calls := []Program{}
	functions := map[string]bool{}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.FuncDecl:
			functions[n.Name.Value] = true
		case *syntax.Assign:
			if n.Name != nil && n.Value != nil {
				if value, ok := s.literal(n.Value.Parts, false); ok && s.knowable(n.Value) {
					s.vars[n.Name.Value] = value
				} else {
					delete(s.vars, n.Name.Value)
				}
			}
		case *syntax.CallExpr:
			if c := s.call(n); len(c.Words) > 0 && !functions[c.Words[0]] {
				calls = append(calls, c)
			}
		}
		return true
	})
	return calls
}

func (s *scriptSearch) call(n *syntax.CallExpr) Program {
	c := Program{Line: int(n.Pos().Line())}
	for _, arg := range n.Args {
		word := ""
		if s.knowable(arg) {
			word, _ = s.literal(arg.Parts, false)
		}
		c.Words = append(c.Words, s.home(word))
	}
	return c
}

// knowable: the word holds nothing that only a run can tell. What literal takes
// to be a directory is a guess, good enough for watching files alone. A variable
// that the command does not set comes from an environment that is not here.
func (s *scriptSearch) knowable(w *syntax.Word) bool {
	known := true
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst, *syntax.ArithmExp, *syntax.ProcSubst:
			known = false
		case *syntax.ParamExp:
			_, set := s.vars[n.Param.Value]
			known = known && set
		}
		return known
	})
	return known
}

// FilesNamed are the files that h's command names, wherever they lie, sorted.
// dir and vars are those of Calls.
func FilesNamed(h hooks.Hook, dir string, vars map[string]string) []string {
	s := searchIn(h, dir, vars)
	s.command(h.Line(), 0)
	var files []string
	for _, word := range s.words {
		word = s.home(word)
		for _, base := range s.bases {
			path := word
			if !filepath.IsAbs(path) {
				path = filepath.Join(base, word)
			}
			if regular(path) {
				files = append(files, filepath.Clean(path))
			}
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// home is word with ~ as the shell expands it.
func (s *scriptSearch) home(word string) string {
	if rest, ok := strings.CutPrefix(word, "~/"); ok && s.vars["HOME"] != "" {
		return filepath.Join(s.vars["HOME"], rest)
	}
	return word
}

func searchIn(h hooks.Hook, dir string, vars map[string]string) *scriptSearch {
	s := &scriptSearch{bases: []string{dir}, vars: map[string]string{
		"GEMINI_PROJECT_DIR": dir, "GEMINI_CWD": dir, "CLAUDE_PROJECT_DIR": dir, "PWD": dir,
	}}
	for _, more := range []map[string]string{vars, h.Env} {
		for name, value := range more {
			s.vars[name] = value
		}
	}
	return s
}
