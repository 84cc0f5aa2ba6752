package script_test

import (
	"context"
	"fmt"
	"strings"

	"minigem/llm"
	"minigem/llm/script"
)

// A script is the file that --fake-responses reads: one answer per line.
func Example() {
	entries, err := script.Parse("answers", strings.NewReader(
		`{"method":"generateContentStream","response":[{"candidates":[{"content":{"role":"model","parts":[{"text":"Hello."}]},"finishReason":"STOP"}]}]}`))
	if err != nil {
		panic(err)
	}
	model := script.New(entries, false)
	for chunk, err := range model.Stream(context.Background(), llm.Request{}) {
		fmt.Println(llm.PartsText(chunk.Parts), err)
	}
	// Output: Hello. <nil>
}
