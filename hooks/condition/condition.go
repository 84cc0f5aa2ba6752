// Package condition decides whether a hook's condition holds for a call. A condition is
// "if" in the hook's entry, one of Claude Code's permission rules: a tool, and in
// parentheses what its call must be.
//
//	Bash(git *)          a command; any command of a line, also in a pipe or with &&
//	Edit(src/**)         a file, as in .gitignore; //x is absolute, ~/x in the home
//	WebFetch(domain:x)   a host in the prompt
//	mcp__server          any tool of an MCP server
//
// A condition only ever keeps a hook from running, so one that cannot be decided holds.
package condition

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/bmatcuk/doublestar/v4"

	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/tools/policy/shell"
	"minigem/tools/workspace"
)

// rule matches a condition: a tool and, in parentheses, what its call must be.
var rule = regexp.MustCompile(`^([\w*-]+)(?:\((.*)\))?$`)

// Valid reports whether a condition can be parsed. One that cannot holds for every call.
func Valid(condition string) bool { return rule.MatchString(condition) }

// Rules implements [hooks.Conditions]. The zero Rules is ready to use, and safe for
// concurrent use.
type Rules struct{}

// Unmet implements [hooks.Conditions]. A condition holds if it is empty or cannot be
// parsed, and if it names the tool by any of its names and the arguments are unknown.
// Edit also means Write, and Read also means read_many_files and grep_search. A command
// line that cannot be parsed meets every Bash condition.
func (Rules) Unmet(condition string, c hooks.Call) string {
	args := c.Args
	condition = strings.TrimSpace(condition)
	if condition == "" {
		return ""
	}
	m := rule.FindStringSubmatch(condition)
	if m == nil {
		return ""
	}
	no := fmt.Sprintf("its condition %s does not hold", condition)
	tool, what := m[1], strings.TrimSpace(m[2])
	names := protocol.Claude().MatcherNames(c.Tool)
	if c.MCP != nil {
		names = append(names, "mcp__"+c.MCP.ServerName+"__"+c.MCP.ToolName, "mcp__"+c.MCP.ServerName)
	}
	if slices.Contains(names, "Write") {
		names = append(names, "Edit") // rules for edits are for all tools that edit
	}
	if slices.Contains(names, "Grep") || slices.Contains(names, "read_many_files") {
		names = append(names, "Read") // and rules for reads for all that return what is in files
	}
	if !slices.ContainsFunc(names, func(n string) bool { return glob(tool, n) }) {
		return no
	}
	if what == "" || what == "*" || args == nil {
		return ""
	}
	if command, ok := args["command"].(string); ok && c.Tool == "run_shell_command" {
		if runsLike(command, what) {
			return ""
		}
		return no
	}
	// A pattern may also mean what is below a folder that is searched or listed.
	if file, ok := args["file_path"].(string); ok && !fileLike(file, what, c.Origin) {
		return no
	}
	if host, ok := strings.CutPrefix(what, "domain:"); ok {
		prompt, _ := args["prompt"].(string)
		// With other characters than ASCII a host has several spellings.
		other := strings.ContainsFunc(prompt, func(r rune) bool { return r > unicode.MaxASCII })
		if !other && !strings.Contains(strings.ToLower(prompt), strings.ToLower(strings.TrimPrefix(host, "*."))) {
			return no
		}
	}
	return ""
}

// runsLike reports whether any command that a command line runs matches the pattern, or
// may match it. * in the pattern stands for anything.
func runsLike(line, pattern string) bool {
	if prefix, ok := strings.CutSuffix(pattern, ":*"); ok {
		pattern = prefix + " *" // the older form
	}
	parsed, err := shell.Parse(line)
	if err != nil {
		return true
	}
	words := strings.Fields(pattern)
	return like(pattern, line) || parsed.May(words) || slices.ContainsFunc(parsed.Commands, func(c shell.Command) bool {
		return like(pattern, c.Source) || like(pattern, c.Text()) || fits(words, c.Words) || fits(words, c.Normal())
	})
}

// fits reports whether a command's words, some of which may be unknown, may match a
// pattern's.
func fits(pattern []string, words []shell.Word) bool {
	for i, p := range pattern {
		last := i == len(pattern)-1
		switch {
		case last && p == "*":
			return true
		case i >= len(words):
			return false
		case !words[i].Known:
			return true
		case !last && strings.Contains(p, "*"):
			return slices.ContainsFunc(words[i:], func(w shell.Word) bool { return !w.Known })
		case !glob(p, words[i].Text):
			return false
		case last && strings.HasSuffix(p, "*"):
			return true
		}
	}
	return len(words) == len(pattern)
}

// like reports whether a command matches a pattern. "git *" also matches "git" alone.
func like(pattern, command string) bool {
	command = strings.TrimSpace(command)
	bare, more := strings.CutSuffix(pattern, " *")
	return glob(pattern, command) || more && glob(bare, command)
}

// glob reports whether s matches pattern, in which only * is special.
func glob(pattern, s string) bool {
	parts := strings.Split(pattern, "*")
	for i, p := range parts {
		parts[i] = regexp.QuoteMeta(p)
	}
	ok, err := regexp.MatchString(`(?s)^`+strings.Join(parts, ".*")+`$`, s)
	return ok || err != nil
}

// fileLike reports whether a file, as it is named or with links resolved, matches a
// pattern as in .gitignore: //x is absolute, ~/x in the home, /x and patterns with
// another slash are in the project, and the rest matches at any depth. A folder includes
// everything in it.
func fileLike(file, pattern string, o hooks.Origin) bool {
	if !filepath.IsAbs(file) {
		file = o.Cwd + string(filepath.Separator) + file // not joined: ".." follows links
	}
	real, err := workspace.Follow(file)
	return err != nil || pathLike(filepath.Clean(file), pattern, o) || pathLike(real, pattern, o)
}

// pathLike reports whether a path matches a pattern, relative to the project or the
// working directory, with the links of these resolved or not. A pattern that cannot be
// parsed matches.
func pathLike(file, pattern string, o hooks.Origin) bool {
	file = filepath.ToSlash(file)
	bases := []string{o.ProjectDir, o.Cwd}
	switch {
	case strings.HasPrefix(pattern, "//"):
		pattern, bases = pattern[1:], []string{""}
	case strings.HasPrefix(pattern, "~/") && o.Home != "":
		pattern, bases = pattern[2:], []string{o.Home}
	case !strings.Contains(strings.TrimSuffix(pattern, "/"), "/"):
		pattern, bases = "**/"+pattern, []string{""}
	}
	pattern = strings.TrimSuffix(strings.TrimPrefix(pattern, "./"), "/")
	for _, base := range bases {
		if real, err := workspace.Follow(base); err == nil && real != base {
			bases = append(bases, real)
		}
	}
	for _, base := range bases {
		whole := path.Join(escapeGlob(filepath.ToSlash(base)), "/", pattern)
		for _, p := range []string{whole, whole + "/**"} {
			if ok, err := doublestar.Match(p, file); ok || err != nil {
				return true
			}
		}
	}
	return false
}

// special matches the characters that are special in patterns.
var special = regexp.MustCompile(`[\\*?\[\]{}]`)

// escapeGlob returns the pattern that matches only s.
func escapeGlob(s string) string { return special.ReplaceAllString(s, `\$0`) }
