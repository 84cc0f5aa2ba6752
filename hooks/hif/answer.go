package hif

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"minigem/hooks/protocol"
)

// Read is what a hook of this format answers: exit 2 refuses where the hook is
// blocking, exit 0 may print an object, and everything else is a warning.
func Read(ran protocol.Ran, blocking bool) protocol.Reading {
	stderr := strings.TrimSpace(string(ran.Stderr))
	switch {
	case ran.Failed != "":
		return protocol.Reading{Failed: ran.Failed}
	case ran.Code == 2 && blocking:
		return protocol.Reading{Output: protocol.DenyBecause(stderr), From: "exit 2"}
	case ran.Code != 0:
		return protocol.Reading{Failed: fmt.Sprintf("exit status %d: %s", ran.Code, stderr)}
	}
	text := bytes.TrimSpace(ran.Stdout)
	if len(text) == 0 {
		return protocol.Reading{}
	}
	var said struct {
		Decision, Reason string
		Continue         *bool
		Context          string
		Input            map[string]any `json:"updated_input"`
		Message          string         `json:"system_message"`
	}
	if err := json.Unmarshal(text, &said); err != nil {
		return protocol.Reading{Failed: "what it printed is not an answer: " + err.Error(), Garbled: true}
	}
	o := protocol.Output{
		Reason: said.Reason, SystemMessage: said.Message, AdditionalContext: said.Context, ToolInput: said.Input, WholeToolInput: said.Input != nil,
		Stop: said.Continue != nil && !*said.Continue,
	}
	if o.Stop {
		o.StopReason = said.Reason
	}
	r := protocol.Reading{From: "stdout"}
	switch said.Decision {
	case "deny", "ask":
		o.Decision = cmp.Or(map[string]string{"ask": protocol.Ask}[said.Decision], protocol.Deny)
	case "allow", "":
	default:
		r.Failed, r.Garbled = fmt.Sprintf("decision is %q: expected allow, deny or ask", said.Decision), true
	}
	r.Output = o
	return r
}
