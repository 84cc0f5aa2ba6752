// Package condition decides whether a hook's condition holds for a call: "if" in
// its entry, one of Claude Code's permission rules, such as Bash(git *).
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

// A hook's condition, "if", is one of Claude Code's permission rules: a tool, and
// in parentheses what its call has to be, such as Bash(git *) or Edit(src/**). It
// only ever keeps a hook from running: a condition that cannot be decided is met.
var rule = regexp.MustCompile(`^([\w*-]+)(?:\((.*)\))?$`)

// Valid reports whether a condition can be read. One that cannot holds for every call.
func Valid(condition string) bool { return rule.MatchString(condition) }

// Rules implements [hooks.Conditions].
type Rules struct{}

// Unmet implements [hooks.Conditions].
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
	// What lies below a folder that is searched or listed may be meant, too.
	if file, ok := args["file_path"].(string); ok && !fileLike(file, what, c.Origin) {
		return no
	}
	if host, ok := strings.CutPrefix(what, "domain:"); ok {
		prompt, _ := args["prompt"].(string)
		// a host has several spellings then
		other := strings.ContainsFunc(prompt, func(r rune) bool { return r > unicode.MaxASCII })
		if !other && !strings.Contains(strings.ToLower(prompt), strings.ToLower(strings.TrimPrefix(host, "*."))) {
			return no
		}
	}
	return ""
}

// runsLike reports whether any command that a command line runs is as the pattern
// says, where * is anything, or may be.
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

// fits reports whether words of a command, of which some may not be known, may
// be those of a pattern.
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

func like(pattern, command string) bool {
	command = strings.TrimSpace(command)
	bare, more := strings.CutSuffix(pattern, " *")
	return glob(pattern, command) || more && glob(bare, command)
}

// glob: * is anything, and nothing else is special.
func glob(pattern, s string) bool {
	parts := strings.Split(pattern, "*")
	for i, p := range parts {
		parts[i] = regexp.QuoteMeta(p)
	}
	ok, err := regexp.MatchString(`(?s)^`+strings.Join(parts, ".*")+`$`, s)
	return ok || err != nil
}

// fileLike reports whether a file, as it is named or where links lead, is one of
// a pattern as in .gitignore: //x is absolute, ~/x in the home, /x and what has
// another slash in the project, and the rest at any depth. A folder stands for
// all that is in it.
func fileLike(file, pattern string, o hooks.Origin) bool {
	if !filepath.IsAbs(file) {
		file = o.Cwd + string(filepath.Separator) + file // not joined: ".." follows links
	}
	real, err := workspace.Follow(file)
	return err != nil || pathLike(filepath.Clean(file), pattern, o) || pathLike(real, pattern, o)
}

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

var special = regexp.MustCompile(`[\\*?\[\]{}]`)

func escapeGlob(s string) string { return special.ReplaceAllString(s, `\$0`) }
