package main

import (
	"context"
	"errors"
	"maps"
	"slices"

	"minigem/hooks"
	"minigem/llm"
	"minigem/session"
)

func (r *rig) childEnv() []string { return r.env }
func (r *rig) mask(b []byte) []byte { return b }
func (r *rig) preamble() string { return "<session_context>\nx\n</session_context>" }
func (r *rig) systemPrompt(sys *system) func() string { return nil }
func (r *rig) expand(ctx context.Context, prompt string) ([]llm.Part, error) { return nil, nil }
func (r *rig) compress(ctx context.Context) error { r.engine.PreCompress(ctx, "manual"); return nil }
func dotEnv(sys *system, c *configuration) []string { return nil }
func isNoSessions(err error) bool { return errors.Is(err, session.ErrNoSessions) }
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
func runInteractive(ctx context.Context, sys *system, f *flags) error { return errors.New("no chat") }
func (o *headlessOutput) hook(r hooks.Report) {}
