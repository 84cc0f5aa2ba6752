package models_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/models"
	"minigem/internal/settings"
	"minigem/llm"
)

// wireOf returns the part of a request that comes from a choice.
func wireOf(t *testing.T, c models.Choice) string {
	t.Helper()
	body, err := json.Marshal(llm.Request{Sampling: c.Sampling})
	require.NoError(t, err)
	var sent struct {
		GenerationConfig json.RawMessage `json:"generationConfig"`
	}
	require.NoError(t, json.Unmarshal(body, &sent))
	return c.Model + " " + string(sent.GenerationConfig)
}

func read(t *testing.T, text string) settings.ModelConfigs {
	t.Helper()
	var s settings.ModelConfigs
	require.NoError(t, json.Unmarshal([]byte(text), &s))
	return s
}

// TestChoose checks the aliases and overrides shown in the released CLI's guide to
// model settings, and the order in which they apply.
func TestChoose(t *testing.T) {
	t.Parallel()
	const (
		plain25 = `{"temperature":1,"topP":0.95,"topK":64,"thinkingConfig":{"includeThoughts":true,"thinkingBudget":8192}}`
		plain3  = `{"temperature":1,"topP":0.95,"topK":64,"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"HIGH"}}`
	)
	half := 0.5
	for _, c := range []struct {
		name, settings string
		ask            models.Ask
		want           string
	}{
		{"nothing", `{}`, models.Ask{}, "gemini-2.5-pro " + plain25},
		{"a short name", `{}`, models.Ask{Name: "flash"}, "gemini-3.8-flash " + plain3},
		{"auto", `{}`, models.Ask{Name: "auto"}, "gemini-3.1-pro-preview " + plain3},
		{"the older auto", `{}`, models.Ask{Name: "auto-gemini-2.5"}, "gemini-2.5-pro " + plain25},
		{"one of another kind", `{}`, models.Ask{Name: "gemma-4"}, `gemma-4 {"temperature":1,"topP":0.95,"topK":64}`},
		{"of another server", `{}`, models.Ask{Name: "openai/m"}, `openai/m {}`},
		{"of another server, changed", `{"overrides": [{"match": {"model": "openai/m"}, "modelConfig": {"generateContentConfig": {"temperature": 0.2}}}]}`, models.Ask{Name: "openai/m"}, `openai/m {"temperature":0.2}`},
		{"an alias", `{"customAliases": {"precise": {"extends": "gemini-2.5-flash", "modelConfig": {"generateContentConfig": {"temperature": 0, "topP": 1, "maxOutputTokens": 99, "seed": 7, "presencePenalty": 0.1, "frequencyPenalty": 0.2, "stopSequences": ["."]}}}}}`,
			models.Ask{Name: "precise"}, `gemini-2.5-flash {"temperature":0,"topP":1,"topK":64,"maxOutputTokens":99,"stopSequences":["."],"seed":7,"presencePenalty":0.1,"frequencyPenalty":0.2,"thinkingConfig":{"includeThoughts":true,"thinkingBudget":8192}}`},
		{"of a base of one's own", `{"customAliases": {"base": {"modelConfig": {"generateContentConfig": {"topK": 1}}}, "x": {"extends": "base", "modelConfig": {"model": "gemini-2.5-pro"}}}}`, models.Ask{Name: "x"}, `gemini-2.5-pro {"topK":1}`},
		{"a base changes all that extend it", `{"customAliases": {"chat-base": {"modelConfig": {"generateContentConfig": {"temperature": 0.7}}}}}`, models.Ask{}, `gemini-2.5-pro {"temperature":0.7,"thinkingConfig":{"thinkingBudget":8192}}`},
		{"custom ones outrank", `{"aliases": {"a": {"modelConfig": {"model": "one"}}}, "customAliases": {"a": {"modelConfig": {"model": "two"}}}}`, models.Ask{Name: "a"}, "two {}"},
		{"an alias to a short name", `{"aliases": {"a": {"modelConfig": {"model": "flash-lite"}}}}`, models.Ask{Name: "a"}, "gemini-3.5-flash-lite {}"},
		{"no thoughts", `{"overrides": [{"match": {"model": "chat-base"}, "modelConfig": {"generateContentConfig": {"thinkingConfig": {"thinkingBudget": 0, "includeThoughts": false}}}}]}`,
			models.Ask{Name: "auto"}, `gemini-3.1-pro-preview {"temperature":1,"topP":0.95,"topK":64,"thinkingConfig":{"thinkingBudget":0}}`},
		{"another model", `{"overrides": [{"match": {"model": "gemini-2.5-pro"}, "modelConfig": {"model": "gemini-2.5-pro-next"}}]}`, models.Ask{}, "gemini-2.5-pro-next " + plain25},
		{"of agents", `{"overrides": [{"match": {"overrideScope": "helper"}, "modelConfig": {"generateContentConfig": {"topK": 3}}}]}`, models.Ask{Agent: "helper", Temperature: &half},
			`gemini-2.5-pro {"temperature":0.5,"topP":0.95,"topK":3,"thinkingConfig":{"includeThoughts":true,"thinkingBudget":8192}}`},
		{"of another agent", `{"overrides": [{"match": {"overrideScope": "helper"}, "modelConfig": {"model": "x"}}]}`, models.Ask{Agent: "other"}, "gemini-2.5-pro " + plain25},
		{"not of the session", `{"overrides": [{"match": {"overrideScope": "helper"}, "modelConfig": {"model": "x"}}]}`, models.Ask{}, "gemini-2.5-pro " + plain25},
		{"core is the session", `{"overrides": [{"match": {"overrideScope": "core"}, "modelConfig": {"model": "x"}}]}`, models.Ask{}, "x " + plain25},
		{"core is no agent", `{"overrides": [{"match": {"overrideScope": "core"}, "modelConfig": {"model": "x"}}]}`, models.Ask{Agent: "a"}, "gemini-2.5-pro " + plain25},
		{"narrow over broad", `{"overrides": [{"match": {"model": "gemini-2.5-pro", "overrideScope": "a"}, "modelConfig": {"model": "narrow"}}, {"match": {"overrideScope": "a"}, "modelConfig": {"model": "broad"}}]}`, models.Ask{Agent: "a"}, "narrow " + plain25},
		{"the leaf over its base", `{"overrides": [{"match": {"model": "gemini-2.5-pro"}, "modelConfig": {"model": "leaf"}}, {"match": {"model": "chat-base"}, "modelConfig": {"model": "root"}}]}`, models.Ask{}, "leaf " + plain25},
		{"the later of equals", `{"overrides": [{"match": {"model": "gemini-2.5-pro"}, "modelConfig": {"model": "one"}}], "customOverrides": [{"match": {"model": "gemini-2.5-pro"}, "modelConfig": {"model": "two"}}]}`, models.Ask{}, "two " + plain25},
		{"what is not a conversation", `{"overrides": [{"match": {"isChatModel": true}, "modelConfig": {"model": "x"}}, {"match": {"model": "web-search"}, "modelConfig": {"generateContentConfig": {"temperature": 0.3}}}]}`,
			models.Ask{Name: "gemini-2.5-flash", Side: "web-search"}, `gemini-2.5-flash {"temperature":0.3}`},
		{"a conversation", `{"overrides": [{"match": {"isChatModel": true}, "modelConfig": {"model": "x"}}]}`, models.Ask{}, "x " + plain25},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			catalog, problems := models.New(read(t, c.settings), nil)
			assert.Empty(t, problems)
			got, err := catalog.Choose(c.ask)
			require.NoError(t, err)
			assert.Equal(t, c.want, wireOf(t, got))
		})
	}
}

// TestWhatCannotBeChosen checks that a fault is reported with its key, and that an
// override with a fault changes nothing, rather than more than it says.
func TestWhatCannotBeChosen(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ settings, ask, key, text, fails string }{
		{`{"customAliases": {"a": {"extends": "b"}}}`, "a", "modelConfigs.customAliases.a", `extends "b", and there is no such alias`, `the model "a" is an alias of the settings that cannot be used: modelConfigs.customAliases.a: extends "b"`},
		{`{"aliases": {"a": {"extends": "b"}, "b": {"extends": "a"}}}`, "b", "modelConfigs.aliases.a", "extends itself: a -> b -> a", "modelConfigs.aliases.b: extends itself: b -> a -> b"},
		{`{"customAliases": {"a": {"extends": "base"}}}`, "a", "", "", `names no model: modelConfigs.customAliases.a`},
		{`{"overrides": [{"match": {"isRetry": true, "model": "gemini-2.5-pro"}, "modelConfig": {"model": "x"}}]}`, "", "modelConfigs.overrides[0].match.isRetry", "changes nothing", ""},
		{`{"customOverrides": [{"match": {"model": 5}, "modelConfig": {"model": "x"}}]}`, "", "modelConfigs.customOverrides[0].match.model", "is 5, which nothing can be", ""},
		{`{"customOverrides": [{"modelConfig": {"model": "x"}}]}`, "", "modelConfigs.customOverrides[0]", `has no "match"`, ""},
	} {
		catalog, problems := models.New(read(t, c.settings), nil)
		if c.key != "" {
			require.NotEmpty(t, problems, c.settings)
			assert.Equal(t, c.key, problems[0].Key)
			assert.Contains(t, problems[0].Text, c.text)
		}
		got, err := catalog.Choose(models.Ask{Name: c.ask})
		if c.fails == "" {
			require.NoError(t, err)
			assert.Equal(t, models.Default, got.Model)
		} else {
			require.ErrorContains(t, err, c.fails)
		}
	}
}

func TestRoute(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "gemini-3.1-pro-preview", models.Route("auto", false, false))
	assert.Equal(t, "gemini-3.1-pro-preview", models.Route("auto", true, true))
	assert.Equal(t, "gemini-3.8-flash", models.Route("auto", false, true))
	assert.Equal(t, "gemini-2.5-pro", models.Route("auto-gemini-2.5", true, false))
	for name, want := range map[string]bool{"auto": true, "auto-gemini-3": true, "auto-gemini-9": false, "automatic": false, "pro": false, "": false} {
		assert.Equal(t, want, models.Auto(name), name)
	}
}

func TestNext(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		model, want string
		used        []string
	}{
		{"gemini-2.5-pro", "gemini-2.5-flash", nil},
		{"gemini-2.5-flash-lite", "gemini-2.5-flash", nil},
		{"gemini-3.1-pro-preview", "gemini-3.8-flash", nil},
		{"gemini-3-flash-preview", "gemini-3.5-flash-lite", []string{"gemini-3.8-flash"}},
		{"gemini-3.5-flash-lite", "", []string{"gemini-3.8-flash"}},
		{"ollama/llama", "", nil},
	} {
		assert.Equal(t, c.want, models.Next(c.model, c.used), c.model)
	}
}
