package models

import (
	"strings"

	"minigem/internal/settings"
	"minigem/llm"
)

func ptr[T any](v T) *T { return &v }

// builtIn returns a built-in alias (core/config/defaultModelConfigs.ts).
func builtIn(name string) (alias, bool) {
	of := func(extends, model string, g settings.ModelGenerate) (alias, bool) {
		return alias{
				ModelAlias: settings.ModelAlias{Extends: extends, ModelConfig: settings.ModelConfig{Model: model, Generate: g}}},
			true
	}
	none := settings.ModelGenerate{}
	base, isBase := strings.CutSuffix(name, "-base")
	switch {
	case name == "base":
		return of("", "", settings.ModelGenerate{Temperature: ptr(0.0), TopP: ptr(1.0)})
	case name == "chat-base":
		return of("base", "", settings.ModelGenerate{Temperature: ptr(1.0), TopP: ptr(0.95), TopK: ptr(64.0),
			Thinking: settings.ModelThinking{IncludeThoughts: ptr(true)}})
	case name == "chat-base-2.5":
		return of("chat-base", "", settings.ModelGenerate{Thinking: settings.ModelThinking{Budget: ptr(8192)}})
	case name == "chat-base-3":
		return of("chat-base", "", settings.ModelGenerate{Thinking: settings.ModelThinking{Level: "HIGH"}})
	case isBase && strings.HasPrefix(name, "gemini-"):
		return of("base", base, none)
	case strings.HasPrefix(name, "gemini-2.5"):
		return of("chat-base-2.5", name, none)
	case strings.HasPrefix(name, "gemini-3"):
		return of("chat-base-3", name, none)
	}
	return alias{}, false
}

// merge applies change to config. A thinking budget and a thinking level exclude each
// other, so the later one wins.
func merge(config *settings.ModelConfig, change settings.ModelConfig) {
	if change.Model != "" {
		config.Model = change.Model
	}
	g, c := &config.Generate, change.Generate
	set(&g.Temperature, c.Temperature)
	set(&g.TopP, c.TopP)
	set(&g.TopK, c.TopK)
	set(&g.MaxOutputTokens, c.MaxOutputTokens)
	set(&g.Seed, c.Seed)
	set(&g.PresencePenalty, c.PresencePenalty)
	set(&g.FrequencyPenalty, c.FrequencyPenalty)
	if c.StopSequences != nil {
		g.StopSequences = c.StopSequences
	}
	set(&g.Thinking.IncludeThoughts, c.Thinking.IncludeThoughts)
	if c.Thinking.Budget != nil {
		g.Thinking.Budget, g.Thinking.Level = c.Thinking.Budget, ""
	}
	if c.Thinking.Level != "" {
		g.Thinking.Level = c.Thinking.Level
		if c.Thinking.Budget == nil {
			g.Thinking.Budget = nil
		}
	}
}

func set[T any](p **T, v *T) {
	if v != nil {
		*p = v
	}
}

func sampling(g settings.ModelGenerate) llm.Sampling {
	s := llm.Sampling{
		Temperature: g.Temperature, TopP: g.TopP, TopK: g.TopK, MaxOutputTokens: g.MaxOutputTokens,
		StopSequences: g.StopSequences,
		Seed:          g.Seed, PresencePenalty: g.PresencePenalty, FrequencyPenalty: g.FrequencyPenalty,
	}
	if t := g.Thinking; t != (settings.ModelThinking{}) {
		s.Thinking = &llm.Thinking{IncludeThoughts: t.IncludeThoughts != nil && *t.IncludeThoughts, Budget: t.Budget,
			Level: t.Level}
	}
	return s
}

// On returns s, the settings of a side request, with the values of c applied to it.
func (c Choice) On(s llm.Sampling) llm.Sampling {
	out := c.Sampling
	set(&s.Temperature, out.Temperature)
	set(&s.TopP, out.TopP)
	set(&s.TopK, out.TopK)
	set(&s.MaxOutputTokens, out.MaxOutputTokens)
	set(&s.Seed, out.Seed)
	set(&s.PresencePenalty, out.PresencePenalty)
	set(&s.FrequencyPenalty, out.FrequencyPenalty)
	set(&s.Thinking, out.Thinking)
	if out.StopSequences != nil {
		s.StopSequences = out.StopSequences
	}
	return s
}
