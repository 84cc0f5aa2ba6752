package protocol

import (
	"fmt"
	"slices"

	"minigem/internal/text"
)

// values reads single values of an answer. Its methods return what they could read, and
// add a warning for what they had to ignore. path says where a value is, such as
// "hookSpecificOutput.llm_request.model".
type values struct{ warnings []string }

// warn adds a warning. After maxWarnings it only notes that there are more.
func (vs *values) warn(format string, args ...any) {
	switch {
	case len(vs.warnings) < maxWarnings:
		vs.warnings = append(vs.warnings, fmt.Sprintf(format, args...))
	case len(vs.warnings) == maxWarnings:
		vs.warnings = append(vs.warnings, "there are more warnings")
	}
}

// wrong warns about a value of the wrong type or out of range.
func (vs *values) wrong(path, want string, v any) {
	vs.warn("%s ignored: it must be %s, not %s", path, want, shown(v))
}

// str reads a string; "" with a warning for anything else.
func (vs *values) str(path string, v any) string {
	s, ok := v.(string)
	if !ok {
		vs.wrong(path, "a string", v)
	}
	return s
}

// boolean reads a boolean; ok is false, with a warning, for anything else.
func (vs *values) boolean(path string, v any) (value, ok bool) {
	value, ok = v.(bool)
	if !ok {
		vs.wrong(path, "true or false", v)
	}
	return value, ok
}

// obj reads an object; nil with a warning for anything else.
func (vs *values) obj(path string, v any) map[string]any {
	m, ok := v.(map[string]any)
	if !ok {
		vs.wrong(path, "an object", v)
	}
	return m
}

// rest warns about the keys of m that are not in known.
func (vs *values) rest(path string, m map[string]any, known ...string) {
	var odd []string
	for k := range m {
		if !slices.Contains(known, k) {
			odd = append(odd, k)
		}
	}
	slices.Sort(odd)
	for _, k := range odd[:min(len(odd), maxWarnings+1)] {
		if n := text.Nearest(k, known); n != "" {
			vs.warn("unknown field %s.%s: did you mean %q?", path, k, n)
		} else {
			vs.warn("unknown field %s.%s", path, k)
		}
	}
}
