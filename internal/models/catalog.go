package models

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"minigem/internal/settings"
	"minigem/llm"
	"minigem/llm/openai"
)

// Catalog resolves names of models according to the settings
// (core/services/modelConfigService.ts).
type Catalog struct {
	aliases   map[string]alias
	overrides []override
}

type alias struct {
	settings.ModelAlias
	key string // key in the settings; empty if built in
}

type override struct {
	model, scope string
	chat         *bool
	keys         int // number of conditions
	change       settings.ModelConfig
}

// Problem is a part of the settings that has no effect.
type Problem struct{ Key, Text string }

// New reads modelConfigs, and the settings' overrides of agents' models.
func New(s settings.ModelConfigs, agents map[string]settings.AgentOverride) (*Catalog, []Problem) {
	c := &Catalog{aliases: map[string]alias{}}
	for key, list := range map[string]map[string]settings.ModelAlias{
		"aliases": s.Aliases, "customAliases": s.CustomAliases} {
		for name, a := range list {
			if _, taken := s.CustomAliases[name]; key == "customAliases" || !taken {
				c.aliases[name] = alias{a, "modelConfigs." + key + "." + name}
			}
		}
	}
	problems := c.checkAliases()
	for i, o := range s.Overrides {
		problems = append(problems, c.addOverride(fmt.Sprintf("modelConfigs.overrides[%d]", i), o)...)
	}
	for i, o := range s.CustomOverrides {
		problems = append(problems, c.addOverride(fmt.Sprintf("modelConfigs.customOverrides[%d]", i), o)...)
	}
	for _, name := range slices.Sorted(maps.Keys(agents)) { // the model itself is part of the agent's definition
		c.overrides = append(
			c.overrides, override{
				scope: name, keys: 1, change: settings.ModelConfig{Generate: agents[name].ModelConfig.Generate}})
	}
	return c, problems
}

// checkAliases reports aliases that cannot be used.
func (c *Catalog) checkAliases() (out []Problem) {
	for _, name := range slices.Sorted(maps.Keys(c.aliases)) {
		if _, _, err := c.chain(name); err != nil {
			out = append(out, Problem{c.aliases[name].key, err.Error()})
		}
	}
	return out
}

// addOverride adds an override if its conditions are valid.
func (c *Catalog) addOverride(key string, o settings.ModelOverride) []Problem {
	out := override{keys: len(o.Match), change: o.ModelConfig}
	if len(o.Match) == 0 {
		return []Problem{
			{key, `has no "match": it changes nothing; say {"match": {"overrideScope": "core"}} for all requests but those ` +
				`of agents`}}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Match)) {
		var into any
		switch name {
		case "model":
			into = &out.model
		case "overrideScope":
			into = &out.scope
		case "isChatModel":
			into = &out.chat
		default:
			return []Problem{
				{key + ".match." + name, "is nothing that minigem tells requests apart by: the override changes nothing; there " +
					"are model, overrideScope and isChatModel"}}
		}
		if err := json.Unmarshal(o.Match[name], into); err != nil {
			return []Problem{
				{key + ".match." + name, fmt.Sprintf("is %s, which nothing can be: the override changes nothing", o.Match[name])}}
		}
	}
	c.overrides = append(c.overrides, out)
	return nil
}

// Ask says what a model is needed for.
type Ask struct {
	Name  string // as written by the user: an alias, a short or a full name; empty means the default
	Agent string // the agent that makes the request; empty means the session
	// Temperature is the agent definition's, which overrides replace.
	Temperature *float64
	Side        string // Gemini CLI's alias for a side request; empty if the request belongs to the conversation
}

// Choice is a model with its full name, and its settings.
type Choice struct {
	Model    string
	Sampling llm.Sampling
}

// Choose resolves a name: its alias and those that it extends, then the matching
// overrides, the most general ones first. Of two that are equally general, the later
// one wins.
func (c *Catalog) Choose(a Ask) (Choice, error) {
	name := strings.TrimPrefix(a.Name, "models/")
	if _, ok := c.aliases[name]; !ok {
		name = Name(name)
	}
	chain, config, err := c.chain(name)
	if err != nil {
		return Choice{}, fmt.Errorf("the model %q is an alias of the settings that cannot be used: %s: %w", name,
			c.aliases[name].key, err)
	}
	levels := map[string]int{config.Model: 0}
	for i, n := range chain {
		levels[n] = i + 1
	}
	if a.Side != "" {
		config.Generate = settings.ModelGenerate{} // the request sets what it needs
		levels[a.Side] = len(chain) + 1
	}
	set(&config.Generate.Temperature, a.Temperature)
	for _, o := range c.matching(a, levels) {
		merge(&config, o.change)
	}
	if config.Model == "" {
		return Choice{},
			fmt.Errorf("the model %q is an alias of the settings that names no model: %s: give it, or the alias that it "+
				"extends, a modelConfig.model", name, c.aliases[name].key)
	}
	return Choice{Name(config.Model), sampling(config.Generate)}, nil
}

// matching returns the overrides for a, in the order in which they are applied.
func (c *Catalog) matching(a Ask, levels map[string]int) []override {
	type match struct {
		override
		level int
	}
	var found []match
	for _, o := range c.overrides {
		level := 0
		if o.model != "" {
			l, ok := levels[o.model]
			if !ok {
				continue
			}
			level = l
		}
		if o.scope != "" && o.scope != a.Agent && (o.scope != "core" || a.Agent != "") || o.chat != nil &&
			*o.chat != (a.Side == "") {
			continue
		}
		found = append(found, match{o, level})
	}
	slices.SortStableFunc(found, func(x, y match) int {
		if x.level != y.level {
			return x.level - y.level
		}
		return x.keys - y.keys
	})
	out := make([]override, len(found))
	for i, m := range found {
		out[i] = m.override
	}
	return out
}

// chain returns the names from the root of name to name itself, and their combined
// settings. A name that is no alias is a model.
func (c *Catalog) chain(name string) (names []string, config settings.ModelConfig, err error) {
	var aliases []alias
	for at := name; at != ""; {
		a, ok := c.find(at)
		switch {
		case !ok && len(names) == 0:
			return c.plain(name)
		case !ok:
			return nil, config, fmt.Errorf("extends %q, and there is no such alias", at)
		case slices.Contains(names, at):
			return nil, config, errors.New("extends itself: " + strings.Join(append(names, at), " -> "))
		}
		names, aliases = append(names, at), append(aliases, a)
		at = a.Extends
	}
	slices.Reverse(names)
	for _, a := range slices.Backward(aliases) {
		merge(&config, a.ModelConfig)
	}
	return names, config, nil
}

// plain returns the settings of a model that has no alias. A model that is not of a
// Gemini kind is not told to think. A model on another server gets no settings, because
// the server knows better.
func (c *Catalog) plain(name string) (names []string, config settings.ModelConfig, err error) {
	if !openai.Named(name) {
		if names, config, err = c.chain("chat-base"); err != nil {
			return nil, config, err
		}
		if a, _ := c.find("chat-base"); a.key == "" {
			config.Generate.Thinking = settings.ModelThinking{}
		}
	}
	config.Model = name
	return append(names, name), config, nil
}

func (c *Catalog) find(name string) (alias, bool) {
	if a, ok := c.aliases[name]; ok {
		return a, true
	}
	return builtIn(name)
}
