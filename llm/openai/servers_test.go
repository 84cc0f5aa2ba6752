package openai_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/llm"
	"minigem/llm/openai"
)

var update = flag.Bool("update", false, "rewrite the requests and the chunks in testdata/servers")

// TestServers plays the servers in testdata/servers. Each file has the server's
// answers, one line per event, and the result byte for byte: the request as it was
// sent, and the chunks of the answer.
func TestServers(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/servers/*.txtar")
	require.NoError(t, err)
	assert.GreaterOrEqual(t, len(files), 13)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(file)
			require.NoError(t, err)
			var sent []byte
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				sent, _ = io.ReadAll(r.Body)
				for line := range strings.Lines(string(a.Files[0].Data)) {
					_, _ = fmt.Fprintf(w, "data: %s\n\n", strings.TrimSpace(line))
				}
			}))
			defer s.Close()
			c := openai.New(openai.Options{Model: "small", BaseURL: s.URL + "/v1"})
			chunks, err := collect(c.Stream(t.Context(), localRequest()))
			require.NoError(t, err)
			got := &txtar.Archive{Comment: a.Comment, Files: []txtar.File{a.Files[0], {Name: "request", Data: append(sent, '\n')}, {Name: "chunks", Data: shown(t, chunks)}}}
			if *update {
				require.NoError(t, os.WriteFile(file, txtar.Format(got), 0o644))
			}
			assert.Equal(t, string(txtar.Format(a)), string(txtar.Format(got)))
		})
	}
}

// localRequest returns a request with two texts in a message, a call with its result,
// and two tools.
func localRequest() llm.Request {
	return llm.Request{
		Model: "ollama/small", System: "Be brief.",
		Tools: []llm.ToolSpec{{Name: "read_file", Parameters: []byte(`{"type":"object","properties":{"file_path":{"type":"string"}}}`)}, {Name: "glob"}},
		Messages: []llm.Message{
			{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: "<session_context>\nhere\n</session_context>"}, llm.Text{Text: "Read a.txt"}}},
			{Role: llm.RoleModel, Parts: []llm.Part{llm.ToolCall{ID: "c1", Name: "read_file", Args: map[string]any{"file_path": "a.txt"}}}},
			{Role: llm.RoleUser, Parts: []llm.Part{llm.ToolResult{ID: "c1", Name: "read_file", Response: map[string]any{"output": "A"}}}},
		},
	}
}

// shown formats chunks, one part per line.
func shown(t *testing.T, chunks []llm.Chunk) []byte {
	var b strings.Builder
	for _, c := range chunks {
		for _, p := range c.Parts {
			data, err := json.Marshal(p)
			require.NoError(t, err)
			fmt.Fprintf(&b, "%T %s\n", p, data)
		}
		if c.FinishReason != "" {
			fmt.Fprintf(&b, "%s %s\n", c.FinishReason, c.FinishMessage)
		}
	}
	return []byte(b.String())
}

// TestContextLength checks that each kind of server reports in its own way how many
// tokens a model accepts. A missing or nonsensical number is 0.
func TestContextLength(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path, body string
		want       int
	}{
		"vLLM":                {"/v1/models", `{"data": [{"id": "big", "max_model_len": 7}, {"id": "small", "max_model_len": 8192}]}`, 8192},
		"a router":            {"/v1/models", `{"data": [{"id": "small", "context_length": 4096}]}`, 4096},
		"LM Studio":           {"/api/v0/models", `{"data": [{"id": "small", "max_context_length": 32768, "loaded_context_length": 4096}]}`, 4096},
		"llama.cpp":           {"/props", `{"default_generation_settings": {"n_ctx": 16384}}`, 16384},
		"Ollama":              {"/api/show", `{"model_info": {"general.architecture": "qwen3", "qwen3.context_length": 40960}}`, 40960},
		"Ollama with num_ctx": {"/api/show", `{"parameters": "stop x\nnum_ctx   8192", "model_info": {"qwen3.context_length": 40960}}`, 8192},
		"no length":           {"/v1/models", `{"data": [{"id": "small"}]}`, 0},
		"another model":       {"/v1/models", `{"data": [{"id": "big", "max_model_len": 7}]}`, 0},
		"nonsense":            {"/v1/models", `[7]`, 0},
		"less than nothing":   {"/props", `{"default_generation_settings": {"n_ctx": -1}}`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != c.path {
					http.NotFound(w, r)
					return
				}
				_, _ = io.WriteString(w, c.body)
			}))
			defer s.Close()
			assert.Equal(t, c.want, openai.New(openai.Options{Model: "small", BaseURL: s.URL + "/v1"}).ContextLength(t.Context()))
		})
	}
	assert.Zero(t, openai.New(openai.Options{Model: "small", BaseURL: "http://127.0.0.1:1/v1"}).ContextLength(t.Context()))
}

// TestALongCallCostsItsLength checks that the memory for a call, a thought or the
// beginning of an answer is proportional to its length, however many pieces it comes
// in.
func TestALongCallCostsItsLength(t *testing.T) {
	for name, begin := range map[string]string{"a call": "<tool_call>", "a thought": "<think>", "white space": " ", "text": "x"} {
		per := func(pieces int) float64 {
			var b strings.Builder
			for i := range pieces + 1 {
				piece := "word "
				if i == 0 {
					piece = begin
				} else if begin == " " {
					piece = " "
				}
				fmt.Fprintf(&b, "data: {\"choices\": [{\"delta\": {\"content\": %q}}]}\n\n", piece)
			}
			b.WriteString("data: [DONE]\n\n")
			o := served(t, http.StatusOK, nil, b.String())
			return testing.AllocsPerRun(1, func() {
				_, err := collect(openai.New(o).Stream(t.Context(), localRequest()))
				require.NoError(t, err)
			}) / float64(pieces)
		}
		few, many := per(1_000), per(10_000)
		assert.Less(t, many, 1.5*few, name)
	}
}
