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
	Request int `json:"request,omitempty"`

	// After is the number of chunks of a streamed answer that are sent first. 0: not even
	// the header is sent.
	After int `json:"after,omitempty"`

	// One of these is the kind of failure. If none is set, only ChunkDelay has an effect.
	Status  int  `json:"status,omitempty"`  // an error of the API; after chunks it is an event of the stream
	Cut     bool `json:"cut,omitempty"`     // drop the connection
	Garbage bool `json:"garbage,omitempty"` // send something that is not JSON
	Silent  bool `json:"silent,omitempty"`  // send nothing more until the client disconnects

	// These add details to Status.
	Message    string        `json:"message,omitempty"` // empty: a default for the status
	Reason     string        `json:"reason,omitempty"`  // reason of an ErrorInfo, such as "API_KEY_INVALID"; may be empty
	RetryDelay time.Duration `json:"-"`                 // in a RetryInfo; 0 means none
	PerDay     bool          `json:"perDay,omitempty"`  // add a QuotaFailure for a daily quota
	Final      bool          `json:"final,omitempty"`   // tell clients not to retry, and answer a retry with a 403

	ChunkDelay time.Duration `json:"-"` // before each chunk
}

// wireFault is a Fault in JSON, in which its delays are texts.
type wireFault struct {
	*bareFault
	RetryDelay string `json:"retryDelay,omitempty"`
	ChunkDelay string `json:"chunkDelay,omitempty"`
}

type bareFault Fault // without methods

// MarshalJSON writes durations as "2s".
func (f Fault) MarshalJSON() ([]byte, error) {
	w := wireFault{bareFault: (*bareFault)(&f)}
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
	*f = Fault{}
	w := wireFault{bareFault: (*bareFault)(f)}
	if err := json.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("reading fault: %w", err)
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
