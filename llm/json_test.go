package llm_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/llm"
)

func TestPartJSON(t *testing.T) {
	t.Parallel()
	sig := []byte{0xfb, 0xff, 0x01} // "+/8B" in base64, "-_8B" in base64url
	tests := []struct {
		name string
		json string
		part llm.Part
	}{
		// every kind
		{"text", `{"text":"a <b> & c"}`, llm.Text{Text: "a <b> & c"}},
		{"empty text", `{"text":""}`, llm.Text{}},
		{"thought", `{"text":"**Plan** x","thought":true}`, llm.Thought{Text: "**Plan** x"}},
		{"blob", `{"inlineData":{"mimeType":"image/png","data":"AQI=","displayName":"a.png"}}`, llm.Blob{MIMEType: "image/png", Data: []byte{1, 2}, Name: "a.png"}},
		{"file", `{"fileData":{"mimeType":"text/plain","fileUri":"gs://b/o"}}`, llm.FileRef{MIMEType: "text/plain", URI: "gs://b/o"}},
		{"call", `{"functionCall":{"id":"1","name":"glob","args":{"pattern":"*"}}}`, llm.ToolCall{ID: "1", Name: "glob", Args: map[string]any{"pattern": "*"}}},
		{"call without arguments", `{"functionCall":{"name":"glob"}}`, llm.ToolCall{Name: "glob"}},
		{"call with empty arguments", `{"functionCall":{"name":"glob","args":{}}}`, llm.ToolCall{Name: "glob", Args: map[string]any{}}},
		{"result", `{"functionResponse":{"id":"1","name":"glob","response":{"output":"x"}}}`, llm.ToolResult{ID: "1", Name: "glob", Response: map[string]any{"output": "x"}}},
		{"result with parts", `{"functionResponse":{"name":"r","response":{},"parts":[{"inlineData":{"mimeType":"image/png","data":"AQ=="}}]}}`,
			llm.ToolResult{Name: "r", Response: map[string]any{}, Parts: []llm.Part{llm.Blob{MIMEType: "image/png", Data: []byte{1}}}}},
		// signatures
		{"signed text", `{"text":"a","thoughtSignature":"+/8B"}`, llm.Text{Text: "a", Signature: sig}},
		{"signed empty text", `{"text":"","thoughtSignature":"+/8B"}`, llm.Text{Signature: sig}},
		{"signed thought", `{"text":"a","thought":true,"thoughtSignature":"+/8B"}`, llm.Thought{Text: "a", Signature: sig}},
		{"signed call", `{"functionCall":{"name":"glob"},"thoughtSignature":"+/8B"}`, llm.ToolCall{Name: "glob", Signature: sig}},
		{"signed blob", `{"inlineData":{"mimeType":"image/png","data":"AQ=="},"thoughtSignature":"+/8B"}`, llm.Blob{MIMEType: "image/png", Data: []byte{1}, Signature: sig}},
		{"signature not known", `{"functionCall":{"name":"glob"},"thoughtSignature":"skip_thought_signature_validator"}`, llm.ToolCall{Name: "glob", Signature: llm.SkipSignature()}},
		// unknown fields stay
		{"code", `{"executableCode":{"language":"PYTHON","code":"1+1"}}`, llm.Opaque{JSON: json.RawMessage(`{"executableCode":{"language":"PYTHON","code":"1+1"}}`)}},
		{"file with settings", `{"fileData":{"fileUri":"gs://v"},"videoMetadata":{"fps":2}}`, llm.Opaque{JSON: json.RawMessage(`{"fileData":{"fileUri":"gs://v"},"videoMetadata":{"fps":2}}`)}},
		{"nothing", `{}`, llm.Opaque{JSON: json.RawMessage(`{}`)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			part, err := llm.UnmarshalPart([]byte(tt.json))
			require.NoError(t, err)
			assert.Equal(t, tt.part, part)
			data, err := llm.MarshalPart(tt.part)
			require.NoError(t, err)
			assert.JSONEq(t, tt.json, string(data))
		})
	}
}

func TestPartJSONTakesMoreThanItWrites(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, out string }{
		{"base64url", `{"text":"a","thoughtSignature":"-_8B"}`, `{"text":"a","thoughtSignature":"+/8B"}`},
		{"unpadded", `{"text":"a","thoughtSignature":"AQ"}`, `{"text":"a","thoughtSignature":"AQ=="}`},
		{"any word of a hand-written script", `{"text":"a","thoughtSignature":"my sig!"}`, `{"text":"a","thoughtSignature":"bXkgc2lnIQ=="}`},
		{"null signature", `{"text":"a","thoughtSignature":null}`, `{"text":"a"}`},
		{"null arguments", `{"functionCall":{"name":"x","args":null}}`, `{"functionCall":{"name":"x"}}`},
		{"null response", `{"functionResponse":{"name":"x","response":null}}`, `{"functionResponse":{"name":"x","response":{}}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			part, err := llm.UnmarshalPart([]byte(tt.in))
			require.NoError(t, err)
			data, err := llm.MarshalPart(part)
			require.NoError(t, err)
			assert.JSONEq(t, tt.out, string(data))
		})
	}
}

func TestJSONErrorsNameTheThing(t *testing.T) {
	t.Parallel()
	_, err := llm.UnmarshalPart([]byte(`{"text":1}`))
	assert.ErrorContains(t, err, "reading part: ")
	_, err = llm.UnmarshalPart([]byte(`{"text":"a","thoughtSignature":7}`))
	assert.ErrorContains(t, err, "reading thoughtSignature: ")
	assert.ErrorContains(t, json.Unmarshal([]byte(`{"parts":"x"}`), new(llm.Message)), "reading content: ")
	assert.ErrorContains(t, json.Unmarshal([]byte(`{"candidates":{}}`), new(llm.Chunk)), "reading response: ")
	assert.ErrorContains(t, json.Unmarshal([]byte(`{"contents":{}}`), new(llm.Request)), "reading request: ")
}

func TestPartsJSON(t *testing.T) {
	t.Parallel()
	data, err := llm.MarshalParts(nil)
	require.NoError(t, err)
	assert.Equal(t, `[]`, string(data))
	in := []llm.Part{llm.Text{Text: "a"}, llm.ToolCall{Name: "x"}}
	data, err = llm.MarshalParts(in)
	require.NoError(t, err)
	var out llm.Message
	require.NoError(t, json.Unmarshal([]byte(`{"parts": `+string(data)+`}`), &out))
	assert.Equal(t, in, out.Parts)
}

func TestChunkJSON(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		json  string
		chunk llm.Chunk
	}{
		{"text goes on", `{"candidates":[{"content":{"parts":[{"text":"a"}],"role":"model"},"index":0}]}`, llm.Chunk{Parts: []llm.Part{llm.Text{Text: "a"}}}},
		{"finish alone", `{"candidates":[{"content":{"parts":[],"role":"model"},"finishReason":"MAX_TOKENS","finishMessage":"long","index":1}]}`,
			llm.Chunk{FinishReason: "MAX_TOKENS", FinishMessage: "long", Index: 1}},
		{"usage", `{"candidates":[{"content":{"parts":[],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":2,"totalTokenCount":21,"cachedContentTokenCount":3,"thoughtsTokenCount":4,"toolUsePromptTokenCount":5},"modelVersion":"m-001","responseId":"r"}`,
			llm.Chunk{Usage: &llm.Usage{Prompt: 1, Candidates: 2, Total: 21, Cached: 3, Thoughts: 4, ToolUse: 5}, ModelVersion: "m-001", ResponseID: "r"}},
		{"safety, grounding, citations", `{"candidates":[{"content":{"parts":[{"text":"a"}],"role":"model"},"index":0,"safetyRatings":[{"category":"C","probability":"HIGH","blocked":true}],"groundingMetadata":{"g":1},"citationMetadata":{"c":1},"urlContextMetadata":{"u":1}}]}`,
			llm.Chunk{Parts: []llm.Part{llm.Text{Text: "a"}}, SafetyRatings: []llm.SafetyRating{{Category: "C", Probability: "HIGH", Blocked: true}},
				Grounding: json.RawMessage(`{"g":1}`), Citations: json.RawMessage(`{"c":1}`), URLContext: json.RawMessage(`{"u":1}`)}},
		{"prompt refused", `{"promptFeedback":{"blockReason":"SAFETY"}}`, llm.Chunk{BlockReason: "SAFETY"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			data, err := json.Marshal(tt.chunk)
			require.NoError(t, err)
			assert.JSONEq(t, tt.json, string(data))
			var chunk llm.Chunk
			require.NoError(t, json.Unmarshal([]byte(tt.json), &chunk))
			assert.Equal(t, tt.chunk, chunk)
		})
	}
}

func TestChunkJSONTakesTheFirstCandidate(t *testing.T) {
	t.Parallel()
	var c llm.Chunk
	require.NoError(t, json.Unmarshal([]byte(`{"candidates":[{"content":{"parts":[{"text":"a"}]}},{"content":{"parts":[{"text":"b"}]},"index":1}]}`), &c))
	assert.Equal(t, llm.Chunk{Parts: []llm.Part{llm.Text{Text: "a"}}}, c)
	require.NoError(t, json.Unmarshal([]byte(`{}`), &c))
	assert.Equal(t, llm.Chunk{}, c, "what was in it before is gone")
}

// The recording is of Gemini CLI 0.61.
func TestChunkJSONKeepsARecording(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/recorded.responses")
	require.NoError(t, err)
	chunks := 0
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		var entry struct{ Response []json.RawMessage }
		require.NoError(t, json.Unmarshal(lines.Bytes(), &entry))
		for _, raw := range entry.Response {
			var c llm.Chunk
			require.NoError(t, json.Unmarshal(raw, &c))
			out, err := json.Marshal(c)
			require.NoError(t, err)
			assert.JSONEq(t, string(raw), string(out))
			chunks++
		}
	}
	assert.Greater(t, chunks, 4)
}

func ptr[T any](v T) *T { return &v }

func fullRequest() llm.Request {
	return llm.Request{
		System: "be kind",
		Messages: []llm.Message{
			llm.UserText("hello"),
			{Role: llm.RoleModel, Parts: []llm.Part{llm.ToolCall{ID: "glob__abc", Name: "glob", Args: map[string]any{"n": 1.5}, Signature: llm.SkipSignature()}}},
			{Role: llm.RoleUser, Parts: []llm.Part{llm.ToolResult{ID: "glob__abc", Name: "glob", Response: map[string]any{"output": "x"}}}},
		},
		Tools:  []llm.ToolSpec{{Name: "glob", Description: "finds", Parameters: json.RawMessage(`{"type":"object"}`)}},
		Choice: llm.ToolChoice{Mode: llm.ToolModeAny, Allowed: []string{"glob"}},
		Sampling: llm.Sampling{
			Temperature: ptr(1.0), TopP: ptr(0.95), TopK: ptr(64.0), MaxOutputTokens: ptr(100), StopSequences: []string{"END"},
			Thinking: &llm.Thinking{IncludeThoughts: true, Budget: ptr(8), Level: "HIGH"}, JSONSchema: json.RawMessage(`{"type":"string"}`),
		},
		Builtins: llm.Builtins{GoogleSearch: true, URLContext: true},
	}
}

const fullRequestJSON = `{
	"contents": [
		{"parts": [{"text": "hello"}], "role": "user"},
		{"parts": [{"functionCall": {"id": "abc", "name": "glob", "args": {"n": 1.5}}, "thoughtSignature": "skip_thought_signature_validator"}], "role": "model"},
		{"parts": [{"functionResponse": {"id": "abc", "name": "glob", "response": {"output": "x"}}}], "role": "user"}
	],
	"systemInstruction": {"parts": [{"text": "be kind"}], "role": "user"},
	"tools": [
		{"functionDeclarations": [{"name": "glob", "description": "finds", "parametersJsonSchema": {"type": "object"}}]},
		{"googleSearch": {}}, {"urlContext": {}}
	],
	"toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["glob"]}},
	"generationConfig": {
		"temperature": 1, "topP": 0.95, "topK": 64, "maxOutputTokens": 100, "stopSequences": ["END"],
		"responseMimeType": "application/json", "responseJsonSchema": {"type": "string"},
		"thinkingConfig": {"includeThoughts": true, "thinkingBudget": 8, "thinkingLevel": "HIGH"}
	}
}`

func TestRequestJSON(t *testing.T) {
	t.Parallel()
	req := fullRequest()
	data, err := json.Marshal(req)
	require.NoError(t, err)
	assert.JSONEq(t, fullRequestJSON, string(data))
	assert.Equal(t, fullRequest(), req, "marshalling changes nothing")

	var back llm.Request
	require.NoError(t, json.Unmarshal(data, &back))
	for i := range req.Messages {
		req.Messages[i] = llm.OnWire(req.Messages[i])
	}
	assert.Equal(t, req, back)
}

func TestRequestJSONSendsNamesOnlyWithAny(t *testing.T) {
	t.Parallel()
	tests := []struct {
		mode llm.ToolMode
		want string
	}{
		{llm.ToolModeUnset, `{"contents":[],"generationConfig":{}}`},
		{llm.ToolModeAuto, `{"contents":[],"generationConfig":{},"toolConfig":{"functionCallingConfig":{"mode":"AUTO"}}}`},
		{llm.ToolModeNone, `{"contents":[],"generationConfig":{},"toolConfig":{"functionCallingConfig":{"mode":"NONE"}}}`},
		{llm.ToolModeAny, `{"contents":[],"generationConfig":{},"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["a"]}}}`},
	}
	for _, tt := range tests {
		data, err := json.Marshal(llm.Request{Choice: llm.ToolChoice{Mode: tt.mode, Allowed: []string{"a"}}})
		require.NoError(t, err)
		assert.JSONEq(t, tt.want, string(data), tt.mode)
	}
}

func TestIDs(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, id, session, wire string }{
		{"glob", "abc", "glob__abc", "abc"},
		{"glob", "glob__abc", "glob__abc", "abc"},
		{"glob", "glob_1795219827599_0", "glob__glob_1795219827599_0", "glob_1795219827599_0"},
		{"glob", "globber__x", "glob__globber__x", "globber__x"},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.session, llm.SessionID(tt.name, tt.id))
		assert.Equal(t, tt.wire, llm.WireID(tt.name, tt.session))
	}
}

func BenchmarkRequestJSON(b *testing.B) {
	req := llm.Request{Messages: bigHistory()}
	for b.Loop() {
		if _, err := json.Marshal(req); err != nil {
			b.Fatal(err)
		}
	}
}

// bigHistory returns a conversation of about 1 MiB.
func bigHistory() []llm.Message {
	text := string(bytes.Repeat([]byte("package main // <x>\n"), 512))
	var ms []llm.Message
	for range 50 {
		ms = append(ms,
			llm.Message{Role: llm.RoleModel, Parts: []llm.Part{llm.Text{Text: text}, llm.ToolCall{ID: "read_file__1", Name: "read_file", Args: map[string]any{"file_path": "a"}}}},
			llm.Message{Role: llm.RoleUser, Parts: []llm.Part{llm.ToolResult{ID: "read_file__1", Name: "read_file", Response: map[string]any{"output": text}}}})
	}
	return ms
}
