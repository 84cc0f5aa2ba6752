package management

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// mcp is what to do for "mcp ARGS...".
func mcp(args []string) string {
	if len(args) == 0 {
		return ""
	}
	switch args[0] {
	case "add":
		return addServer(args[1:])
	case "add-json", "add-from-claude-desktop":
		return "write the server's object under \"mcpServers\" in ~/.gemini/settings.json"
	case "remove":
		return "take the server's entry out of \"mcpServers\" in ~/.gemini/settings.json or .gemini/settings.json"
	case "enable", "disable":
		return "name the server in, or take it out of, mcp.excluded in ~/.gemini/settings.json"
	}
	return ""
}

// A server is one entry of "mcpServers", in the order in which it is written.
type server struct {
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	URL     string            `json:"url,omitempty"`
	Type    string            `json:"type,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
}

// addServer says which lines "mcp add ARGS..." would write into which file.
func addServer(args []string) string {
	name, s, project := readServer(args)
	file := "~/.gemini/settings.json"
	if project {
		file = ".gemini/settings.json"
	}
	if name == "" {
		name, s = "NAME", server{Command: "PROGRAM", Args: []string{"ARGUMENT"}}
	}
	return fmt.Sprintf("write into %s: %s", file, encoded(map[string]any{"mcpServers": map[string]server{name: s}}))
}

func encoded(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("unreachable: maps of strings can be encoded: " + err.Error())
	}
	return strings.TrimSpace(b.String())
}

// options of "mcp add" that take a value, by what they are for. Others are
// left out of what is shown.
var valued = []string{"--scope", "-s", "--transport", "-t", "--env", "-e", "--header", "-H", "--timeout", "--description", "--include-tools", "--exclude-tools"}

// readServer reads "[options] <name> [--] <commandOrUrl> [args...]". What
// follows the command is the server's own.
func readServer(args []string) (name string, s server, project bool) {
	transport := ""
	for len(args) > 0 && (name == "" || s.Command == "") {
		arg := args[0]
		args = args[1:]
		option, value, joined := strings.Cut(arg, "=")
		switch {
		case arg == "--":
			continue
		case !strings.HasPrefix(arg, "-") && name == "":
			name = arg
			continue
		case !strings.HasPrefix(arg, "-"):
			s.Command = arg
			continue
		case !slices.Contains(valued, option):
			continue
		case !joined && len(args) > 0:
			value, args = args[0], args[1:]
		}
		switch option {
		case "--scope", "-s":
			project = value == "project"
		case "--transport", "-t":
			transport = value
		case "--env", "-e":
			s.Env = with(s.Env, value, "=")
		case "--header", "-H":
			s.Headers = with(s.Headers, value, ":")
		}
	}
	if s.Command == "" {
		return "", s, project
	}
	s.Args = args
	if strings.HasPrefix(s.Command, "https://") || strings.HasPrefix(s.Command, "http://") || transport == "http" || transport == "sse" {
		s.URL, s.Type, s.Command, s.Args = s.Command, transport, "", nil
	}
	return name, s, project
}

func with(m map[string]string, pair, separator string) map[string]string {
	if m == nil {
		m = map[string]string{}
	}
	name, value, _ := strings.Cut(pair, separator)
	m[strings.TrimSpace(name)] = strings.TrimSpace(value)
	return m
}
