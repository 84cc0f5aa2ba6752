package llm

import (
	"encoding/json"
	"strings"
)

// Part is one piece of a [Message]: [Text], [Thought], [Blob], [FileRef],
// [ToolCall], [ToolResult] or [Opaque], and nothing else. Parts are values; the
// memory they refer to is never changed once they are made.
type Part interface{ isPart() }

// Text is text of the user or the model.
type Text struct {
	Text      string
	Signature []byte // thoughtSignature, sent back unchanged; nil: none
}

// Thought is a summary of what the model thought. It is shown, and never sent
// back.
type Thought struct {
	Text      string
	Signature []byte
}

// Blob is inline data such as an image.
type Blob struct {
	MIMEType string
	Data     []byte
	Name     string // display name; may be empty

	Signature []byte // thoughtSignature; nil: none
}

// FileRef points to data that the provider fetches itself.
type FileRef struct {
	MIMEType string
	URI      string
}

// ToolCall asks for a tool to be run.
type ToolCall struct {
	// ID is unique within a session and never empty once the agent has seen the
	// call. It has the form of Gemini CLI's session files, "<name>__<id>";
	// requests leave off the prefix, see [WireID].
	ID        string
	Name      string
	Args      map[string]any // as decoded from JSON; nil: none
	Signature []byte         // thoughtSignature; nil: none
}

// ToolResult answers the [ToolCall] with the same ID.
type ToolResult struct {
	ID       string
	Name     string
	Response map[string]any // {"output": ...} or {"error": ...}
	Parts    []Part         // Blobs that belong to the result; usually nil
}

// Opaque is a part of a kind that this package does not know. It is kept as
// received and sent back unchanged.
type Opaque struct{ JSON json.RawMessage }

func (Text) isPart()       {}
func (Thought) isPart()    {}
func (Blob) isPart()       {}
func (FileRef) isPart()    {}
func (ToolCall) isPart()   {}
func (ToolResult) isPart() {}
func (Opaque) isPart()     {}

// SessionID gives a call's id the form of session files, "<name>__<id>". It is
// idempotent. (core/core/turn.ts)
func SessionID(name, id string) string {
	if strings.HasPrefix(id, name+"__") {
		return id
	}
	return name + "__" + id
}

// WireID removes the prefix that SessionID adds.
func WireID(name, id string) string { return strings.TrimPrefix(id, name+"__") }
