package hooks

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"minigem/hooks/dialect"
	"minigem/hooks/protocol"
	"minigem/llm"
)

// inDialect is what h reads where stdin is the event in Gemini CLI's form, and
// the variables that it gets. What Claude Code's own payloads have besides is
// written as dialect's templates say, from which the agent is played, too.
func (f *firing[S]) inDialect(h Hook, stdin Payload) (Payload, []string) {
	d := protocol.DialectOf(h.Dialect)
	if d == protocol.Gemini() {
		return stdin, f.env
	}
	in := stdin.Bytes()
	out := d.Translate(f.ev.name, in)
	agent, err := dialect.Find(d.Name)
	if err != nil || agent.Play() == nil {
		return Payload{out}, f.env
	}
	play := agent.Play()
	v := dialect.Values{Own: maps.Clone(play.Values), Base: map[string]any{
		"session_id": f.base.SessionID, "cwd": f.base.Cwd, "prompt_id": f.promptID, "duration_ms": f.ev.use.Took.Milliseconds(),
	}}
	v.Own["transcript"] = f.base.TranscriptPath
	if f.e.Transcript != nil {
		v.Own["transcript"] = f.e.Transcript(d, "")
	}
	var env []string
	for _, name := range slices.Sorted(maps.Keys(play.Env)) {
		env = append(env, name+"="+fmt.Sprint(v.Fill(play.Env[name])))
	}
	if f.ev.name == protocol.SessionStart && f.e.EnvFile != nil {
		if file, err := f.e.EnvFile(); err == nil {
			env = append(env, "CLAUDE_ENV_FILE="+file)
		}
	}
	var p map[string]any
	name := d.Events[f.ev.name]
	if name == "" {
		name = string(f.ev.name)
	}
	if json.Unmarshal(out, &p) == nil {
		f.fill(p, name, gjson.ParseBytes(in), v, play)
		if data, err := protocol.Encode(p); err == nil {
			out = data
		}
	}
	return Payload{out}, slices.Concat(env, f.env)
}

// fill puts into p what the agent's own payload has besides, and its shape of a
// tool's result.
func (f *firing[S]) fill(p map[string]any, name string, in gjson.Result, v dialect.Values, play *dialect.Play) {
	v.Base["mode"] = p["permission_mode"]
	if f.ev.name.IsTool() {
		input, _ := p["tool_input"].(map[string]any)
		use := f.use(in, input)
		use.Name, _ = p["tool_name"].(string)
		use.FailedCommands = play.FailedCommand
		if known := v.Add(use, play.Results); !known {
			v.Base["result"] = p["tool_response"]
		}
		if f.ev.name == protocol.PostToolUseFailure {
			delete(p, "tool_response")
			delete(p, "error") // the agent says it in its own words
		}
	}
	p["transcript_path"] = v.Own["transcript"]
	if file, _ := p["agent_transcript_path"].(string); file != "" && f.e.Transcript != nil {
		p["agent_transcript_path"] = f.e.Transcript(protocol.Claude(), file)
	}
	for key, value := range v.Payload(play.Payloads[name]) {
		if _, said := p[key]; !said || key == "tool_response" || key == "hook_event_name" {
			p[key] = value
		}
	}
}

// use is the call as the agent's payloads show it; in is the event in Gemini
// CLI's form, and input are the arguments in the agent's.
func (f *firing[S]) use(in gjson.Result, input map[string]any) dialect.Use {
	args, response := in.Get("tool_input"), in.Get("tool_response")
	display := response.Get("returnDisplay")
	u := dialect.Use{
		Kind: actionOf(in.Get("tool_name").String()), ID: llm.WireID(f.ev.use.Call.Name, f.ev.use.Call.ID), Input: input,
		Command: args.Get("command").String(), File: args.Get("file_path").String(), Content: args.Get("content").String(),
		Old: args.Get("old_string").String(), New: args.Get("new_string").String(), Text: response.Get("llmContent").String(),
		First: int(args.Get("start_line").Int()), Exit: f.ev.use.Exit, Diff: display.Get("fileDiff").String(),
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

// actionOf is what the tables of agents call what our tool does; empty: they do
// not have it.
func actionOf(tool string) string {
	gemini, err := dialect.Find(protocol.Gemini().Name)
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

// env are the variables that every hook gets (core/hooks/hookRunner.ts).
func (o Origin) env() []string {
	project := o.ProjectDir
	if project == "" {
		project = o.Cwd
	}
	return []string{
		"GEMINI_PROJECT_DIR=" + project, "GEMINI_PLANS_DIR=" + o.PlansDir, "GEMINI_CWD=" + o.Cwd,
		"GEMINI_SESSION_ID=" + o.SessionID, "CLAUDE_PROJECT_DIR=" + project,
	}
}
