package testbed

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"minigem/e2e/fakemodel"
)

// FakeAPI serves a model script to any client. See fakemodel.Options for the fields.
type FakeAPI struct {
	Protocol     fakemodel.Protocol // of the client
	Faults       string             // JSON array of faults; may be empty
	Key          string
	Strict       bool
	NonStrict    bool // for Gemini's fake-responses files: each request takes the next answer of its method
	EveryRequest bool // requests without tools also take the next answer
	LogTo        io.Writer
}

// Start serves the script in the file at path. A fake-responses file is served to a Gemini
// client in the order in which Gemini CLI consumes it.
func (f FakeAPI) Start(path, addr string) (url string, stop func(), err error) {
	if !slices.Contains(fakemodel.Protocols, f.Protocol) {
		return "", nil, fmt.Errorf("--protocol %q is not gemini, anthropic, responses or chat", f.Protocol)
	}
	faults, err := parseFaults(f.Faults)
	if err != nil {
		return "", nil, err
	}
	turns, short, err := ReadModel(path)
	if err != nil {
		return "", nil, err
	}
	o := fakemodel.Options{Turns: turns, NonStrict: f.NonStrict, ToolLess: f.EveryRequest, Strict: f.Strict, Key: f.Key,
		Faults: faults, LogTo: f.LogTo}
	if f.Protocol == fakemodel.Gemini && !short {
		o.Entries = fakemodel.Entries(turns)
	}
	return fakemodel.New(o).Start(addr)
}

func parseFaults(s string) ([]fakemodel.Fault, error) {
	if s == "" {
		return nil, nil
	}
	var faults []fakemodel.Fault
	if err := json.Unmarshal([]byte(s), &faults); err != nil {
		return nil, fmt.Errorf("reading --faults: %w", err)
	}
	return faults, nil
}
