// Package protocol is the JSON that hooks read on stdin and write on stdout,
// and nothing else. It imports nothing of this module, so that a hook written
// in Go can import it alone.
package protocol

// Event is the wire name of a lifecycle point.
type Event string

// The eleven events, in the order in which a session meets them.
const (
	SessionStart        Event = "SessionStart"
	BeforeAgent         Event = "BeforeAgent"
	PreCompress         Event = "PreCompress"
	BeforeModel         Event = "BeforeModel"
	BeforeToolSelection Event = "BeforeToolSelection"
	AfterModel          Event = "AfterModel"
	BeforeTool          Event = "BeforeTool"
	Notification        Event = "Notification"
	AfterTool           Event = "AfterTool"
	AfterAgent          Event = "AfterAgent"
	SessionEnd          Event = "SessionEnd"
)

// Events lists them all.
var Events = []Event{
	SessionStart, BeforeAgent, PreCompress, BeforeModel, BeforeToolSelection, AfterModel,
	BeforeTool, Notification, AfterTool, AfterAgent, SessionEnd,
}

// MCPContext tells a tool hook which MCP server a tool comes from.
type MCPContext struct {
	ServerName string   `json:"server_name"`
	ToolName   string   `json:"tool_name"` // the name at the server
	Command    string   `json:"command,omitempty"`
	Args       []string `json:"args,omitempty"`
	Cwd        string   `json:"cwd,omitempty"`
	URL        string   `json:"url,omitempty"`
	TCP        string   `json:"tcp,omitempty"`
}

// ToolResponse is what a tool gave, as AfterTool hooks see it.
type ToolResponse struct {
	LLMContent    any        `json:"llmContent"`    // a string, a part or an array of parts
	ReturnDisplay any        `json:"returnDisplay"` // a string or an object
	Error         *ToolError `json:"error,omitempty"`
}

// ToolError is a tool's failure.
type ToolError struct {
	Message string `json:"message"`
	Type    string `json:"type"`
}

// Reading is what a hook's streams and exit were taken to mean.
type Reading struct {
	Output Output
	// From says what was obeyed: "stdout", "stderr", "exit 2", "text" (plain
	// stdout became a systemMessage) or "" (nothing was said).
	From     string
	Warnings []string // every field that was ignored, and why
	Failed   string   // why the run counts as failed; empty: it does not
}
