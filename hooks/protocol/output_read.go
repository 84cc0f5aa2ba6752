package protocol

import (
	"encoding/json"
	"fmt"
)

// UnmarshalJSON reads the canonical form, as MarshalJSON writes it. It is for tests and
// traces. What hooks print is read by [Dialect.Parse], which is lenient and says what
// it ignored. It replaces the whole Output.
func (o *Output) UnmarshalJSON(data []byte) error {
	var w wireOutput
	if err := json.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("reading output: %w", err)
	}
	*o = Output{
		Stop: w.Continue != nil && !*w.Continue, StopReason: w.StopReason,
		Decision: w.Decision, Reason: w.Reason, SystemMessage: w.SystemMessage, SuppressOutput: w.SuppressOutput,
	}
	if s := w.Specific; s != nil {
		o.AdditionalContext, o.ToolInput, o.ClearContext, o.TailToolCall = s.AdditionalContext, s.ToolInput, s.ClearContext,
			s.TailToolCall
		o.UpdatedOutput = s.UpdatedOutput
		o.LLMRequest, o.LLMResponse, o.ToolConfig = s.LLMRequest.change(), s.LLMResponse.response(), s.ToolConfig.config()
	}
	return nil
}

// config is the inverse of ToolConfig.wire.
func (t *wireToolConfig) config() *ToolConfig {
	if t == nil {
		return nil
	}
	return &ToolConfig{t.Mode, t.AllowedFunctionNames}
}

// change is the inverse of LLMRequestChange.wire.
func (w *wireRequest) change() *LLMRequestChange {
	if w == nil {
		return nil
	}
	c := &LLMRequestChange{Model: w.Model, ToolConfig: w.ToolConfig.config()}
	if w.Messages != nil {
		c.Messages = *w.Messages
	}
	if g := w.Config; g != nil {
		c.Temperature, c.TopP, c.TopK, c.MaxTokens = g.Temperature, g.TopP, g.TopK, g.MaxOutputTokens
	}
	return c
}

// response is the inverse of LLMResponse.wire.
func (w *wireResponse) response() *LLMResponse {
	if w == nil {
		return nil
	}
	r := &LLMResponse{Parts: []string{}, Usage: w.UsageMetadata, Calls: w.FunctionCalls}
	if len(w.Candidates) > 0 {
		r.Parts, r.FinishReason = w.Candidates[0].Content.Parts, w.Candidates[0].FinishReason
	}
	return r
}
