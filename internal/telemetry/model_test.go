package telemetry

import (
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/llm"
)

func TestModel(t *testing.T) {
	t.Parallel()
	tel, path := toFile(t, nil)
	call := llm.Chunk{Parts: []llm.Part{llm.ToolCall{ID: "c1", Name: "look", Args: map[string]any{"a": 1}}}}
	require.NoError(t, ask(t, tel.Model(scripted(append([]llm.Chunk{call}, chunks()...)...), RoleMain)))
	require.NoError(t, tel.Close())
	names, attrs := logged(t, path)
	assert.Equal(t, []string{"gemini_cli.api_request", inference, "gemini_cli.api_response", inference,
		"gemini_cli.conversation_finished"}, names)
	assert.Equal(t, object{
		"_body": "API request to gemini-x.", "model": "gemini-x", "prompt_id": "S", "role": "main",
		"request_text": `[{"parts":[{"text":"Hi"}],"role":"user"}]`,
	}, attrs["gemini_cli.api_request"])
	response := attrs["gemini_cli.api_response"]
	assert.Contains(t, response["response_text"], `"text":"Hello "`)
	delete(response, "response_text")
	assert.Equal(t, object{
		"_body": "API response from gemini-x. Status: 200. Duration: 0ms.", "model": "gemini-x", "duration_ms": 0.0,
		"input_token_count": 100.0, "output_token_count": 10.0, "cached_content_token_count": 20.0,
		"thoughts_token_count": 4.0,
		"tool_token_count":     1.0, "total_token_count": 115.0, "prompt_id": "S", "status_code": 200.0,
		"http.status_code": 200.0,
		"finish_reasons":   []any{"stop"}, "role": "main",
	}, response)
	assert.Equal(t, object{
		"_body":                 "GenAI operation response details from gemini-x. Status: 200. Duration: 0ms.",
		"gen_ai.operation.name": "generate_content", "gen_ai.provider.name": "gcp.gen_ai", "gen_ai.request.model": "gemini-x",
		"gen_ai.response.model":          "gemini-x",
		"gen_ai.response.finish_reasons": []any{"stop"}, "gen_ai.usage.input_tokens": 100.0,
		"gen_ai.usage.output_tokens": 10.0,
		"gen_ai.output.messages": `[{"finish_reason":"stop","parts":[{"content":"Hello there.","type":"text"},` +
			`{"arguments":{"a":1},"id":"c1","name":"look","type":"tool_call"}],"role":"assistant"}]`,
	}, attrs[inference])
}

// TestRequestDetails checks the attributes of a request, with its instructions only if
// prompts are logged.
func TestRequestDetails(t *testing.T) {
	t.Parallel()
	temperature := 0.5
	for _, prompts := range []bool{true, false} {
		tel, path := toFile(t, func(o *Options) { o.LogPrompts = prompts })
		_, err := tel.Model(failing{err: errors.New("odd")}, RoleMain).Generate(t.Context(),
			llm.Request{Model: "gemini-x", System: "Be <good>.", Sampling: llm.Sampling{Temperature: &temperature}})
		require.Error(t, err)
		require.NoError(t, tel.Close())
		want := object{
			"_body": "GenAI operation request details from gemini-x.", "gen_ai.operation.name": "generate_content",
			"gen_ai.provider.name": "gcp.gen_ai", "gen_ai.request.model": "gemini-x", "gen_ai.request.temperature": 0.5,
		}
		if prompts {
			want["gen_ai.system_instructions"] = `[{"content":"Be <good>.","type":"text"}]`
		}
		_, attrs := logged(t, path)
		assert.Equal(t, want, attrs[inference])
	}
}

func TestModelFails(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err    error
		kind   string
		status any
	}{
		{&llm.Error{Kind: llm.ErrAuth, Status: 401, Message: "refused"}, string(llm.ErrAuth), 401.0},
		{errors.New("odd"), "unknown", nil},
		{context.Canceled, "cancelled", nil},
	} {
		tel, path := toFile(t, nil)
		m := tel.Model(failing{err: c.err}, RoleCompressor)
		assert.Equal(t, c.err, ask(t, m))
		_, err := m.Generate(t.Context(), llm.Request{Model: "gemini-x"})
		assert.Equal(t, c.err, err)
		require.NoError(t, tel.Close())
		names, attrs := logged(t, path)
		assert.Equal(t, []string{"gemini_cli.api_request", inference, "gemini_cli.api_error", "gemini_cli.api_request",
			inference, "gemini_cli.api_error", "gemini_cli.conversation_finished"}, names)
		told := attrs["gemini_cli.api_error"]
		assert.Equal(t, []any{c.err.Error(), c.kind, c.status, RoleCompressor},
			[]any{told["error.message"], told["error.type"], told["status_code"], told["role"]})
	}
}

type failing struct {
	llm.Provider
	err error
}

func (f failing) Stream(context.Context, llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) { yield(llm.Chunk{}, f.err) }
}

func (f failing) Generate(context.Context, llm.Request) (llm.Chunk, error) { return llm.Chunk{}, f.err }
