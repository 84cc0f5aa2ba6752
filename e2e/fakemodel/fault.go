package fakemodel

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// Fault is an injected failure. Options.Faults has faults for requests by their number.
// In a script, the field "fault" makes the answer of its line fail:
//
//	{"method": "generateContentStream", "fault": {"status": 429, "retryDelay": "2s"}}
//	{"method": "generateContentStream", "response": [...], "fault": {"after": 1, "cut": true}}
//
// If a Fault in Options.Faults spoils an answer, the answer stays in the script, so that
// the next attempt gets it. A line with a fault is used up.
type Fault struct {
	// Request is the number of the request that fails, counting all methods from 1. 0
	// means every request. It is ignored in a script.
	Request int

	// After is the number of chunks of a streamed answer that are sent first. 0: not even
	// the header is sent.
	After int

	// One of these is the kind of failure. If none is set, only ChunkDelay has an effect.
	Status  int  // an error of the API; after chunks it is an event of the stream
	Cut     bool // drop the connection
	Garbage bool // send something that is not JSON
	Silent  bool // send nothing more until the client disconnects

	// These add details to Status.
	Message    string        // empty: a default for the status
	Reason     string        // reason of an ErrorInfo, such as "API_KEY_INVALID"; may be empty
	RetryDelay time.Duration // in a RetryInfo; 0 means none
	PerDay     bool          // add a QuotaFailure for a daily quota
	Final      bool          // tell clients not to retry, and answer a retry with a 403 and the same message

	ChunkDelay time.Duration // before each chunk
}

type wireFault struct {
	Request    int    `json:"request,omitempty"`
	After      int    `json:"after,omitempty"`
	Status     int    `json:"status,omitempty"`
	Cut        bool   `json:"cut,omitempty"`
	Garbage    bool   `json:"garbage,omitempty"`
	Silent     bool   `json:"silent,omitempty"`
	Message    string `json:"message,omitempty"`
	Reason     string `json:"reason,omitempty"`
	RetryDelay string `json:"retryDelay,omitempty"`
	PerDay     bool   `json:"perDay,omitempty"`
	Final      bool   `json:"final,omitempty"`
	ChunkDelay string `json:"chunkDelay,omitempty"`
}

// MarshalJSON writes durations as "2s".
func (f Fault) MarshalJSON() ([]byte, error) {
	w := wireFault{f.Request, f.After, f.Status, f.Cut, f.Garbage, f.Silent, f.Message, f.Reason, "", f.PerDay, f.Final,
		""}
	if f.RetryDelay != 0 {
		w.RetryDelay = f.RetryDelay.String()
	}
	if f.ChunkDelay != 0 {
		w.ChunkDelay = f.ChunkDelay.String()
	}
	return json.Marshal(w)
}

// UnmarshalJSON parses what MarshalJSON writes.
func (f *Fault) UnmarshalJSON(data []byte) error {
	var w wireFault
	if err := json.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("reading fault: %w", err)
	}
	*f = Fault{
		Request: w.Request, After: w.After, Status: w.Status, Cut: w.Cut, Garbage: w.Garbage, Silent: w.Silent,
		Message: w.Message, Reason: w.Reason, PerDay: w.PerDay, Final: w.Final,
	}
	for _, d := range []struct {
		name, text string
		to         *time.Duration
	}{{"retryDelay", w.RetryDelay, &f.RetryDelay}, {"chunkDelay", w.ChunkDelay, &f.ChunkDelay}} {
		if d.text == "" {
			continue
		}
		v, err := time.ParseDuration(d.text)
		if err != nil {
			return fmt.Errorf("reading fault: %s: %w", d.name, err)
		}
		*d.to = v
	}
	return nil
}

// Spoils reports whether the client does not get the whole answer.
func (f Fault) Spoils() bool { return f.Status != 0 || f.Cut || f.Garbage || f.Silent }

// Text returns the message of the error.
func (f Fault) Text() string {
	if f.Message != "" {
		return f.Message
	}
	return fmt.Sprintf("%s (a fault that was asked for).", http.StatusText(f.Status))
}
