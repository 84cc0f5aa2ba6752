package llm

import (
	"encoding/json"
	"strings"
)

// Part is one piece of a [Message]: [Text], [Thought], [Blob], [FileRef], [ToolCall],
// [ToolResult] or [Opaque], and nothing else, so a type switch over these seven is
// complete. The dynamic type is always the value type and never a pointer. The memory
// that a part refers to (slices and maps) is never changed once it is made.
type Part interface{ isPart() }

// Text is text of the user or the model.
type Text struct {
	// Text may be empty if a signature came alone.
	Text string
	// Signature is the thoughtSignature that the API wants back unchanged; nil if it sent
	// none.
	Signature []byte
}

// Thought is a summary of what the model thought. It is shown to the user and never sent
// back.
type Thought struct {
	// Text is Markdown. By convention it begins with a subject between "**".
	Text string
	// Signature is its thoughtSignature; nil if it has none.
	Signature []byte
}

// Blob is inline data such as an image (inlineData).
type Blob struct {
	// MIMEType is such as "image/png".
	MIMEType string `json:"mimeType"`
	// Data holds the bytes themselves, not base64.
	Data []byte `json:"data"`
	// Name is the name of the file for people (displayName); empty if it has none.
	Name string `json:"displayName,omitempty"`

	// Signature is its thoughtSignature; nil if it has none.
	Signature []byte `json:"-"`
}

// FileRef points to data that the provider fetches itself (fileData).
type FileRef struct {
	// MIMEType may be empty.
	MIMEType string `json:"mimeType,omitempty"`
	// URI is an address that the provider can read, such as gs:// or an uploaded
	// file's.
	URI string `json:"fileUri"`
}

// ToolCall asks for a tool to be run (functionCall).
type ToolCall struct {
	// ID is unique within a session and never empty once the agent has seen the call; as
	// received from the API it may be empty. It has the form of Gemini CLI's session
	// files, "<name>__<id>". Requests leave off the prefix, see [WireID].
	ID string
	// Name is as the model wrote it. There may be no such tool.
	Name string
	// Args are as decoded from JSON: numbers are float64. nil means no arguments.
	Args map[string]any
	// Signature is its thoughtSignature; nil if it has none, see [SkipSignature].
	Signature []byte
}

// ToolResult answers the [ToolCall] with the same ID (functionResponse). It belongs into
// the message of the user that follows the call.
type ToolResult struct {
	// ID is the call's, with its prefix.
	ID string
	// Name says which tool was called.
	Name string
	// Response is {"output": ...}, or {"error": ...} if the call failed. nil is written
	// as {}.
	Response map[string]any
	// Parts are blobs that belong to the result, such as an image that was read; usually
	// nil.
	Parts []Part
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

// SessionID returns id in the form of session files, "<name>__<id>". An id that has this
// form already is returned as it is. (core/core/turn.ts)
func SessionID(name, id string) string {
	if strings.HasPrefix(id, name+"__") {
		return id
	}
	return name + "__" + id
}

// WireID removes the prefix that [SessionID] adds. An id without it is returned as it is.
func WireID(name, id string) string { return strings.TrimPrefix(id, name+"__") }
