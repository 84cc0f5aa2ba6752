package agents

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/google/uuid"
	"github.com/tidwall/gjson"

	"minigem/hooks/protocol"
)

// Values holds the names that an agent's templates can use at one event.
type Values struct {
	// Own holds the names of the agent's table. Their texts are templates themselves.
	Own map[string]any
	// Base holds the names that every agent has: session_id, cwd, tool, input and so on.
	// Their values are used as they are.
	Base map[string]any
}

// Payload fills a template, which must be a JSON object. An empty template returns nil.
func (v Values) Payload(template Template) map[string]any {
	filled, _ := v.Fill(gjson.Parse(string(template)).Value()).(map[string]any)
	return filled
}

// InOrder writes filled as JSON, with its names in the order of the template. Names that
// the template does not have are left out.
func InOrder(template Template, filled map[string]any) []byte {
	out := []byte("{")
	gjson.Parse(string(template)).ForEach(func(name, _ gjson.Result) bool {
		data, err := protocol.Encode(filled[name.String()])
		if err != nil {
			return true // unreachable: it came from JSON
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, name.Raw...), ':'), data...)
		return true
	})
	return append(out, '}')
}

// Dashed turns a path into a folder's name as agents do: all but ASCII letters and digits
// become "-".
func Dashed(path string) string {
	return strings.Map(func(c rune) rune {
		if c < 128 && (unicode.IsLetter(c) || unicode.IsDigit(c)) {
			return c
		}
		return '-'
	}, path)
}

// UUID returns the same id for the same parts each time. It is of version 5.
func UUID(parts ...string) string {
	return uuid.NewSHA1(uuid.Nil, []byte(strings.Join(parts, "\x00"))).String()
}

// placeholder matches a name in braces.
var placeholder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{([a-z_]+)\}`) })

// Fill replaces names in braces in template, at any depth. A text that is only one name
// becomes the value, whatever its type; within other text the value is printed. A name
// that is not known becomes nil.
func (v Values) Fill(template any) any { return v.fillIn(template, "") }

// fillIn implements Fill. within is the name whose template this is, so that the template
// cannot use itself.
func (v Values) fillIn(template any, within string) any {
	switch t := template.(type) {
	case string:
		if m := placeholder().FindStringSubmatch(t); m != nil && m[0] == t {
			return v.get(m[1], within)
		}
		return placeholder().ReplaceAllStringFunc(t, func(name string) string {
			return fmt.Sprint(v.get(strings.Trim(name, "{}"), within))
		})
	case []any:
		out := make([]any, len(t))
		for i := range t {
			out[i] = v.fillIn(t[i], within)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(t))
		for key, value := range t {
			out[key] = v.fillIn(value, within)
		}
		return out
	}
	return template
}

// get returns the value of a name, filling the agent's own templates.
func (v Values) get(name, within string) any {
	if own, ok := v.Own[name]; ok && name != within {
		return v.fillIn(own, name)
	}
	return v.Base[name]
}

// report returns what Gemini CLI and its forks report about a command.
func report(command, output string, exit int) string {
	if output == "" {
		output = "(empty)"
	}
	return fmt.Sprintf("Command: %s\nDirectory: (root)\nOutput: %s\nError: (none)\nExit Code: %d\nSignal: (none)\n"+
		"Process Group PGID: (none)", command, output, exit)
}

// numbered returns text with line numbers.
func numbered(text string) string {
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%d\t%s", i+1, line)
	}
	return b.String()
}

// hunkHead matches the first line of a hunk of a unified diff.
var hunkHead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@`)
})

// asText returns v, or its JSON if it is not a string.
func asText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	data, err := protocol.Encode(v)
	if err != nil {
		return "" // unreachable: it came from JSON
	}
	return string(data)
}

// texts returns the arguments as texts.
func texts(args map[string]any) map[string]any {
	out := map[string]any{}
	for name, value := range args {
		out[name] = asText(value)
	}
	return out
}

// hunks returns the hunks of a unified diff as objects. A new file has none.
func hunks(diff, kind string) []any {
	out := []any{}
	if kind == "create" {
		return out
	}
	var last map[string]any
	for line := range strings.SplitSeq(strings.TrimSuffix(diff, "\n"), "\n") {
		if m := hunkHead().FindStringSubmatch(line); m != nil {
			last = map[string]any{"oldStart": count(m[1]), "oldLines": count(m[2]), "newStart": count(m[3]),
				"newLines": count(m[4]), "lines": []any{}}
			out = append(out, last)
		} else if last != nil {
			lines, _ := last["lines"].([]any)
			last["lines"] = append(lines, line)
		}
	}
	return out
}

// count reads a number of lines in the head of a hunk, which may be missing for 1.
func count(digits string) int {
	if digits == "" {
		return 1
	}
	n, _ := strconv.Atoi(digits) // digits
	return n
}
