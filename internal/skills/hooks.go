package skills

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Hooks is the uninterpreted field hooks of a file's front matter.
type Hooks struct {
	Line  int    // line in the file; 0 if there is no such field
	JSON  []byte // its value
	Fault string // why it cannot be read; empty if it can
}

// maxHooks limits their JSON, which aliases can make longer than the file.
const maxHooks = 256 << 10

var hooksField = regexp.MustCompile(`(?m)^hooks[ \t]*:`)

// hooksIn reads the hooks of a skill's front matter. If the front matter is not valid
// YAML, it reports that as a fault of the hooks.
func hooksIn(head string, n *yaml.Node, bad error) Hooks {
	if bad == nil {
		return ReadHooks(n)
	}
	at := hooksField.FindStringIndex(head)
	if at == nil {
		return Hooks{}
	}
	return Hooks{Line: strings.Count(head[:at[0]], "\n") + 2, Fault: "the head is not YAML: " + bad.Error()}
}

// ReadHooks converts the value of the field to JSON. It assumes that the front matter
// begins on the second line of its file.
func ReadHooks(n *yaml.Node) Hooks {
	if n.IsZero() || n.Tag == "!!null" {
		return Hooks{}
	}
	h := Hooks{Line: n.Line + 1}
	if n.Kind == yaml.MappingNode && n.Style&yaml.FlowStyle == 0 {
		h.Line-- // the field's line is above its contents
	}
	var v any
	err := n.Decode(&v)
	if err == nil {
		h.JSON, err = json.Marshal(v)
	}
	if err == nil && len(h.JSON) > maxHooks {
		err = fmt.Errorf("it is longer than %d bytes", maxHooks)
	}
	if err == nil && n.Kind != yaml.MappingNode {
		err = errors.New("it is not a list of events such as PreToolUse")
	}
	if err != nil {
		h.JSON, h.Fault = nil, err.Error()
	}
	return h
}
