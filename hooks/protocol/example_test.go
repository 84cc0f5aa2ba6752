package protocol_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"

	"minigem/hooks/protocol"
)

// A whole hook in Go is a main function that calls portable.Serve with this function.
func guard(in protocol.BeforeToolInput) protocol.Output {
	path, _ := in.ToolInput["file_path"].(string)
	if strings.HasSuffix(path, ".env") {
		return protocol.DenyBecause("secrets stay as they are")
	}
	return protocol.Output{}
}

// A test of a hook passes it an input and compares its output.
func Example() {
	stdin := strings.NewReader(`{"hook_event_name":"BeforeTool","tool_name":"write_file","tool_input":{"file_path":".env"}}`)
	protocol.Run(stdin, os.Stdout, os.Stderr, guard)
	// Output: {"decision":"deny","reason":"secrets stay as they are"}
}

// Parse interprets a finished run of a hook: exit 2 blocks, and stderr is the reason.
func ExampleParse() {
	reading := protocol.Parse(protocol.BeforeTool, protocol.Ran{Code: 2, Stderr: []byte("not in this project\n")})
	fmt.Println(reading.From, reading.Output.Decision, reading.Output.Reason)
	// Output: exit 2 deny not in this project
}

// A whole hook that removes keys from the model's text, even if a key is split between
// two chunks, is a main function that calls portable.Serve with this.
func ExampleHoldBack() {
	keys := regexp.MustCompile(`sk-\w{8,}`)
	hook := func(in protocol.AfterModelInput) protocol.Output {
		return protocol.HoldBack(in, func(text string) string { return keys.ReplaceAllString(text, "[key]") })
	}
	chunk := func(text, full, finish string) {
		candidate := protocol.LLMCandidate{Content: protocol.LLMContent{Parts: []string{text}}, FinishReason: finish}
		out := hook(protocol.AfterModelInput{LLMResponse: protocol.LLMChunk{Text: text, Candidates: []protocol.LLMCandidate{candidate}}, FullContent: full})
		fmt.Printf("%q\n", out.LLMResponse.Parts)
	}
	chunk("It is sk-abcd", "It is sk-abcd", "")
	chunk("efgh.", "It is sk-abcdefgh.", "STOP")
	// Output:
	// ["It is "]
	// ["[key]."]
}

// Fields without effect cause a warning; nothing is ignored silently.
func ExampleReading() {
	reading := protocol.Parse(protocol.BeforeTool, protocol.Ran{Stdout: []byte(`{"decison": "deny"}`)})
	fmt.Println(len(reading.Warnings), "warning; blocked:", reading.Output.Decision == protocol.Deny)
	// Output: 1 warning; blocked: false
}
