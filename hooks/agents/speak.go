package agents

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/llm"
)

// Speaker implements [hooks.Speaker]: it completes the payloads of hooks that are written
// for Claude Code, so that they match what that agent sends. The zero Speaker is ready to
// use, and safe for concurrent use.
type Speaker struct{}

// Speak implements [hooks.Speaker]. Fields that only Claude Code's own payloads have are
// filled from the templates of its table. If the dialect has no table, the payload stays
// as it was translated.
func (Speaker) Speak(f hooks.Speech) ([]byte, []string) {
	d, in, out := f.Dialect, f.Stdin.Bytes(), f.Translated
	agent, err := Find(d.Name)
	if err != nil || agent.Play == nil {
		return out, nil
	}
	play := agent.Play
	v := Values{Own: maps.Clone(play.Values), Base: map[string]any{
		"session_id": f.Base.SessionID, "cwd": f.Base.Cwd, "prompt_id": f.PromptID, "duration_ms": f.Use.Took.Milliseconds(),
	}}
	v.Own["transcript"] = f.Base.TranscriptPath
	if f.Transcript != nil {
		v.Own["transcript"] = f.Transcript(d, "")
	}
	var env []string
	for _, name := range slices.Sorted(maps.Keys(play.Env)) {
		env = append(env, name+"="+fmt.Sprint(v.Fill(play.Env[name])))
	}
	if f.Event == protocol.SessionStart && f.EnvFile != nil {
		if file, err := f.EnvFile(); err == nil {
			env = append(env, "CLAUDE_ENV_FILE="+file)
		}
	}
	var p map[string]any
	name := d.Events[f.Event]
	if name == "" {
		name = string(f.Event)
	}
	if json.Unmarshal(out, &p) == nil {
		speak(f, p, name, gjson.ParseBytes(in), v, play)
		if data, err := protocol.Encode(p); err == nil {
			out = data
		}
	}
	return out, env
}

// speak adds to p the fields that only the agent's own payload has, and gives a tool's
// result the agent's shape.
func speak(f hooks.Speech, p map[string]any, name string, in gjson.Result, v Values, play *Play) {
	v.Base["mode"] = p["permission_mode"]
	if f.Event.IsTool() {
		input, _ := p["tool_input"].(map[string]any)
		use := useOf(f, in, input)
		use.Name, _ = p["tool_name"].(string)
		use.FailedCommands = play.FailedCommand
		if known := v.Add(use, play.Results); !known {
			v.Base["result"] = p["tool_response"]
		}
		if f.Event == protocol.PostToolUseFailure {
			delete(p, "tool_response")
			delete(p, "error") // the agent says it in its own words
		}
	}
	p["transcript_path"] = v.Own["transcript"]
	if file, _ := p["agent_transcript_path"].(string); file != "" && f.Transcript != nil {
		p["agent_transcript_path"] = f.Transcript(protocol.Claude(), file)
	}
	for key, value := range v.Payload(play.Payloads[name]) {
		if _, said := p[key]; !said || key == "tool_response" || key == "hook_event_name" {
			p[key] = value
		}
	}
}

// useOf returns the call as the agent's payloads show it. in is the event in Gemini CLI's
// form, input holds the arguments in the agent's.
func useOf(f hooks.Speech, in gjson.Result, input map[string]any) Use {
	args, response := in.Get("tool_input"), in.Get("tool_response")
	display := response.Get("returnDisplay")
	u := Use{
		Kind: actionOf(in.Get("tool_name").String()), ID: llm.WireID(f.Use.Call.Name, f.Use.Call.ID), Input: input,
		Command: args.Get("command").String(), File: args.Get("file_path").String(), Content: args.Get("content").String(),
		Old: args.Get("old_string").String(), New: args.Get("new_string").String(), Text: response.Get("llmContent").String(),
		First: int(args.Get("start_line").Int()), Exit: f.Use.Exit, Diff: display.Get("fileDiff").String(),
		Output: strings.TrimRight(display.String(), "\n"),
	}
	u.Path, _ = input["file_path"].(string)
	if was := display.Get("originalContent"); was.Type == gjson.String && !display.Get("isNewFile").Bool() {
		text := was.String()
		u.Original = &text
	}
	if failure := response.Get("error"); failure.Exists() {
		u.ErrorMessage = failure.Get("message").String()
	}
	return u
}

// actionOf returns the tables' action for one of our tools, or "" if they have none.
func actionOf(tool string) string {
	gemini, err := Find(protocol.Gemini().Name)
	if err != nil {
		return "" // unreachable: it is in the tables
	}
	for _, t := range gemini.Tools {
		if t.Call == tool {
			return t.Action
		}
	}
	return ""
}
