package trials

import (
	"slices"
	"strings"

	"minigem/hooks/author/inspect"
	"minigem/hooks/author/replay"
	"minigem/hooks/config"
	"minigem/hooks/protocol"
	"minigem/internal/app"
	"minigem/internal/boundedfile"
	"minigem/internal/exit"
)

// Stimulus holds the options of hooks payload and hooks fire that describe an event.
// Its zero value yields a sample with plausible values.
type Stimulus struct {
	Tool       string   // the tool that is called, or the trigger of another event
	Transcript string   // a session's file, from whose end prompt, call and result are taken
	Input      string   // a file with a payload to start from; - means stdin
	Set        []string // path=value, applied in order
}

// Payload makes the payload of ev: a sample or the given one, modified by Set. If
// something cannot be used, the error has exit code exit.Input.
func (s *Stimulus) Payload(sys *app.System, ev protocol.Event) ([]byte, error) {
	payload, err := s.begin(sys, ev)
	if err != nil {
		return nil, err
	}
	for _, assignment := range s.Set {
		if payload, err = inspect.Set(payload, assignment); err != nil {
			return nil, exit.With(exit.Input, err)
		}
	}
	return payload, nil
}

func (s *Stimulus) begin(sys *app.System, ev protocol.Event) ([]byte, error) {
	switch {
	case s.Input != "":
		data, err := Input(sys, s.Input)
		if err != nil {
			return nil, err
		}
		var p Planned
		if err := p.read(data); err != nil {
			return nil, exit.Errorf(exit.Input, "%s: %w", s.Input, err)
		}
		if p.Events[0] != ev {
			return nil, exit.Errorf(exit.Input, "%s is a payload of %s, not of %s", s.Input, p.Events[0], ev)
		}
		return data, nil
	case s.Tool != "" && !ev.HasSubject():
		return nil, exit.Errorf(exit.Input, "--tool has no meaning for %s, which is not about a tool", ev)
	case s.Tool != "" && ev.Triggers() != nil && !slices.Contains(ev.Triggers(), s.Tool):
		return nil, exit.Errorf(exit.Input, "%s never has %q, only %s", ev, s.Tool, strings.Join(ev.Triggers(), ", "))
	}
	payload, err := inspect.Sample(ev, s.Tool)
	if err != nil || s.Transcript == "" {
		return payload, err
	}
	past, err := replay.Read(app.Absolute(sys, s.Transcript))
	if err != nil {
		return nil, exit.With(exit.Input, err)
	}
	payload, err = past.Payload(payload, s.Tool)
	if err != nil {
		return nil, exit.With(exit.Input, err)
	}
	return payload, nil
}

// ParseEvent parses the name of an event. For an unknown one, the error suggests the
// nearest.
func ParseEvent(name string) (protocol.Event, error) {
	if slices.Contains(protocol.Events, protocol.Event(name)) {
		return protocol.Event(name), nil
	}
	if near := config.SuggestEvent(name); near != "" {
		return "", exit.Errorf(exit.Input, "there is no event %q; did you mean %q?", name, near)
	}
	return "", exit.Errorf(exit.Input, "there is no event %q; the events are %v", name, protocol.Events)
}

// EventAndHook parses "[EVENT] HOOK". The default event is BeforeTool.
func EventAndHook(args []string) (ev protocol.Event, hook string, err error) {
	if len(args) == 1 {
		return protocol.BeforeTool, args[0], nil
	}
	ev, err = ParseEvent(args[0])
	return ev, args[1], err
}

// Input reads a file that the user named, or stdin for "-". If it cannot be read, the
// error has exit code exit.Input.
func Input(sys *app.System, path string) ([]byte, error) {
	if path == "-" {
		data, err := boundedfile.ReadAll(sys.Stdin, "stdin", boundedfile.Kept)
		if err != nil {
			return nil, exit.Errorf(exit.Input, "reading stdin: %w", err)
		}
		return data, nil
	}
	data, err := boundedfile.ReadNamed(app.Absolute(sys, path), boundedfile.Kept)
	if err != nil {
		return nil, exit.Errorf(exit.Input, "reading the input: %w", err)
	}
	return data, nil
}
