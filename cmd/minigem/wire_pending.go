package main

import (
	"context"
	"errors"
	"maps"
	"slices"

	"minigem/llm"
	"minigem/session"
)

func (r *rig) preamble() string                                              { return "<session_context>\nx\n</session_context>" }
func (r *rig) systemPrompt(sys *system) func() string                        { return nil }
func (r *rig) expand(ctx context.Context, prompt string) ([]llm.Part, error) { return nil, nil }
func isNoSessions(err error) bool                                            { return errors.Is(err, session.ErrNoSessions) }
func sortedKeys[V any](m map[string]V) []string                              { return slices.Sorted(maps.Keys(m)) }
func runInteractive(ctx context.Context, sys *system, f *flags) error        { return errors.New("no chat") }
