// Package hif reads and writes the Hook Interchange Format of syllago (hooks/0.1),
// in JSON and in YAML: hooks in words of no agent, and what they answer. What of it is
// known here is what was measured beside it; other keys are left alone.
package hif

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Spec is the version that is written.
const Spec = "hooks/0.1"

// Document is a file of hooks.
type Document struct {
	Spec  string `json:"spec"`
	Hooks []Hook `json:"hooks"`
}

// Hook is one of them.
type Hook struct {
	Name    string   `json:"name,omitempty"`
	Event   string   `json:"event"`
	Matcher *Matcher `json:"matcher,omitempty"` // nil: all tools
	Handler Handler  `json:"handler"`
	// Blocking: exit 2 refuses. Where it is false, as it is where nothing is said,
	// exit 2 is a warning.
	Blocking     bool              `json:"blocking,omitempty"`
	Degradation  map[string]string `json:"degradation,omitempty"`
	ProviderData map[string]any    `json:"provider_data,omitempty"`
	Capabilities []string          `json:"capabilities,omitempty"`
}

// Handler is what runs.
type Handler struct {
	Type          string            `json:"type"`
	Command       string            `json:"command"`
	Platform      map[string]string `json:"platform,omitempty"` // other commands, by system
	CWD           string            `json:"cwd,omitempty"`
	Env           map[string]string `json:"env,omitempty"`
	Timeout       float64           `json:"timeout,omitempty"`        // seconds; 0: none
	TimeoutAction string            `json:"timeout_action,omitempty"` // "block", or "warn", which is what holds where nothing is said
	Async         bool              `json:"async,omitempty"`
	StatusMessage string            `json:"status_message,omitempty"`
}

// Matcher says which tools a hook is about: any of them.
type Matcher struct {
	Words    []string // of HIF's vocabulary, such as shell
	Patterns []string // of the agent's own names
	Servers  []string // tools of MCP servers: SERVER/TOOL
}

// UnmarshalJSON reads a word, {"pattern": ...}, {"mcp": {...}}, or a list of them.
func (m *Matcher) UnmarshalJSON(data []byte) error {
	data = bytes.TrimSpace(data)
	if len(data) > 0 && data[0] == '[' {
		var list []json.RawMessage
		if err := json.Unmarshal(data, &list); err != nil {
			return err
		}
		for _, one := range list {
			if bytes.HasPrefix(bytes.TrimSpace(one), []byte("[")) {
				return fmt.Errorf("a matcher is a list in a list")
			}
			if err := m.UnmarshalJSON(one); err != nil {
				return err
			}
		}
		return nil
	}
	var word string
	if json.Unmarshal(data, &word) == nil {
		m.Words = append(m.Words, word)
		return nil
	}
	var o struct {
		Pattern string
		MCP     struct{ Server, Tool string }
	}
	if err := json.Unmarshal(data, &o); err != nil || o.Pattern == "" && o.MCP.Server == "" {
		return fmt.Errorf("a matcher is %.60s: expected a word, {\"pattern\": ...} or {\"mcp\": {\"server\": ..., \"tool\": ...}}", data)
	}
	if o.Pattern != "" {
		m.Patterns = append(m.Patterns, o.Pattern)
	} else {
		m.Servers = append(m.Servers, o.MCP.Server+"/"+o.MCP.Tool)
	}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (m Matcher) MarshalJSON() ([]byte, error) {
	var list []any
	for _, w := range m.Words {
		list = append(list, w)
	}
	for _, p := range m.Patterns {
		list = append(list, map[string]string{"pattern": p})
	}
	for _, s := range m.Servers {
		server, tool, _ := strings.Cut(s, "/")
		list = append(list, map[string]any{"mcp": map[string]string{"server": server, "tool": tool}})
	}
	if len(list) == 1 {
		return json.Marshal(list[0])
	}
	return json.Marshal(list)
}

// inYAML is how a file of this format in YAML names its version.
var inYAML = regexp.MustCompile(`(?m)^spec:[ \t]*["']?hooks/`)

// Is reports whether data is a file of this format.
func Is(data []byte) bool {
	if !isJSON(data) {
		return inYAML.Match(data)
	}
	var d struct{ Spec string }
	return json.Unmarshal(data, &d) == nil && strings.HasPrefix(d.Spec, "hooks/")
}

func isJSON(data []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) }

// Parse reads a file, in JSON or in YAML.
func Parse(data []byte) (Document, error) {
	var d Document
	if !isJSON(data) {
		var v any
		err := yaml.Unmarshal(data, &v)
		if err == nil {
			data, err = json.Marshal(v)
		}
		if err != nil {
			return d, fmt.Errorf("reading HIF: %w", err)
		}
	}
	if err := json.Unmarshal(data, &d); err != nil {
		return d, fmt.Errorf("reading HIF: %w", err)
	}
	if d.Spec != Spec {
		return d, fmt.Errorf("reading HIF: spec is %q: %s is what is read", d.Spec, Spec)
	}
	for i, h := range d.Hooks {
		switch {
		case h.Event == "":
			return d, fmt.Errorf("reading HIF: hook %d has no event", i+1)
		case h.Handler.Type != "command" || strings.TrimSpace(h.Handler.Command) == "":
			return d, fmt.Errorf("reading HIF: hook %d (%s) has no handler of the type command with a command", i+1, h.Event)
		case h.Handler.Timeout < 0 || h.Handler.Timeout > 1e6:
			return d, fmt.Errorf("reading HIF: hook %d (%s) has the timeout %v: expected seconds", i+1, h.Event, h.Handler.Timeout)
		case !slices.Contains([]string{"", "block", "warn"}, h.Handler.TimeoutAction):
			return d, fmt.Errorf("reading HIF: hook %d (%s) has the timeout_action %q: expected block or warn", i+1, h.Event, h.Handler.TimeoutAction)
		}
	}
	return d, nil
}

// Bytes is the file of d.
func (d Document) Bytes() ([]byte, error) {
	d.Spec = Spec
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(d)
	return b.Bytes(), err
}

// YAML is the file of d in YAML.
func (d Document) YAML() ([]byte, error) {
	data, err := d.Bytes()
	if err != nil {
		return nil, err
	}
	var doc yaml.Node // JSON is YAML, and this keeps the order of keys
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("writing HIF: %w", err)
	}
	plain(&doc)
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	err = e.Encode(&doc)
	return b.Bytes(), err
}

// plain takes away the braces and quotes of JSON; the encoder quotes what needs
// it.
func plain(n *yaml.Node) {
	n.Style = 0
	for _, c := range n.Content {
		plain(c)
	}
}

// actions are the words of the vocabulary for tools, and what they do in the
// words of package dialect.
var actions = [][2]string{
	{"shell", "shell"}, {"file_write", "write"}, {"file_edit", "edit"}, {"file_read", "read"}, {"search", "search"}, {"find", "find"},
}

// Action is what the tool of a word does; empty: that is not known.
func Action(word string) string {
	for _, a := range actions {
		if a[0] == word {
			return a[1]
		}
	}
	return ""
}

// Word is the word for an action; empty: there is none.
func Word(action string) string {
	for _, a := range actions {
		if a[1] == action {
			return a[0]
		}
	}
	return ""
}
