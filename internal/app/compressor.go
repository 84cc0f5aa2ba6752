package app

import (
	"context"
	"errors"
	"strings"

	"minigem/agent/event"
	"minigem/compress"
	"minigem/hooks"
	"minigem/internal/telemetry"
	"minigem/llm"
	"minigem/llm/openai"
	"minigem/session"
)

// compressorOf makes the compressor of one agent's history.
func (r *Runtime) compressorOf(h compress.History, model string) *compress.Compressor {
	var ask func(context.Context) int
	if o, err := openai.OptionsFor(model, r.source().lookup); err == nil &&
		r.Flags.Script() == "" {
		o.Version = Version
		ask = openai.New(o).ContextLength
	}
	return &compress.Compressor{
		History:   h,
		Ask:       ask,
		Model:     r.sideModel(telemetry.RoleCompressor),
		ModelName: model,
		Threshold: r.Config.Settings.Model.CompressionThreshold,
		Hooks:     compressHooks{r},
		Save: func(callID, text string) (string, error) {
			return r.saveOutput(llm.ToolCall{ID: callID}, text)
		},
		Report: func(res compress.Result) {
			e := event.Compressed{Before: res.Before, After: res.After, Status: int(res.Status)}
			if r.sink != nil && (res.Changed() || res.Trigger == compress.TriggerManual) {
				r.sink.Emit(e)
			}
			if res.Err != nil {
				r.warn("the history was not compressed: " + res.Err.Error())
			}
		},
		ReportMasked: func(m compress.Masked) {
			r.sink.Emit(event.Masked{Outputs: m.Outputs, Prunable: m.Prunable, Before: m.Before, After: m.After})
		},
	}
}

// Compress compresses the history for /compress.
func (r *Runtime) Compress(ctx context.Context) error {
	res := r.Compressor.Compress(ctx, 0)
	if res.Err != nil && !errors.Is(res.Err, context.Canceled) {
		return res.Err
	}
	return nil
}

// compressHooks fires the hook events around a compression.
type compressHooks struct{ r *Runtime }

func (h compressHooks) PreCompress(ctx context.Context, trigger string) string {
	return h.r.Engine.PreCompress(ctx, trigger).Context
}

// PostCompact fires SessionStart again if a summary replaced what hooks had said at the
// start of the session. A subagent has no session.
func (h compressHooks) PostCompact(ctx context.Context, trigger, summary string) string {
	h.r.Engine.PostCompact(ctx, trigger, summary)
	if summary == "" || hooks.SubagentOf(ctx) != (hooks.Subagent{}) {
		return ""
	}
	return strings.Trim(h.r.Engine.SessionStart(ctx, session.SourceCompact).Context, "\n")
}
