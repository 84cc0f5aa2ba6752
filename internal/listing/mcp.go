package listing

import (
	"fmt"
	"strings"

	"minigem/internal/app"
	"minigem/internal/mcp/fleet"
	"minigem/internal/output"
	"minigem/internal/text"
)

// ListedMCP is one server in the settings.
type ListedMCP struct {
	Name   string `json:"name"`
	Target string `json:"target"` // its command line, or its URL without passwords
	Type   string `json:"type"`   // stdio, http or sse
	Status string `json:"status"` // Connected, Disconnected, Starting, Disabled or Blocked
	Why    string `json:"why,omitempty"`
}

// ListedMCPServers describes the servers in Gemini CLI's terms
// (cli/commands/mcp/list.ts), with the reason if one is not connected. Secrets are
// masked.
func ListedMCPServers(c *app.Configuration, statuses []fleet.Status) []ListedMCP {
	out := []ListedMCP{}
	for _, s := range statuses {
		l := ListedMCP{Name: s.Name, Type: s.Kind(), Target: c.Masker.String(s.Target()), Status: "Connected", Why: s.Off}
		switch {
		case s.Blocked:
			l.Status = "Blocked"
		case s.Off != "":
			l.Status = "Disabled"
		case s.Starting:
			l.Status = "Starting"
		case s.Err != nil:
			l.Status, l.Why = "Disconnected", s.Err.Error()
		}
		out = append(out, l)
	}
	return out
}

var mcpMarks = map[string]string{"Connected": "✓", "Disconnected": "✗", "Starting": "…", "Disabled": "○",
	"Blocked": "⛔"}

// WriteMCP lists servers for people or for programs.
func WriteMCP(sys *app.System, servers []ListedMCP, asJSON bool) error {
	if asJSON {
		return output.WriteJSON(sys.Stdout, struct {
			Servers []ListedMCP `json:"servers"`
		}{servers})
	}
	if len(servers) == 0 {
		_, err := fmt.Fprintln(sys.Stdout, "No MCP servers configured.")
		return err
	}
	var b strings.Builder
	b.WriteString("Configured MCP servers:\n\n")
	for _, s := range servers {
		fmt.Fprintf(&b, "%s %s: %s (%s) - %s\n", mcpMarks[s.Status], text.VisibleLine(s.Name), text.VisibleLine(s.Target),
			s.Type, s.Status)
		if s.Why != "" {
			fmt.Fprintf(&b, "    %s\n", text.VisibleLine(s.Why))
		}
	}
	_, err := fmt.Fprint(sys.Stdout, b.String())
	return err
}
