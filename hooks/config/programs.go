package config

// What a command's text shows without running it.

import (
	"path/filepath"
	"slices"
	"strings"

	"minigem/hooks"
	"mvdan.cc/sh/v3/syntax"
)

// Program is one program that a command starts.
type Program struct {
	// Words are the program and its arguments, expanded. A word that only a running shell
	// can know is empty.
	Words []string
	// Line is the line in the command, from 1.
	Line int
}

// Calls returns the programs that h's command starts, in the order of its text, without
// calls of functions that it defined before. dir is the working directory of hooks.
// vars are variables with known values, in addition to those that every hook has. It
// returns nil if the command is not valid for a POSIX shell or bash, and an empty slice
// if it starts nothing. Calls in branches that are never taken count too.
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

// call returns the program and arguments of a call, with unknown words left empty.
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

// knowable reports whether the word's value is known without running the command. What
// literal takes for a directory is a guess, good enough only for watching files. A
// variable that the command does not set comes from an environment that is not known.
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

// FilesNamed returns the existing files that h's command names, inside the project or
// not, as sorted, clean paths. dir and vars are as in [Calls]. [Scripts] is for the
// files that trust depends on. It returns nil if the command names none. Folders and
// devices are not among them.
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

// home expands a leading ~ in word as the shell does.
func (s *scriptSearch) home(word string) string {
	if rest, ok := strings.CutPrefix(word, "~/"); ok && s.vars["HOME"] != "" {
		return filepath.Join(s.vars["HOME"], rest)
	}
	return word
}

// searchIn returns a search for h's command that knows the variables of every hook, vars
// and the hook's own.
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
