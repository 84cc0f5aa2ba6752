package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"minigem/llm/internal/remote"
)

// patience bounds the questions of ContextLength, all together.
const patience = 5 * time.Second

// ContextLength asks the server how many tokens [Options.Model] accepts, prompt and
// answer together. It tries the ways of vLLM, LM Studio, llama.cpp and Ollama one after
// the other, for at most 5 seconds in all. 0 means that the server does not say; OpenAI's
// own is not asked.
func (c *Client) ContextLength(ctx context.Context) (tokens int) {
	if c.opts.BaseURL == openAI {
		return 0
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	root := *c
	root.opts.BaseURL = strings.TrimSuffix(c.opts.BaseURL, "/v1")
	show, _ := json.Marshal(map[string]string{"model": c.opts.Model})
	for _, q := range []struct {
		method, path string
		body         []byte
		read         func(data []byte, model string) int
	}{
		{http.MethodGet, "/v1/models", nil, lengthInList},
		{http.MethodGet, "/api/v0/models", nil, lengthInList},
		{http.MethodGet, "/props", nil, lengthInProps},
		{http.MethodPost, "/api/show", show, lengthInShow},
	} {
		_ = root.try(ctx, q.method, q.path, q.body, func(_ *exchange, r io.Reader) error {
			data, err := remote.ReadAnswer(r, true)
			if err == nil {
				tokens = q.read(data, c.opts.Model)
			}
			return err
		})
		if tokens > 0 || ctx.Err() != nil {
			return max(tokens, 0)
		}
	}
	return 0
}

// lengthInList reads a list of models, as vLLM, LM Studio and routers give it.
func lengthInList(data []byte, model string) int {
	var list struct {
		Data []struct {
			ID     string `json:"id"`
			Loaded int    `json:"loaded_context_length"` // LM Studio
			Max    int    `json:"max_context_length"`
			VLLM   int    `json:"max_model_len"`
			Router int    `json:"context_length"`
		} `json:"data"`
	}
	_ = json.Unmarshal(data, &list) // an unreadable list is like an empty one
	for _, m := range list.Data {
		if m.ID == model {
			return cmp.Or(m.Loaded, m.Max, m.VLLM, m.Router)
		}
	}
	return 0
}

// lengthInProps reads the context that llama.cpp was started with.
func lengthInProps(data []byte, _ string) int {
	var props struct {
		Settings struct {
			Tokens int `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	_ = json.Unmarshal(data, &props)
	return props.Settings.Tokens
}

// lengthInShow reads what Ollama says about a model: the context it runs with, else the
// one it was trained for.
func lengthInShow(data []byte, _ string) int {
	var show struct {
		Parameters string         `json:"parameters"` // "num_ctx 8192", a line each
		Info       map[string]any `json:"model_info"`
	}
	_ = json.Unmarshal(data, &show)
	for line := range strings.Lines(show.Parameters) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "num_ctx" {
			n, _ := strconv.Atoi(f[1])
			return n
		}
	}
	for key, value := range show.Info {
		if n, ok := value.(float64); ok && strings.HasSuffix(key, ".context_length") {
			return int(n)
		}
	}
	return 0
}

// Models returns the ids of the server's models in its order, by one request that is not
// repeated. Errors are those of [Client].
func (c *Client) Models(ctx context.Context) ([]string, error) {
	var names []string
	err := c.try(ctx, http.MethodGet, "/models", nil, func(_ *exchange, r io.Reader) error {
		data, err := remote.ReadAnswer(r, true)
		if err != nil {
			return err
		}
		var list struct {
			Data []struct {
				ID string `json:"id"`
			} `json:"data"`
		}
		if json.Unmarshal(data, &list) != nil {
			return remote.NotAnAnswer(data)
		}
		for _, m := range list.Data {
			names = append(names, m.ID)
		}
		return nil
	})
	return names, err
}
