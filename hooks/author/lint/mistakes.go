package lint

import (
	"path/filepath"
	"regexp"
	"strings"

	"minigem/hooks"
	"minigem/hooks/agents"
	"minigem/hooks/author/program"
	"minigem/hooks/config"
	"minigem/hooks/protocol"
)

// What programs look for and never find: variables that no agent sets, fields that no
// payload has; and JSON that is made without escaping, arguments that no hook gets, and
// comparisons with a tool's name.
var (
	neverSet = regexp.MustCompile(
		`\$\{?((?:CLAUDE|GEMINI)_(?:TOOL|FILE|HOOK|EVENT|INPUT|COMMAND|PROMPT|NOTIFICATION|OUTPUT)\w*|` +
			`TOOL_NAME|TOOL_INPUT|TOOL_OUTPUT|STDIN_JSON|HOOK_INPUT)\b`)
	neverThere = regexp.MustCompile(
		`\bjq\b[^|;]*?['"\s(](\.(?:arguments|tool_args|tool_arguments|toolName|toolArgs|tool\.name|` +
			`tool_input\.(?:path|filepath|filename|cmd)|llm_request\.contents|llm_request\.messages\[[^]]*\]\.parts)\b)`)
	neverKeys  = regexp.MustCompile(`(llm_request['"\[\]).get(\s]+(?:contents|systemInstruction|system_instruction)\b)`)
	inJSON     = regexp.MustCompile(`\b(?:echo|printf)\b[^|;#]*"\{[^|;#]*\\"[^"\\]*\$\{?(\w+)`)
	argument   = regexp.MustCompile(`"\$\{?([1-9])\b|=\$\{?([1-9])\b`)
	comparison = regexp.MustCompile(`(?i)\btool_?name\b[^#\n]{0,40}?(?:==?=?|\bin\b|!=)\s*\(?\[?["']?([A-Za-z_]+)`)
)

// search visits the lines of a program, without comments. It returns the first fact
// that visit finds, or nil.
func search(f program.Facts, visit func(n int, line string) *program.Fact) *program.Fact {
	n := 0
	for line := range strings.Lines(f.Text) {
		n++
		if t := strings.TrimSpace(line); strings.HasPrefix(t, "#") || strings.HasPrefix(t, "//") {
			continue
		}
		if fact := visit(n, line); fact != nil {
			return fact
		}
	}
	return nil
}

// unsetVariable finds a variable that looks like an agent's but is set neither by an
// agent nor by the program.
func unsetVariable(h hooks.Hook, f program.Facts) *program.Fact {
	if f.Lang != program.Shell {
		return nil
	}
	return search(f, func(n int, line string) *program.Fact {
		for _, m := range neverSet.FindAllStringSubmatch(line, -1) {
			if _, set := h.Env[m[1]]; !set && !assigned(f.Text, m[1]) && !assigned(h.Line(), m[1]) {
				return &program.Fact{Line: n, Text: m[1]}
			}
		}
		return nil
	})
}

// assigned reports whether a shell program sets the variable itself.
func assigned(text, name string) bool {
	return regexp.MustCompile(`(?m)(?:^|[\s;({&|])` + name + `\+?=|\b(?:read|for|mapfile|readarray)\b[^\n;]*\b` + name +
		`\b`).MatchString(text)
}

// noSuchField finds a field that jq reads and no payload has. A field with an
// alternative after // is meant for other agents.
func noSuchField(_ hooks.Hook, f program.Facts) *program.Fact {
	return search(f, func(n int, line string) *program.Fact {
		if f.Lang != program.Shell {
			if m := neverKeys.FindStringSubmatch(line); m != nil && !strings.Contains(line, " or ") {
				return &program.Fact{Line: n, Text: m[1]}
			}
			return nil
		}
		if m := neverThere.FindStringSubmatch(line); m != nil && !strings.Contains(line, "//") {
			return &program.Fact{Line: n, Text: m[1]}
		}
		return nil
	})
}

// foreignTool finds a program that knows only other agents' tool names, or only the
// display names of tools.
func foreignTool(h hooks.Hook, f program.Facts) *program.Fact {
	if !h.Event.IsTool() {
		return nil
	}
	own, other := toolNames(h.Dialect)
	var found *program.Fact
	knows := false
	search(f, func(n int, line string) *program.Fact {
		for _, m := range comparison.FindAllStringSubmatch(line, -1) {
			if other[m[1]] && found == nil {
				found = &program.Fact{Line: n, Text: m[1]}
			}
		}
		for name := range own {
			knows = knows || strings.Contains(line, name)
		}
		return nil
	})
	if knows {
		return nil
	}
	return found
}

// toolNames returns the tool names of a dialect, and the names that tools have only in
// other agents.
func toolNames(d string) (own, other map[string]bool) {
	own, other = map[string]bool{}, map[string]bool{}
	for ours, claudes := range protocol.Claude().Tools {
		own[ours], other[claudes] = true, true
	}
	if d == "claude" {
		return other, own
	}
	for _, name := range config.BuiltinTools() {
		own[name] = true
	}
	for _, class := range protocol.ClassNames {
		other[class], other[strings.TrimSuffix(class, "Tool")] = true, true
	}
	for _, shown := range []string{"ReadFolder", "FindFiles", "SearchText", "GoogleSearch", "SaveMemory", "WriteTodos"} {
		other[shown] = true
	}
	for _, a := range agents.All() {
		for _, tool := range a.Tools {
			other[tool.Hook] = true
		}
	}
	for name := range own {
		delete(other, name)
	}
	return own, other
}

// unescaped finds a value that is put into JSON as it is. It looks at shell scripts
// only.
func unescaped(_ hooks.Hook, f program.Facts) *program.Fact {
	if f.Lang != program.Shell {
		return nil
	}
	return search(f, func(n int, line string) *program.Fact {
		if m := inJSON.FindStringSubmatch(line); m != nil {
			return &program.Fact{Line: n, Text: m[1]}
		}
		return nil
	})
}

// passes reports whether a command may pass arguments to a file that it runs.
func passes(command, file string) bool {
	i := strings.LastIndex(command, file)
	return i < 0 || strings.Trim(command[i+len(file):], "\"' ") != "" || strings.Contains(command, "xargs")
}

// noArgument finds a use of an argument that the command does not pass. Programs with
// functions are skipped, because there it may be the function's argument.
func noArgument(h hooks.Hook, f program.Facts) *program.Fact {
	if f.Lang != program.Shell || strings.Contains(f.Text, "()") || strings.Contains(f.Text, "function ") ||
		strings.Contains(f.Text, "set --") || f.Path != "" && passes(h.Line(), filepath.Base(f.Path)) {
		return nil
	}
	return search(f, func(n int, line string) *program.Fact {
		if strings.Contains(line, "awk") || strings.Contains(line, "-c '") {
			return nil
		}
		if m := argument.FindStringSubmatch(line); m != nil {
			return &program.Fact{Line: n, Text: m[1] + m[2]}
		}
		return nil
	})
}
