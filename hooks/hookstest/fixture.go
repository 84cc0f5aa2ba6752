package hookstest

import "minigem/llm"

// Request returns the request of every model event that has no other: a conversation with
// a call, its result, an image, a thought and signatures, and three tools. It is new each
// time.
func Request() llm.Request {
	temperature, topP, topK, budget := 1.0, 0.95, 64.0, 8192
	return llm.Request{
		Model:  "gemini-2.5-flash",
		System: "be brief",
		Messages: []llm.Message{
			llm.UserText("hello"),
			{Role: llm.RoleModel, Parts: []llm.Part{
				llm.Thought{Text: "hm"},
				llm.Text{Text: "let me see", Signature: []byte("s1")},
				llm.ToolCall{ID: "read_file__c1", Name: "read_file", Args: map[string]any{"file_path": "a"},
					Signature: []byte("s2")},
			}},
			{Role: llm.RoleUser, Parts: []llm.Part{
				llm.ToolResult{ID: "read_file__c1", Name: "read_file", Response: map[string]any{"output": "data"}},
			}},
			llm.ModelText("done"),
			{Role: llm.RoleUser,
				Parts: []llm.Part{llm.Text{Text: "and this?"}, llm.Blob{MIMEType: "image/png", Data: []byte("PNG")}}},
		},
		Tools: []llm.ToolSpec{{Name: "read_file"}, {Name: "write_file"}, {Name: "glob"}},
		Sampling: llm.Sampling{
			Temperature: &temperature, TopP: &topP, TopK: &topK,
			Thinking: &llm.Thinking{IncludeThoughts: true, Budget: &budget},
		},
	}
}

// Chunk returns the chunk of every AfterModel event that has no other. It is new each
// time.
func Chunk() llm.Chunk {
	return llm.Chunk{Parts: []llm.Part{llm.Text{Text: "Hello world", Signature: []byte("s3")}}, FinishReason: "STOP"}
}

// Messages is the conversation of [Request] as hooks read it: the elements of
// llm_request.messages, separated by commas.
const Messages = `{"role":"user","content":"hello"},` +
	`{"role":"model","content":[{"type":"text","text":"let me ` +
	`see"},{"type":"function_call","name":"read_file","args":{"file_path":"a"},"id":"c1"}]},` +
	`{"role":"user","content":[{"type":"function_response","name":"read_file","response":{"output":"data"},"id":"c1"}]},` +
	`{"role":"model","content":"done"},` +
	`{"role":"user","content":[{"type":"text","text":"and ` +
	`this?"},{"type":"inline_data","mimeType":"image/png","bytes":3}]}`
