package cases

import (
	"encoding/json"
	"fmt"
	"strings"

	tables "minigem/hooks/agents"
)

// setup is a set of several hooks, or of unusual ones.
type setup struct {
	name  string
	hooks []setupHook // several hooks at one event

	odd     string // an unusual entry, or what replaces it: see oddities
	process string // the program of a hook before the tool
	limit   string // its timeout
	command string // the hook runs this command, not a file
}

// setupHook is one of several hooks.
type setupHook struct {
	name  string
	point tables.Point // if it is not a tool hook
	meant tables.Meant
	allow bool // it allows the call
	slow  bool // it ends after the others
	twice bool // it is configured twice
	once  bool // it answers only once
}

func (h setupHook) at() tables.Point {
	if h.point == "" {
		return tables.BeforeTool
	}
	return h.point
}

func refusing(name string) setupHook {
	return setupHook{name: name, meant: tables.Meant{Kind: tables.Refused, Reason: "R-" + strings.ToUpper(name)}}
}

func telling(name string, point tables.Point) setupHook {
	kind := tables.Context
	if point == tables.AfterTool {
		kind = tables.Appended
	}
	return setupHook{name: name, point: point, meant: tables.Meant{Kind: kind, Context: "R-" + strings.ToUpper(name)}}
}

func rewriting(name string) setupHook {
	return setupHook{name: name, meant: tables.Meant{Kind: tables.Rewritten}}
}

func (h setupHook) slowly() setupHook { h.slow = true; return h }

func saying(name string, point tables.Point, kind tables.Kind) setupHook {
	return setupHook{name: name, point: point, meant: tables.Meant{Kind: kind, Reason: "R-" + strings.ToUpper(name)}}
}

func setups() []setup {
	allow := setupHook{name: "allow", allow: true}
	again := func(name string) setupHook {
		h := saying(name, tables.AgentStop, tables.Retry)
		h.once = true
		return h
	}
	twice := refusing("a")
	twice.twice = true
	// Which hook ends last is specified for each, or it would be random.
	all := []setup{
		{name: "several/two refuse", hooks: []setupHook{refusing("a"), refusing("b").slowly()}},
		{name: "several/two refuse, the first ends last", hooks: []setupHook{refusing("a").slowly(), refusing("b")}},
		{name: "several/refuse and allow", hooks: []setupHook{refusing("a"), allow.slowly()}},
		{name: "several/allow and refuse", hooks: []setupHook{allow, refusing("b").slowly()}},
		{name: "several/two contexts", hooks: []setupHook{telling("a", ""), telling("b", "").slowly()}},
		{name: "several/two contexts, the first ends last", hooks: []setupHook{telling("a", "").slowly(), telling("b", "")}},
		{name: "several/context and refuse", hooks: []setupHook{telling("a", ""), refusing("b").slowly()}},
		{name: "several/two rewrite", hooks: []setupHook{rewriting("a"), rewriting("b").slowly()}},
		{name: "several/two rewrite, the first ends last", hooks: []setupHook{rewriting("a").slowly(), rewriting("b")}},
		{name: "several/rewrite and refuse", hooks: []setupHook{rewriting("a"), refusing("b").slowly()}},
		{name: "several/the same twice", hooks: []setupHook{twice}},
		{name: "several/two after the tool", hooks: []setupHook{telling("a", tables.AfterTool), telling("b", tables.AfterTool).slowly()}},
		{name: "several/two replace", hooks: []setupHook{saying("a", tables.AfterTool, tables.Replaced), saying("b", tables.AfterTool, tables.Replaced).slowly()}},
		{name: "several/two replace, the first ends last", hooks: []setupHook{saying("a", tables.AfterTool, tables.Replaced).slowly(), saying("b", tables.AfterTool, tables.Replaced)}},
		{name: "several/two with the prompt", hooks: []setupHook{telling("a", tables.BeforePrompt), telling("b", tables.BeforePrompt).slowly()}},
		{name: "several/context and block", hooks: []setupHook{telling("a", tables.BeforePrompt), saying("b", tables.BeforePrompt, tables.PromptBlocked).slowly()}},
		{name: "several/two go on", hooks: []setupHook{again("a"), again("b").slowly()}},
		{name: "several/two at the start", hooks: []setupHook{telling("a", tables.SessionStart), telling("b", tables.SessionStart).slowly()}},
	}
	for _, odd := range oddities {
		all = append(all, setup{name: "entry/" + odd, odd: odd})
	}
	for name, p := range processes {
		p.name = "process/" + name
		all = append(all, p)
	}
	return all
}

// processes are setups of what a hook's program may do. Each hook would block.
var processes = map[string]setup{
	"reads nothing":                 {process: "echo R-A >&2; exit 2"},
	"reads to the end":              {process: "cat >/dev/null; echo end > facts; echo R-A >&2; exit 2"},
	"where it starts":               {process: "pwd > facts; echo R-A >&2; exit 2"},
	"has no terminal":               {process: "{ test -t 0 || test -t 1 || test -t 2; } && echo terminal > facts || echo none > facts; echo R-A >&2; exit 2"},
	"ends by a signal":              {process: "echo R-A >&2; kill -KILL $$"},
	"leaves a child with its pipes": {process: "sleep 8 & echo R-A >&2; exit 2", limit: "5s"},
	"closes stdout":                 {process: "exec >&-; echo R-A >&2; exit 2"},
	"prints much":                   {process: "echo R-A >&2; i=0; while [ $i -lt 4000 ]; do echo 0123456789012345678901234567890123456789012345678 >&2; i=$((i+1)); done; echo R-B >&2; exit 2"},
	"is a folder":                   {process: "exit 2", command: "./folder"},
	"is a line of a shell":          {process: "exit 2", command: "echo R-A >&2; false || exit 2"},
	"exits with 130":                {process: "echo R-A >&2; exit 130"},
	"changes the folder":            {process: "cd / && echo R-A >&2; exit 2"},
}

// oddities lists entries that are not as they should be.
var oddities = []string{
	"comment", "trailing comma", "byte order mark", "no type", "type", "no command", "command is a number", "command is empty", "null", "text", "matcher is a number",
	"no group", "timeout is a text", "timeout is negative", "timeout is 0", "unknown key", "unknown event", "event is an object", "hooks is an object", "hooks is empty", "regular expression",
}

// said returns the answers of the setup's hooks, by file.
func (s setup) said(a *tables.Agent) map[string]tables.Said {
	out := map[string]tables.Said{"guard.sh": {Exit: 2, Stderr: "R-GUARD"}, "watch.sh": {}}
	if s.hooks != nil {
		clear(out)
	}
	for _, h := range s.hooks {
		out[h.name+".sh"] = h.says(a)
	}
	return out
}

func (h setupHook) says(a *tables.Agent) tables.Said {
	if h.allow {
		switch strings.Join(a.Answer.Say, "") {
		case "gemini":
			return tables.Said{Stdout: `{"decision": "allow"}`}
		case "copilot":
			return tables.Said{Stdout: `{"permissionDecision": "allow"}`}
		}
		return tables.Said{Stdout: `{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}`}
	}
	m := h.meant
	if m.Kind == tables.Rewritten {
		m.Input = map[string]any{"command": "echo NEW-" + strings.ToUpper(h.name) + " > f.txt"}
	}
	return a.Say(h.at(), m)
}

// text returns the case for an agent.
func (s setup) text(a *tables.Agent) (text, cannot string) {
	var b strings.Builder
	b.WriteString("prompt Do as you are told.\n! model-requests 999\n\n")
	switch {
	case s.odd != "":
		file, text := oddFile(a, s.odd)
		if text == "" {
			return "", "its hooks have no such entry"
		}
		fmt.Fprintf(&b, "-- %s --\n%s\n", file, text)
	case s.process != "":
		limit := ""
		if s.limit != "" {
			limit = " timeout=" + s.limit
		}
		command := s.command
		if command == "" {
			command = "./guard.sh"
		}
		fmt.Fprintf(&b, "-- hooks --\nbefore-tool shell %q%s\n-- folder/x --\n", command, limit)
	default:
		b.WriteString("-- hooks --\n")
		for _, h := range s.hooks {
			lost := h.says(a).Lost
			if len(lost) > 0 && h.meant.Kind != tables.Allowed {
				return "", lost[0]
			}
			line := points[h.at()] + " ./" + h.name + ".sh\n"
			if b.WriteString(line); h.twice {
				b.WriteString(line)
			}
		}
	}
	for name, said := range s.said(a) {
		b.WriteString(s.script(name, said))
	}
	return b.String() + "-- model --\nshell echo ORIG > f.txt\n\ntext Done.\nrepeat\n", ""
}

func (s setup) script(name string, said tables.Said) string {
	text := "#!/bin/sh\n"
	if s.process != "" && name == "guard.sh" {
		return "-- guard.sh --\n" + text + s.process + "\n"
	}
	for _, h := range s.hooks {
		if h.name+".sh" == name && h.once {
			text += "mkdir .once-" + h.name + " 2>/dev/null || exit 0\n"
		}
		if h.name+".sh" == name && h.slow {
			text += "sleep 1\n"
		}
	}
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
	return fmt.Sprintf("-- %s --\n%scat >/dev/null\nprintf %%s %s\nprintf %%s %s >&2\nexit %d\n", name, text, quote(said.Stdout), quote(said.Stderr), said.Exit)
}

// oddFile is a hooks file of the agent with one unusual thing between a guard before
// the tool and a hook at the end.
func oddFile(a *tables.Agent, odd string) (file, text string) {
	before, _ := a.Event(tables.BeforeTool)
	stop, _ := a.Event(tables.AgentStop)
	switch a.ID {
	case "kimi":
		return "home/.kimi-code/config.toml", oddTOML(odd)
	case "copilot":
		return ".github/hooks/h.json", oddJSON(odd, before.Native, stop.Native, func(entry any) any { return entry })
	case "codex":
		file = ".codex/hooks.json"
	case "claude", "qwen", "gemini":
		file = "." + a.ID + "/settings.json"
	default:
		return "", ""
	}
	return file, oddJSON(odd, before.Native, stop.Native, func(entry any) any {
		group := map[string]any{"hooks": []any{entry}}
		if e, ok := entry.(map[string]any); ok {
			if m, ok := e["matcher"]; ok {
				delete(e, "matcher")
				group["matcher"] = m
			}
		}
		return group
	})
}

func oddJSON(odd, before, stop string, group func(any) any) string {
	entry := func(command string) map[string]any { return map[string]any{"type": "command", "command": command} }
	e := entry("true")
	guards := []any{group(entry("./guard.sh"))}
	events := map[string]any{}
	watch := any([]any{group(entry("./watch.sh"))})
	var second any
	switch odd {
	case "no type":
		delete(e, "type")
	case "type":
		e["type"] = "nonsense"
	case "no command":
		delete(e, "command")
	case "command is a number":
		e["command"] = 3
	case "command is empty":
		e["command"] = ""
	case "matcher is a number":
		e["matcher"] = 3
	case "regular expression":
		e["matcher"] = "("
	case "timeout is a text":
		e["timeout"] = "5"
	case "timeout is negative":
		e["timeout"] = -1
	case "timeout is 0":
		e["timeout"] = 0
	case "unknown key":
		e["nonsense"] = true
	case "unknown event":
		events["Nonsense"] = []any{group(entry("true"))}
	case "event is an object":
		watch = map[string]any{}
	case "null":
		second = json.RawMessage("null")
	case "text":
		second = "true"
	case "no group":
		if before == "preToolUse" { // it has none
			return ""
		}
		second = e
	case "hooks is an object":
		second = map[string]any{"hooks": map[string]any{}}
	case "hooks is empty":
		second = map[string]any{"hooks": []any{}}
	}
	if second == nil {
		second = group(e)
	}
	events[before], events[stop] = append(guards, second), watch
	file := map[string]any{"hooks": events}
	if before == "preToolUse" {
		file["version"] = 1
	}
	data, err := json.Marshal(file)
	if err != nil {
		panic(err)
	}
	switch odd {
	case "comment":
		return "// our hooks\n" + string(data)
	case "trailing comma":
		return strings.TrimSuffix(string(data), "}") + ",}"
	case "byte order mark":
		return "\ufeff" + string(data)
	}
	return string(data)
}

func oddTOML(odd string) string {
	entry := "[[hooks]]\nevent = \"PreToolUse\"\n"
	switch odd {
	case "no command":
	case "command is a number":
		entry += "command = 3\n"
	case "command is empty":
		entry += "command = \"\"\n"
	case "matcher is a number":
		entry += "command = \"true\"\nmatcher = 3\n"
	case "regular expression":
		entry += "command = \"true\"\nmatcher = \"(\"\n"
	case "timeout is a text":
		entry += "command = \"true\"\ntimeout = \"5\"\n"
	case "timeout is negative":
		entry += "command = \"true\"\ntimeout = -1\n"
	case "timeout is 0":
		entry += "command = \"true\"\ntimeout = 0\n"
	case "unknown key":
		entry += "command = \"true\"\nnonsense = true\n"
	case "type":
		entry += "command = \"true\"\ntype = \"nonsense\"\n"
	case "unknown event":
		entry = "[[hooks]]\nevent = \"Nonsense\"\ncommand = \"true\"\n"
	default: // TOML does not have this
		return ""
	}
	return "[[hooks]]\nevent = \"PreToolUse\"\ncommand = \"./guard.sh\"\n" + entry + "[[hooks]]\nevent = \"Stop\"\ncommand = \"./watch.sh\"\n"
}
