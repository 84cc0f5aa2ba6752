package fakemodel

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// Fault is a way to misbehave. It stands in Options.Faults for the request of a
// number, or in a script under "fault" for the answer of that line:
//
//	{"method": "generateContentStream", "fault": {"status": 429, "retryDelay": "2s"}}
//	{"method": "generateContentStream", "response": [...], "fault": {"after": 1, "cut": true}}
//
// A Fault of Options.Faults that keeps the client from the whole answer leaves
// the answer in the script, so that the next attempt gets it. A line with a
// fault of its own is used up.
type Fault struct {
	// Request is which request goes wrong, from 1, counted over all methods; 0:
	// every one. It means nothing in a script.
	Request int

	// After is how many chunks of a streamed answer go out before the trouble.
	// 0: not even the header does.
	After int

	// One of these says what the trouble is; none: there is only ChunkDelay.
	Status  int  // an error of the API; After chunks: as an event of the stream
	Cut     bool // the connection is dropped
	Garbage bool // something that is not JSON
	Silent  bool // nothing more, until the client leaves

	// These dress up Status.
	Message    string        // empty: one that fits
	Reason     string        // reason of an ErrorInfo, such as "API_KEY_INVALID"; empty: none
	RetryDelay time.Duration // of a RetryInfo; 0: none
	PerDay     bool          // a QuotaFailure of a quota per day
	Final      bool          // the client is told not to try again, and gets a 403 with the same words where it does

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

// UnmarshalJSON reads what MarshalJSON writes.
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

// Spoils tells whether the client does not get the whole answer.
func (f Fault) Spoils() bool { return f.Status != 0 || f.Cut || f.Garbage || f.Silent }

// Text is what an error says.
func (f Fault) Text() string {
	if f.Message != "" {
		return f.Message
	}
	return fmt.Sprintf("%s (a fault that was asked for).", http.StatusText(f.Status))
}
