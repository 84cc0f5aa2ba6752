package settings

import "strings"

// expand replaces variables in all strings below n, but not in keys, and not in
// "hooks": no text is substituted into hook commands (docs/spec/contract.md 5). It
// modifies n.
func expand(n *node, lookup func(string) (string, bool)) {
	for _, m := range n.members {
		if m.key != "hooks" {
			expandAll(m.value, lookup)
		}
	}
}

func expandAll(n *node, lookup func(string) (string, bool)) {
	if n.kind == scalar && n.isString() && strings.Contains(n.text, "$") {
		n.text = string(quote(Expand(n.str(), lookup)))
	}
	for _, m := range n.members {
		expandAll(m.value, lookup)
	}
	for _, it := range n.items {
		expandAll(it, lookup)
	}
}

// Expand replaces $VAR, ${VAR} and ${VAR:-default} in s. A variable that is not set is
// left as written. As in a shell, the default also replaces an empty value. The result
// is not expanded again.
func Expand(s string, lookup func(string) (string, bool)) string {
	var b strings.Builder
	closed := strings.LastIndexByte(s, '}') + 1 // no reference in braces begins after the last }
	from := len(s)
	for {
		at := strings.IndexByte(s, '$')
		if from-len(s)+max(at, 0) >= closed && strings.HasPrefix(s[max(at, 0):], "${") {
			b.WriteString(s[:at+2])
			s = s[at+2:]
			continue
		}
		if at < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:at])
		length, value, ok := variable(s[at:], lookup)
		if !ok {
			value = s[at : at+length]
		}
		b.WriteString(value)
		s = s[at+length:]
	}
}

// variable parses the reference at the start of s and returns its length.
func variable(s string, lookup func(string) (string, bool)) (length int, value string, ok bool) {
	if !strings.HasPrefix(s, "${") {
		n := nameLength(s[1:])
		if n == 0 {
			return 1, "", false
		}
		value, ok = lookup(s[1 : 1+n])
		return 1 + n, value, ok
	}
	end := 2 + nameLength(s[2:])
	name, rest := s[2:end], s[end:]
	if name == "" {
		return 2, "", false
	}
	fallback, hasFallback := strings.CutPrefix(rest, ":-")
	if hasFallback {
		end += 2 + strings.IndexByte(fallback, '}')
	}
	if end >= len(s) || s[end] != '}' {
		return 2, "", false
	}
	value, ok = lookup(name)
	if hasFallback && value == "" {
		return end + 1, s[2+len(name)+2 : end], true
	}
	return end + 1, value, ok
}

func nameLength(s string) int {
	for i := range len(s) {
		c := s[i]
		if c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || i > 0 && c >= '0' && c <= '9' {
			continue
		}
		return i
	}
	return len(s)
}
