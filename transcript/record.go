// Package transcript reads and writes the file of a session: JSON Lines, only
// ever appended to, in the shapes of Gemini CLI 0.61
// (core/services/chatRecordingService.ts), so that either program can resume
// what the other one wrote.
//
// It knows records, not conversations: which records to write when, and how a
// history is made of them, is decided in session. It never changes a byte that
// stands in a file.
//
// A file is a sequence of records, one a line:
//
//	metadata   {"sessionId": ..., "projectHash": ..., ...}
//	message    {"id": ..., "type": "user" | "gemini" | ..., ...}; the same id again replaces the message
//	update     {"$set": {...}}; the key "messages" in it replaces them all
//	rewind     {"$rewindTo": "<id>"}; drops that message and all after it
//	ours       {"minigem": {...}}; Gemini CLI skips it
package transcript

import (
	"encoding/json"
	"time"

	"minigem/llm"
)

// PreambleID is the id of the message that describes the surroundings to the
// model. It is the same in every session. (core/utils/environmentContext.ts)
const PreambleID = "d04923d38bb0f6017037e74183378ef4"

// Kinds of a session.
const (
	KindMain     = "main"
	KindSubagent = "subagent"
)

// Type says who speaks in a [Message].
type Type string

const (
	TypeUser    Type = "user" // also tools
	TypeGemini  Type = "gemini"
	TypeInfo    Type = "info"
	TypeError   Type = "error"
	TypeWarning Type = "warning"
)

// Record is one line: [Meta], [Message], [Set], [Rewind], [Exact], [Finished]
// or [Activity], and nothing else.
type Record interface{ isRecord() }

// Meta is the metadata of a session.
type Meta struct {
	SessionID   string   `json:"sessionId"`
	ProjectHash string   `json:"projectHash"` // SHA-256 of the project's root, in hex
	StartTime   Time     `json:"startTime"`
	LastUpdated Time     `json:"lastUpdated"`
	Kind        string   `json:"kind,omitempty"`
	Directories []string `json:"directories,omitempty"`
	Summary     string   `json:"summary,omitempty"`
}

// Message is one entry of the conversation.
type Message struct {
	ID        string     `json:"id"`
	Timestamp Time       `json:"timestamp"`
	Type      Type       `json:"type"`
	Content   Content    `json:"content"`
	Thoughts  []Thought  `json:"thoughts,omitzero"` // nil: not written; empty: written as an empty list
	Tokens    *Tokens    `json:"tokens,omitempty"`
	Model     string     `json:"model,omitempty"`
	ToolCalls []ToolCall `json:"toolCalls,omitempty"`

	// Exact holds the original parts of a model's message if there is an
	// [Exact] record for it, else nil. It is not part of the message's own
	// record.
	Exact []llm.Part `json:"-"`
}

// Content is the content of a message: parts, or one string, which is how
// Gemini CLI writes what the model said.
type Content struct {
	Parts []llm.Part
	Plain bool // write the text of Parts as one string
}

// Thought is a thought of the model, as shown.
type Thought struct {
	Subject     string `json:"subject"`
	Description string `json:"description"`
	Timestamp   Time   `json:"timestamp"`
}

// Tokens counts the tokens of a model's message.
type Tokens struct {
	Input    int `json:"input"`
	Output   int `json:"output"`
	Cached   int `json:"cached"`
	Thoughts int `json:"thoughts"`
	Tool     int `json:"tool"`
	Total    int `json:"total"`
}

// ToolCall is a call of the model with its result.
type ToolCall struct {
	ID            string         `json:"id"`
	Name          string         `json:"name"`
	Args          map[string]any `json:"args"`
	Result        Parts          `json:"result"`
	Status        string         `json:"status"` // "success", "error" or "cancelled"
	Timestamp     Time           `json:"timestamp"`
	AgentID       string         `json:"agentId,omitempty"`
	ResultDisplay any            `json:"resultDisplay,omitempty"` // a [Raw] if read from a file
	Description   string         `json:"description"`
	DisplayName   string         `json:"displayName"`
	Markdown      bool           `json:"renderOutputAsMarkdown"`
}

// Raw is JSON as it was in a file.
type Raw string

// MarshalJSON returns r.
func (r Raw) MarshalJSON() ([]byte, error) { return []byte(r), nil }

// Parts holds the parts of a result. Those from a file are decoded only when
// asked for, because most never are: the message that answered the call
// contains the same result.
type Parts struct {
	parts []llm.Part
	raw   Raw
}

// MakeParts makes [Parts] of parts.
func MakeParts(parts ...llm.Part) Parts { return Parts{parts: parts} }

// Decode returns the parts; nil if they are not readable.
func (p Parts) Decode() []llm.Part {
	if p.raw == "" {
		return p.parts
	}
	return decodeContent(string(p.raw))
}

// MarshalJSON writes an array of parts.
func (p Parts) MarshalJSON() ([]byte, error) {
	if p.raw != "" {
		return []byte(p.raw), nil
	}
	return llm.MarshalParts(p.parts)
}

// Set changes metadata and, if Messages is not nil, replaces all messages.
type Set struct {
	SessionID   string    `json:"sessionId,omitempty"`
	Messages    []Message `json:"messages,omitzero"`
	LastUpdated Time      `json:"lastUpdated,omitzero"`
	Summary     string    `json:"summary,omitempty"`
	Directories []string  `json:"directories,omitzero"`
}

// Rewind drops the message with that id and all after it.
type Rewind struct {
	To string `json:"$rewindTo"`
}

// Exact holds the parts of a model's message if the message's own record
// cannot: calls without an answer, thought signatures, parts that are not text.
type Exact struct {
	ID    string // id of the message
	Parts []llm.Part
}

// Finished holds one answered call of a message while other calls of that
// message are still running.
type Finished struct {
	ID   string // id of the message
	Call ToolCall
}

// Activity records what hooks did, for readers of the file. Value is anything
// that marshals.
type Activity struct{ Value any }

func (Meta) isRecord()     {}
func (Message) isRecord()  {}
func (Set) isRecord()      {}
func (Rewind) isRecord()   {}
func (Exact) isRecord()    {}
func (Finished) isRecord() {}
func (Activity) isRecord() {}

// Time is a time as the file stores it: UTC, milliseconds.
type Time struct{ time.Time }

const timeLayout = "2006-01-02T15:04:05.000Z"

// At converts t to a Time.
func At(t time.Time) Time { return Time{t.UTC().Truncate(time.Millisecond)} }

// MarshalJSON writes t in UTC with milliseconds.
func (t Time) MarshalJSON() ([]byte, error) {
	return []byte(`"` + t.UTC().Format(timeLayout) + `"`), nil
}

// UnmarshalJSON reads an RFC 3339 time; anything else becomes the zero Time.
func (t *Time) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) == nil {
		*t = parseTime(s)
	}
	return nil
}

func parseTime(s string) Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return Time{}
	}
	return At(t)
}
