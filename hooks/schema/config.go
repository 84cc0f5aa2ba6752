package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"minigem/hooks"
	"minigem/hooks/config"
	"minigem/hooks/protocol"
)

// entry describes the fields of a hook's entry, by their names in a settings file. values
// lists the allowed ones, separated by "|".
var entry = map[string]struct{ about, values string }{
	"type":           {"The kind of hook.", ""},
	"command":        {"A line for the shell; with args, a program that is run without one.", ""},
	"name":           {"Its name in lists and reports, and for switching it off.", ""},
	"description":    {"For people.", ""},
	"timeout":        {"In milliseconds; the default is 60000.", ""},
	"env":            {"Environment variables, besides those that every hook gets.", ""},
	"onError":        {"block: if the hook fails, the action it guards is refused.", "allow|block"},
	"dialect":        {"claude: it reads and answers as Claude Code's hooks do.", "gemini|claude"},
	"if":             {"A condition on the call, such as Bash(git *) or Edit(src/**); at events of tools.", ""},
	"args":           {"The arguments of a command that is run without a shell.", ""},
	"url":            {"Where the payload is posted to: https, or http on this machine.", ""},
	"headers":        {"Headers of the request; they may name the variables of allowedEnvVars, as $NAME.", ""},
	"allowedEnvVars": {"The variables that headers may name.", ""},
	"prompt":         {"The question for the model; $ARGUMENTS stands for the payload.", ""},
	"model":          {"The model to ask; the default is flash-lite.", ""},
	"server":         {"The name of an MCP server in the settings.", ""},
	"tool":           {"The tool of that server to call.", ""},
	"input":          {"The tool's input; ${tool_input.x} in its strings is a field of the payload.", ""},
	"statusMessage":  {"What is shown while it runs.", ""},
	"async":          {"The hook is not waited for, and can refuse nothing.", ""},
	"once":           {"It does not run again in a session in which it ran without failing or refusing.", ""},
}

// needed lists the fields without which an entry of a type is left out.
var needed = map[string][]string{"command": {"command"}, "http": {"url"}, "prompt": {"prompt"},
	"mcp_tool": {"server", "tool"}}

// Configuration returns the schema of "hooks" in a settings file, by event, with a
// description of every field. Whatever it refuses, the loader of hooks/config reports.
// The schema is new each time and the caller's.
func Configuration() *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Description: "Hooks by event.", Properties: map[string]*jsonschema.Schema{},
		PatternProperties: remarks()}
	for _, ev := range protocol.Events {
		about := "Hooks of " + string(ev) + "."
		if ev.IsAdded() {
			about = strings.TrimSuffix(about, ".") + ", an event that Gemini CLI 0.61 does not have."
		}
		s.Properties[string(ev)] = &jsonschema.Schema{Type: "array", Description: about, Items: group(ev)}
		s.PropertyOrder = append(s.PropertyOrder, string(ev))
	}
	return s
}

// remarks allows the names that the loader takes for people's remarks.
func remarks() map[string]*jsonschema.Schema {
	return map[string]*jsonschema.Schema{`^(\$|_|//)`: {}}
}

// group returns the schema of a group of hooks of ev.
func group(ev protocol.Event) *jsonschema.Schema {
	matcher := "No effect: the event has nothing to match."
	switch {
	case ev.IsTool():
		matcher = "For which tools: a regular expression on their names; with the dialect claude a list of whole names, " +
			"where it is one."
	case ev.IsAgent():
		matcher = "For which agents: a regular expression on their names."
	case ev.Triggers() != nil:
		matcher = "For which of these: " + strings.Join(ev.Triggers(), ", ") + "; several with |."
	}
	one := &jsonschema.Schema{}
	for _, kind := range config.Kinds() {
		one.AnyOf = append(one.AnyOf, hook(kind))
	}
	return &jsonschema.Schema{
		Type: "object", Required: []string{"hooks"}, PatternProperties: remarks(), AdditionalProperties: nothing(),
		Properties: map[string]*jsonschema.Schema{
			"matcher":    {Type: "string", Description: matcher},
			"sequential": {Type: "boolean", Description: "Run all hooks of the event one after the other."},
			"hooks":      {Type: "array", Items: one},
		},
		PropertyOrder: []string{"matcher", "sequential", "hooks"},
	}
}

// nothing is a schema that no value meets.
func nothing() *jsonschema.Schema { return &jsonschema.Schema{Not: &jsonschema.Schema{}} }

// hook returns the schema of an entry of one type.
func hook(kind string) *jsonschema.Schema {
	word := any(kind)
	s := &jsonschema.Schema{
		Type: "object", Required: append([]string{"type"}, needed[kind]...), PatternProperties: remarks(),
		AdditionalProperties: nothing(),
		Properties:           map[string]*jsonschema.Schema{"type": {Const: &word, Description: entry["type"].about}},
	}
	for _, name := range []string{"command", "name", "description", "onError", "dialect", "if"} {
		if name != "command" || kind == "command" {
			s.Properties[name] = &jsonschema.Schema{Type: "string"}
		}
	}
	least := 0.0
	s.Properties["timeout"] = &jsonschema.Schema{Type: "number", ExclusiveMinimum: &least}
	s.Properties["env"] = pairs()
	for f := range reflect.TypeFor[hooks.Handler]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if of := f.Tag.Get("of"); name == "type" || of != "" && of != kind {
			continue
		}
		s.Properties[name] = valueOf(f.Type)
	}
	for name, p := range s.Properties {
		about, ok := entry[name]
		if !ok {
			panic(fmt.Sprintf("schema: the field %q of a hook has no description", name)) // a test makes the schema
		}
		p.Description = about.about
		for value := range strings.SplitSeq(about.values, "|") {
			if value != "" {
				p.Enum = append(p.Enum, value)
			}
		}
		s.PropertyOrder = append(s.PropertyOrder, name)
	}
	slices.Sort(s.PropertyOrder)
	return s
}

// pairs returns the schema of an object of strings.
func pairs() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", AdditionalProperties: &jsonschema.Schema{Type: "string"}}
}

// valueOf returns the schema of a field of type t.
func valueOf(t reflect.Type) *jsonschema.Schema {
	switch {
	case t.Kind() == reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case t.Kind() == reflect.Slice:
		return &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "string"}}
	case t == reflect.TypeFor[map[string]string]():
		return pairs()
	case t.Kind() == reflect.Map:
		return &jsonschema.Schema{Type: "object"}
	}
	return &jsonschema.Schema{Type: "string"}
}
