package compress_test

import (
	"fmt"
	"strings"

	"minigem/compress"
	"minigem/llm"
)

// Estimate estimates the size of a history before a provider has counted it.
func ExampleEstimate() {
	short := []llm.Message{llm.UserText("Hi")}
	long := []llm.Message{llm.UserText(strings.Repeat("word ", 10_000))}
	fmt.Println(compress.Estimate(short) < 10, compress.Estimate(long) > 10_000)
	// Output: true true
}

// Limit returns how many tokens a model accepts.
func ExampleLimit() {
	fmt.Println(compress.Limit("gemini-2.5-flash"))
	// Output: 1048576
}
