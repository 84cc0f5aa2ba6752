// Command toolfilter is a BeforeToolSelection hook: while the user only asks for
// an explanation, the model may call tools that read, and no others. Who wants
// something done as well gets all tools: a tool too many is asked about, one
// too few is a task that cannot be done.
//
//	go build -o ~/bin/toolfilter ./examples/toolfilter
package main

import (
	"regexp"
	"slices"

	"minigem/hooks/portable"
	"minigem/hooks/protocol"
)

var (
	asks  = regexp.MustCompile(`(?i)\b(explain|describe|why|what does)\b`)
	wants = regexp.MustCompile(
		`(?i)\b(add|change|create|delete|edit|fix|implement|make|refactor|remove|rename|replace|run|update|write)\b`)
	reading = []string{"glob", "grep_search", "list_directory", "read_file", "read_many_files"}
)

func main() { portable.Serve(filter) }

func filter(in protocol.BeforeToolSelectionInput) protocol.Output {
	prompt := lastPrompt(in.LLMRequest.Messages)
	if !asks.MatchString(prompt) || wants.MatchString(prompt) {
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
