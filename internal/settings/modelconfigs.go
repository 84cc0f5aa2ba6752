package settings

import "encoding/json"

// ModelConfigs is the section "modelConfigs" (core/services/modelConfigService.ts).
type ModelConfigs struct {
	Aliases         map[string]ModelAlias `json:"aliases,omitempty" jsonschema:"As customAliases, which outrank them."`
	CustomAliases   map[string]ModelAlias `json:"customAliases,omitempty" jsonschema:"Names for a model and its settings."`
	Overrides       []ModelOverride       `json:"overrides,omitempty" jsonschema:"As customOverrides, which come later."`
	CustomOverrides []ModelOverride       `json:"customOverrides,omitempty" jsonschema:"Changes of requests that match."`
}

// ModelAlias is one entry of "modelConfigs.customAliases".
type ModelAlias struct {
	Extends     string      `json:"extends,omitempty" jsonschema:"Another alias, for what this one leaves out."`
	ModelConfig ModelConfig `json:"modelConfig,omitzero"`
}

// ModelOverride is one entry of "modelConfigs.customOverrides".
type ModelOverride struct {
	// Match is kept as written: an override with an unknown key must match nothing
	// rather than more.
	Match map[string]json.
		RawMessage `json:"match,omitempty" jsonschema:"model, overrideScope (an agent, or core), isChatModel."`
	ModelConfig ModelConfig `json:"modelConfig,omitzero"`
}

// ModelConfig is a model and its settings. Fields that are not given change nothing.
type ModelConfig struct {
	Model    string        `json:"model,omitempty"`
	Generate ModelGenerate `json:"generateContentConfig,omitzero"`
}

// ModelGenerate is "generateContentConfig".
type ModelGenerate struct {
	Temperature      *float64      `json:"temperature,omitempty"`
	TopP             *float64      `json:"topP,omitempty"`
	TopK             *float64      `json:"topK,omitempty"`
	MaxOutputTokens  *int          `json:"maxOutputTokens,omitempty"`
	StopSequences    []string      `json:"stopSequences,omitempty"`
	Seed             *int          `json:"seed,omitempty"`
	PresencePenalty  *float64      `json:"presencePenalty,omitempty"`
	FrequencyPenalty *float64      `json:"frequencyPenalty,omitempty"`
	Thinking         ModelThinking `json:"thinkingConfig,omitzero"`
}

// ModelThinking is "generateContentConfig.thinkingConfig".
type ModelThinking struct {
	IncludeThoughts *bool  `json:"includeThoughts,omitempty"`
	Budget          *int   `json:"thinkingBudget,omitempty" jsonschema:"Tokens; 0: no thoughts, -1: as many as it likes."`
	Level           string `json:"thinkingLevel,omitempty" enum:"MINIMAL|LOW|MEDIUM|HIGH"`
}
