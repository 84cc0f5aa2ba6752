package llm_test

import (
	"context"
	"fmt"

	"minigem/llm"
)

// A Fake answers in order and records its requests.
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
