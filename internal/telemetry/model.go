package telemetry

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"minigem/llm"
)

// Roles of requests (core/output/types.ts).
const (
	RoleMain       = "main"
	RoleSubagent   = "subagent"
	RoleTool       = "utility_tool"
	RoleCompressor = "utility_compressor"
)

// Model wraps p to log each request and answer as sent. If t is nil, it returns p.
func (t *Telemetry) Model(p llm.Provider, role string) llm.Provider {
	if t == nil {
		return p
	}
	return &observedModel{p, t, role}
}

type observedModel struct {
	llm.Provider
	t    *Telemetry
	role string
}

// Stream implements llm.Model.
func (m *observedModel) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		c := m.asked(req)
		for chunk, err := range m.Provider.Stream(ctx, req) {
			if err != nil {
				c.failed(err)
				yield(chunk, err)
				return
			}
			c.add(chunk)
			if !yield(chunk, nil) {
				break
			}
		}
		c.answered()
	}
}

// Generate implements llm.Generator.
func (m *observedModel) Generate(ctx context.Context, req llm.Request) (llm.Chunk, error) {
	c := m.asked(req)
	chunk, err := m.Provider.Generate(ctx, req)
	if err != nil {
		c.failed(err)
		return chunk, err
	}
	c.add(chunk)
	c.answered()
	return chunk, nil
}

// call is a request in progress.
type call struct {
	*observedModel
	model    string
	sampling []any // attributes of the request, for inference
	start    time.Time
	ctx      context.Context // carries its span
	end      func(time.Time)
	chunks   []llm.Chunk // nil if payloads are not logged
	usage    llm.Usage
	ends     []string
}

func (m *observedModel) asked(req llm.Request) *call {
	c := &call{observedModel: m, model: req.Model, start: m.t.o.Now()}
	c.ctx, c.end = m.t.span("llm_call", c.start, "gen_ai.request.model", req.Model)
	text := ""
	if m.t.o.LogPrompts {
		if data, err := json.Marshal(req.Messages); err == nil {
			text = string(data)
		}
	}
	m.t.logIn(c.ctx, "gemini_cli.api_request", fmt.Sprintf("API request to %s.", req.Model),
		"model", req.Model, "prompt_id", m.t.promptID(),
		m.t.payload("request_text", text), "role", m.role)
	c.sampling = c.details(req)
	m.t.logIn(c.ctx, inference, "GenAI operation request details from "+req.Model+".", c.sampling...)
	return c
}

func (c *call) add(chunk llm.Chunk) {
	if chunk.Usage != nil {
		c.usage = *chunk.Usage
	}
	if chunk.FinishReason != "" {
		c.ends = append(c.ends, strings.ToLower(chunk.FinishReason))
	}
	if c.t.o.LogPrompts {
		c.chunks = append(c.chunks, chunk)
	}
}

func (c *call) answered() {
	t, u := c.t, c.usage
	took := t.o.Now().Sub(c.start)
	t.logIn(c.ctx, "gemini_cli.api_response", fmt.Sprintf("API response from %s. Status: 200. Duration: %dms.", c.model,
		took.Milliseconds()),
		"model", c.model, "duration_ms", took.Milliseconds(),
		"input_token_count", u.Prompt, "output_token_count", u.Candidates,
		"cached_content_token_count", u.Cached, "thoughts_token_count", u.Thoughts,
		"tool_token_count", u.ToolUse, "total_token_count", u.Total,
		"prompt_id", t.promptID(), "status_code", 200,
		"finish_reasons", c.ends, "role", c.role,
		t.payload("response_text", inJSON(c.chunks)), "http.status_code", 200)
	t.logIn(c.ctx, inference, fmt.Sprintf("GenAI operation response details from %s. Status: 200. Duration: %dms.",
		c.model, took.Milliseconds()),
		append(slices.Clip(c.sampling), "gen_ai.response.finish_reasons", c.ends,
			"gen_ai.response.model", c.model,
			"gen_ai.usage.input_tokens", u.Prompt, "gen_ai.usage.output_tokens", u.Candidates,
			t.payload("gen_ai.output.messages", c.said()))...)
	c.end(t.o.Now())
	c.counted(took, attribute.Int("status_code", 200))
	model := attribute.String("model", c.model)
	for _, n := range []struct {
		kind string
		n    int
	}{{"input", u.Prompt}, {"output", u.Candidates}, {"cache", u.Cached}, {"thought", u.Thoughts}, {"tool", u.ToolUse}} {
		t.count(t.counts.tokens, int64(n.n), model, "type", n.kind)
	}
	for kind, n := range map[string]int{"input": u.Prompt, "output": u.Candidates} {
		t.measure(t.counts.genTokens, int64(n), c.genAI("gen_ai.response.model", c.model, "gen_ai.token.type", kind)...)
	}
	t.counts.genDuration.Record(context.Background(), took.Seconds(), t.with(c.genAI("gen_ai.response.model", c.model)...))
}

// inference is the event of OpenTelemetry's conventions for generative models. It is
// logged once for each request and each answer.
const inference = "gen_ai.client.inference.operation.details"

func (c *call) details(req llm.Request) []any {
	kvs := c.genAI()
	for _, n := range []struct {
		name string
		v    *float64
	}{{"temperature", req.Sampling.Temperature}, {"top_p", req.Sampling.TopP}, {"top_k", req.Sampling.TopK}} {
		if n.v != nil {
			kvs = append(kvs, attribute.Float64("gen_ai.request."+n.name, *n.v))
		}
	}
	if req.System != "" {
		kvs = append(
			kvs, c.t.payload("gen_ai.system_instructions", inJSON([]map[string]string{{"type": "text", "content": req.System}})))
	}
	return kvs
}

// said returns the answer in the form of gen_ai.output.messages.
func (c *call) said() string {
	var all []llm.Part
	for _, chunk := range c.chunks {
		all = append(all, chunk.Parts...)
	}
	var parts []map[string]any
	if text := llm.PartsText(all); text != "" {
		parts = append(parts, map[string]any{"type": "text", "content": text})
	}
	for _, call := range llm.PartsCalls(all) {
		parts = append(parts, map[string]any{"type": "tool_call", "id": call.ID, "name": call.Name, "arguments": call.Args})
	}
	return inJSON([]map[string]any{{"role": "assistant", "parts": parts, "finish_reason": strings.Join(c.ends, ",")}})
}

func inJSON(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return ""
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (c *call) genAI(more ...any) []any {
	return append([]any{
		"gen_ai.operation.name", "generate_content", "gen_ai.provider.name", "gcp.gen_ai",
		"gen_ai.request.model", c.model,
	}, more...)
}

func (c *call) failed(err error) {
	took := c.t.o.Now().Sub(c.start)
	kind, status := "unknown", attribute.KeyValue{}
	var e *llm.Error
	switch {
	case errors.As(err, &e):
		kind = cmp.Or(string(e.Kind), kind)
		if e.Status != 0 {
			status = attribute.Int("status_code", e.Status)
		}
	case errors.Is(err, context.Canceled):
		kind = "cancelled"
	}
	c.t.logIn(c.ctx, "gemini_cli.api_error", fmt.Sprintf("API error for %s. Error: %v. Duration: %dms.", c.model, err,
		took.Milliseconds()),
		"model", c.model, "model_name", c.model,
		"error", err.Error(), "error.message", err.Error(),
		"error.type", kind, status,
		"duration_ms", took.Milliseconds(), "duration", took.Milliseconds(),
		"prompt_id", c.t.promptID(), "role", c.role)
	c.end(c.t.o.Now())
	if status.Key == "" {
		status = attribute.String("status_code", "error")
	}
	c.counted(took, status)
}

func (c *call) counted(took time.Duration, status attribute.KeyValue) {
	c.t.count(c.t.counts.requests, 1, "model", c.model, status)
	c.t.counts.requestLatency.Record(context.Background(), took.Milliseconds(),
		metric.MeasurementOption(c.t.with("model", c.model)))
}
