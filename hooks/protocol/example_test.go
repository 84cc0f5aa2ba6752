package protocol_test

import (
	"os"
	"strings"

	"minigem/hooks/protocol"
)

// A whole hook in Go is a main function that calls protocol.Serve with this
// function.
func guard(in protocol.BeforeToolInput) protocol.Output {
	path, _ := in.ToolInput["file_path"].(string)
	if strings.HasSuffix(path, ".env") {
		return protocol.DenyBecause("secrets stay as they are")
	}
	return protocol.Output{}
}

// A test of a hook gives it an input and looks at what it prints.
func Example() {
	stdin := strings.NewReader(`{"hook_event_name":"BeforeTool","tool_name":"write_file","tool_input":{"file_path":".env"}}`)
	protocol.Run(stdin, os.Stdout, os.Stderr, guard)
	// Output: {"decision":"deny","reason":"secrets stay as they are"}
}
