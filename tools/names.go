package tools

import "strings"

// MCPName makes of s a part of a tool's name, mcp_<server>_<tool>: characters that
// names may not have are replaced (core/tools/mcp-tool.ts). ASCII letters, digits, "_",
// ".", ":" and "-" stay, and every other character becomes "_". Different names may
// become the same.
func MCPName(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("_.:-", r):
			return r
		}
		return '_'
	}, s)
}
