package llm_test

import (
	"context"
	"fmt"

	"minigem/llm"
)

// A Fake answers in order and keeps what it was asked.
func ExampleFake() {
	model := &llm.Fake{Answers: []llm.FakeAnswer{llm.FakeText("Hello.")}}
	for chunk, err := range model.Stream(context.Background(), llm.Request{Messages: []llm.Message{llm.UserText("Hi")}}) {
		fmt.Println(llm.PartsText(chunk.Parts), chunk.FinishReason, err)
	}
	fmt.Println(len(model.Requests()), "request")
	// Output:
	// Hello. STOP <nil>
	// 1 request
}

// Text that came in pieces is one part again.
func ExampleMergeParts() {
	parts := llm.MergeParts([]llm.Part{llm.Text{Text: "Two and "}, llm.Text{Text: "two."}, llm.ToolCall{Name: "add"}})
	fmt.Println(len(parts), llm.PartsText(parts), llm.PartsCalls(parts)[0].Name)
	// Output: 2 Two and two. add
}
