package trials

import (
	"encoding/json"

	"minigem/hooks/claude"
	"minigem/hooks/protocol"
	"minigem/internal/app"
	"minigem/internal/exit"
)

// Planned is the input of hooks explain.
type Planned struct {
	Events  []protocol.Event // empty means all
	Subject string           // what matchers see; empty means any
	MCP     *protocol.MCPContext
}

// Plan returns what to explain: the event with this name, or all, with this tool or
// trigger, and the payload in the file input. All three may be empty.
func Plan(sys *app.System, event, tool, input string) (Planned, error) {
	p := Planned{Subject: tool}
	if input != "" {
		data, err := Input(sys, input)
		if err != nil {
			return p, err
		}
		if err := p.read(data); err != nil {
			return p, exit.Errorf(exit.Input, "%s: %w", input, err)
		}
	}
	if event != "" {
		if own := claude.Event(event); own != "" {
			event = string(own)
		}
		ev, err := ParseEvent(event)
		if err != nil {
			return p, err
		}
		p.Events = []protocol.Event{ev}
	}
	switch {
	case tool != "" && len(p.Events) == 0:
		p.Events = []protocol.Event{protocol.BeforeTool, protocol.AfterTool}
	case tool != "" && !p.Events[0].HasSubject():
		return p, exit.Errorf(exit.Input, "--tool has no meaning for %s: its matchers see nothing", p.Events[0])
	}
	return p, nil
}

// read extracts event, subject and server from a payload.
func (p *Planned) read(data []byte) error {
	var in struct {
		protocol.Base
		ToolName         string               `json:"tool_name"`
		MCP              *protocol.MCPContext `json:"mcp_context"`
		Source           string               `json:"source"`
		Reason           string               `json:"reason"`
		Trigger          string               `json:"trigger"`
		NotificationType string               `json:"notification_type"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	event, err := ParseEvent(string(in.HookEventName))
	if err != nil {
		return err
	}
	p.Events, p.MCP = []protocol.Event{event}, in.MCP
	for _, s := range []string{in.ToolName, in.Source, in.Reason, in.Trigger, in.NotificationType} {
		if p.Subject == "" {
			p.Subject = s
		}
	}
	return nil
}
