package hooks

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/tidwall/gjson"
	"mvdan.cc/sh/v3/syntax"

	"minigem/hooks/protocol"
	"minigem/internal/bashsyntax"
)

// A hook's condition, "if", is one of Claude Code's permission rules: a tool, and
// in parentheses what its call has to be, such as Bash(git *) or Edit(src/**). It
// only ever keeps a hook from running: a condition that cannot be decided is met.
var rule = regexp.MustCompile(`^([\w*-]+)(?:\((.*)\))?$`)

// unmet says why a hook with the condition does not run for a call; empty: it is
// met. args are nil where they are unknown.
func unmet(condition string, s subject, args map[string]any, o Origin) string {
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
	names := protocol.Claude().MatcherNames(s.name)
	if s.mcp != nil {
		names = append(names, "mcp__"+s.mcp.ServerName+"__"+s.mcp.ToolName, "mcp__"+s.mcp.ServerName)
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
	if command, ok := args["command"].(string); ok && s.name == "run_shell_command" {
		if runsLike(command, what) {
			return ""
		}
		return no
	}
	for _, name := range []string{"file_path", "dir_path", "path"} {
		if file, ok := args[name].(string); ok {
			if fileLike(file, what, o) {
				return ""
			}
			return no
		}
	}
	if host, ok := strings.CutPrefix(what, "domain:"); ok {
		prompt, _ := args["prompt"].(string)
		if !strings.Contains(strings.ToLower(prompt), strings.ToLower(strings.TrimPrefix(host, "*."))) {
			return no
		}
	}
	return ""
}

// unmet says why hook i does not run, given what the ones before it left.
func (f *firing[S]) unmet(i int, stdin Payload) string {
	condition := f.report.Runs[i].Hook.If
	if condition == "" || f.player != nil {
		return ""
	}
	args, _ := gjson.GetBytes(stdin.Bytes(), "tool_input").Value().(map[string]any)
	return unmet(condition, f.ev.subject, args, f.origin)
}

// runsLike reports whether any command in a command line is as the pattern says:
// * is anything. A line that cannot be taken apart may be.
func runsLike(line, pattern string) bool {
	if prefix, ok := strings.CutSuffix(pattern, ":*"); ok {
		pattern = prefix + " *" // the older form
	}
	f, err := bashsyntax.Parse(line, syntax.LangBash)
	if err != nil {
		return true
	}
	found := like(pattern, line)
	syntax.Walk(f, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			from, to := call.Args[0].Pos().Offset(), call.Args[len(call.Args)-1].End().Offset()
			found = found || like(pattern, line[from:to]) || unsure(call)
		}
		return !found
	})
	return found
}

// unsure: which program it is shows only when it runs.
func unsure(call *syntax.CallExpr) bool {
	return call.Args[0].Lit() == ""
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

// fileLike reports whether a file is one of a pattern as in .gitignore: //x is
// absolute, ~/x in the home, /x and what has another slash in the project, and
// the rest at any depth. A folder stands for all that is in it.
func fileLike(file, pattern string, o Origin) bool {
	if !filepath.IsAbs(file) {
		file = filepath.Join(o.Cwd, file)
	}
	file = filepath.ToSlash(filepath.Clean(file))
	bases := []string{o.ProjectDir, o.Cwd}
	switch home, err := os.UserHomeDir(); {
	case strings.HasPrefix(pattern, "//"):
		pattern, bases = pattern[1:], []string{""}
	case strings.HasPrefix(pattern, "~/") && err == nil:
		pattern, bases = pattern[2:], []string{home}
	case !strings.Contains(strings.TrimSuffix(pattern, "/"), "/"):
		pattern, bases = "**/"+pattern, []string{""}
	}
	pattern = strings.TrimSuffix(strings.TrimPrefix(pattern, "./"), "/")
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
