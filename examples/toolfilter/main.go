// Command toolfilter is a BeforeToolSelection hook that allows only reading tools while
// the user asks for an explanation. If the prompt also asks for a change, all tools are
// allowed. One tool too many is still subject to approval, but with one too few the
// task cannot be done.
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

// lastPrompt returns the user's latest message that has text. Tool results are also
// messages of the user, but have no text.
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
