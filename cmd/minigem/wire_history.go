package main

import (
	"context"
	"errors"

	"minigem/agent/event"
	"minigem/compress"
	"minigem/internal/telemetry"
	"minigem/llm"
)

func (r *rig) wireCompressor(_ context.Context, sys *system, w *wiring) error {
	r.compressor = &compress.Compressor{
		History:   r.session,
		Model:     r.beside(sys, telemetry.RoleCompressor),
		ModelName: r.modelName,
		Preamble:  r.session.Preamble,
		Threshold: r.settings.Model.CompressionThreshold,
		Hooks:     preCompress{r},
		Save: func(callID, text string) (string, error) {
			return r.saveOutput(llm.ToolCall{ID: callID}, text)
		},
		Report: func(res compress.Result) {
			e := event.Compressed{Before: res.Before, After: res.After, Status: int(res.Status)}
			if r.sink != nil && (res.Changed() || res.Trigger == compress.TriggerManual) {
				r.sink.Emit(e)
			}
			if res.Err != nil {
				w.warn("the history was not compressed: " + res.Err.Error())
			}
		},
		ReportMasked: func(m compress.Masked) {
			r.sink.Emit(event.Masked{Outputs: m.Outputs, Prunable: m.Prunable, Before: m.Before, After: m.After})
		},
	}
	return nil
}

// compress is what /compress does.
func (r *rig) compress(ctx context.Context) error {
	res := r.compressor.Compress(ctx, 0)
	if res.Err != nil && !errors.Is(res.Err, context.Canceled) {
		return res.Err
	}
	return nil
}

// preCompress fires the event that announces a compression.
type preCompress struct{ r *rig }

func (p preCompress) PreCompress(ctx context.Context, trigger string) {
	p.r.engine.PreCompress(ctx, trigger)
}
