// Command toolfilter is a BeforeToolSelection hook: while the user only asks for
// an explanation, the model may call tools that read, and no others.
//
//	go build -o ~/bin/toolfilter ./examples/toolfilter
package main

import (
	"regexp"
	"slices"

	"minigem/hooks/protocol"
)

var (
	asksOnly = regexp.MustCompile(`(?i)\b(explain|describe|why|what does)\b`)
	reading  = []string{"glob", "grep_search", "list_directory", "read_file", "read_many_files"}
)

func main() { protocol.Serve(filter) }

func filter(in protocol.BeforeToolSelectionInput) protocol.Output {
	if !asksOnly.MatchString(lastPrompt(in.LLMRequest.Messages)) {
		return protocol.Output{}
	}
	return protocol.Output{ToolConfig: &protocol.ToolConfig{Mode: "AUTO", AllowedFunctionNames: reading}}
}

// lastPrompt is the newest message of the user that has text in it: the results
// of tools are the user's too, but have none.
func lastPrompt(messages []protocol.LLMMessage) string {
	for _, m := range slices.Backward(messages) {
		if m.Role != "user" {
			continue
		}
		if m.Text != "" {
			return m.Text
		}
		for _, p := range slices.Backward(m.Parts) {
			if p.Type == protocol.PartText && p.Text != "" {
				return p.Text
			}
		}
	}
	return ""
}
