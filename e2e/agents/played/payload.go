package played

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/tidwall/gjson"

	"minigem/hooks"
	"minigem/hooks/dialect"
	"minigem/hooks/protocol"
)

// values are what templates of an agent can name, at one event.
type values struct {
	own  map[string]any // of the table; texts are templates
	base map[string]any
}

// Payload implements hooks.Player.
func (p *Player) Payload(f hooks.Firing, h hooks.Hook) hooks.Payload {
	a := p.agentOf(h)
	native, _ := a.Event(played[h.Event])
	template, ok := a.Play().Payloads[native.Native]
	if !ok {
		p.unknown("what hooks of %s read at %s was not recorded", a.Title(), native.Native)
	}
	return hooks.Payload{inOrder(template, p.values(f, a).payload(template))}
}

// payload is a template with the values in their places; nil is an empty one.
func (v values) payload(template json.RawMessage) map[string]any {
	filled, _ := v.fill(value(gjson.ParseBytes(template))).(map[string]any)
	return filled
}

// inOrder is filled as JSON, with its names in the order of the template.
func inOrder(template json.RawMessage, filled map[string]any) []byte {
	out := []byte("{")
	gjson.ParseBytes(template).ForEach(func(name, _ gjson.Result) bool {
		data, err := protocol.Encode(filled[name.String()])
		if err != nil {
			return true // unreachable: it came from JSON
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, name.Raw...), ':'), data...)
		return true
	})
	return append(out, '}')
}

// values are those of one event.
func (p *Player) values(f hooks.Firing, a *dialect.Agent) values {
	in := gjson.ParseBytes(f.Input.Bytes())
	session := in.Get("session_id").String()
	started, err := time.Parse(protocol.TimeLayout, in.Get("timestamp").String())
	if err != nil {
		started = time.Now()
	}
	ws := p.setup.Workspace
	v := values{own: a.Play().Values, base: map[string]any{
		"session_id": session, "transcript_path": in.Get("transcript_path").String(), "cwd": in.Get("cwd").String(), "home": p.setup.Home,
		"now": started.UTC().Format(protocol.TimeLayout), "now_ms": started.UnixMilli(), "dashed": dashed(ws),
		"date": started.Format("2006-01-02T15-04-05"), "date_path": started.Format("2006/01/02"),
		"prompt_id": uuid(session, "prompt"), "turn_id": uuid(session, "turn"), "plans": f.Origin.PlansDir,
		"mode": p.mode(a), "prompt": in.Get("prompt").String(), "answer": in.Get("prompt_response").String(), "retry": in.Get("stop_hook_active").Bool(),
		"source": in.Get("source").String(), "reason": in.Get("reason").String(), "duration_ms": 10, "tool_response": value(in.Get("tool_response")),
	}}
	if f.Event == protocol.SessionStart { // one prompt is all that a case has
		v.base["prompt"] = p.setup.Prompt
	}
	if f.Event.IsTool() {
		p.toolValues(f, a, in, v)
	}
	return v
}

// dashed is a path as agents make a folder's name of it.
func dashed(path string) string {
	return strings.Map(func(c rune) rune {
		if c < 128 && (unicode.IsLetter(c) || unicode.IsDigit(c)) {
			return c
		}
		return '-'
	}, path)
}

// uuid is an id that is the same each time.
func uuid(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return fmt.Sprintf("%x-%x-4%x-8%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])[:36]
}

func (p *Player) mode(a *dialect.Agent) string {
	mode, ok := a.Play().Modes[p.setup.Mode]
	if !ok && a.Play().Modes != nil {
		p.unknown("what %s calls the mode %s was not recorded", a.Title(), p.setup.Mode)
	}
	return mode
}

func value(r gjson.Result) any {
	var v any
	if json.Unmarshal([]byte(r.Raw), &v) != nil {
		return nil
	}
	return v
}

var exitCode = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^Exit Code: (\d+)`) })

// toolValues adds what is known of a call and its result.
func (p *Player) toolValues(f hooks.Firing, a *dialect.Agent, in gjson.Result, v values) {
	c := p.callOf(f)
	if f.Event == protocol.BeforeTool {
		p.look(c)
	}
	name := c.hook
	if t, ok := a.Tool(c.kind); ok {
		name = t.Hook
	}
	response := in.Get("tool_response")
	display, content := response.Get("returnDisplay"), response.Get("llmContent").String()
	output := strings.TrimRight(display.String(), "\n")
	exit := 0
	if m := exitCode().FindStringSubmatch(content); m != nil {
		exit, _ = strconv.Atoi(m[1]) // digits
	}
	lines := output + "\n"
	if output == "" {
		lines = ""
	}
	var text string
	if c.act.Path != "" {
		text = p.now(c)
	}
	var original any
	kind := "create"
	if c.original != nil {
		original, kind = *c.original, "update"
	}
	for name, value := range map[string]any{
		"tool": name, "input": c.seen, "call_id": c.id, "own_id": "toolu_" + c.id, "output": output, "output_lines": lines, "exit": exit, "text": text,
		"lines": strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1, "size": len(c.act.Text), "path": p.path(c), "content": c.act.Text, "old": c.act.Old, "new": c.act.New,
		"original": original, "write_type": kind, "patch": hunks(display.Get("fileDiff").String(), kind), "patched": c.act.Path, "display": value(display),
		"command_report": report(c.act.Command, output, exit), "numbered": numbered(text),
		"command": c.act.Command, "input_texts": texts(c.seen),
	} {
		v.base[name] = value
	}
	v.base["error"] = p.failure(c, v, response, exit)
	defer func() { v.base["result_text"] = asText(v.base["result"]) }()
	if template, ok := a.Play().Results[c.kind]; ok {
		v.base["result"] = v.fill(template)
	} else if template, ok := a.Play().Results[""]; ok {
		v.base["result"] = v.fill(template)
	} else if f.Event == protocol.AfterTool && !p.failedCall(c, response) && a.Play().Results != nil {
		p.unknown("what hooks of %s read of a result of %s was not recorded", a.Title(), name)
	}
}

// now is the file of a call as it is.
func (p *Player) now(c *call) string {
	was := c.original
	c.original = nil
	p.look(c)
	text := ""
	if c.original != nil {
		text = *c.original
	}
	c.original = was
	return text
}

// failure is what an agent says of a tool that failed.
func (p *Player) failure(c *call, v values, response gjson.Result, exit int) string {
	if exit != 0 {
		if t, ok := v.own["error_command"]; ok {
			return fmt.Sprint(v.fill(t))
		}
	}
	if t, ok := v.own["error_"+c.kind]; ok {
		return fmt.Sprint(v.fill(t))
	}
	return response.Get("error.message").String()
}

// failed reports whether a tool failed, as the agent sees it.
func (p *Player) failed(f hooks.Firing) bool {
	return p.failedCall(p.callOf(f), gjson.GetBytes(f.Input.Bytes(), "tool_response"))
}

func (p *Player) failedCall(c *call, response gjson.Result) bool {
	if response.Get("error").Exists() {
		return true
	}
	m := exitCode().FindStringSubmatch(response.Get("llmContent").String())
	return p.play.FailedCommand && c.kind == "shell" && m != nil && m[1] != "0"
}

// report is what Gemini CLI and its kin say of a command.
func report(command, output string, exit int) string {
	if output == "" {
		output = "(empty)"
	}
	return fmt.Sprintf("Command: %s\nDirectory: (root)\nOutput: %s\nError: (none)\nExit Code: %d\nSignal: (none)\nProcess Group PGID: (none)", command, output, exit)
}

// numbered is a text with the numbers of its lines.
func numbered(text string) string {
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%d\t%s", i+1, line)
	}
	return b.String()
}

var hunkHead = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@`) })

// asText is v, or its JSON where it is no text.
func asText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	data, err := protocol.Encode(v)
	if err != nil {
		return "" // unreachable: it came from JSON
	}
	return string(data)
}

// texts are arguments as texts.
func texts(args map[string]any) map[string]any {
	out := map[string]any{}
	for name, value := range args {
		out[name] = asText(value)
	}
	return out
}

// hunks are those of a unified difference, as objects; a new file has none.
func hunks(diff, kind string) []any {
	out := []any{}
	if kind == "create" {
		return out
	}
	var last map[string]any
	for line := range strings.SplitSeq(strings.TrimSuffix(diff, "\n"), "\n") {
		if m := hunkHead().FindStringSubmatch(line); m != nil {
			last = map[string]any{"oldStart": count(m[1]), "oldLines": count(m[2]), "newStart": count(m[3]), "newLines": count(m[4]), "lines": []any{}}
			out = append(out, last)
		} else if last != nil {
			lines, _ := last["lines"].([]any)
			last["lines"] = append(lines, line)
		}
	}
	return out
}

func count(digits string) int {
	if digits == "" {
		return 1
	}
	n, _ := strconv.Atoi(digits) // digits
	return n
}

var placeholder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{([a-z_]+)\}`) })

// fill puts values in the place of their names: a text that is one name becomes
// the value, whatever its type.
func (v values) fill(template any) any { return v.fillIn(template, "") }

// fillIn is fill; within is the name whose own template this is.
func (v values) fillIn(template any, within string) any {
	switch t := template.(type) {
	case string:
		if m := placeholder().FindStringSubmatch(t); m != nil && m[0] == t {
			return v.get(m[1], within)
		}
		return placeholder().ReplaceAllStringFunc(t, func(name string) string { return fmt.Sprint(v.get(strings.Trim(name, "{}"), within)) })
	case []any:
		out := make([]any, len(t))
		for i := range t {
			out[i] = v.fillIn(t[i], within)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(t))
		for key, value := range t {
			out[key] = v.fillIn(value, within)
		}
		return out
	}
	return template
}

func (v values) get(name, within string) any {
	if own, ok := v.own[name]; ok && name != within {
		return v.fillIn(own, name)
	}
	return v.base[name]
}
