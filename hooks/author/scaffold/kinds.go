package scaffold

import (
	"fmt"
	"slices"
	"strings"

	"minigem/hooks/config"
	"minigem/hooks/protocol"
)

// making is the state of a hook while it is made. The kind decides on its entry, its
// program and some lines of the case.
type making struct {
	o    Options
	t    template
	hook Hook
}

// kind completes the hook.
func (m *making) kind() error {
	kinds := map[string]func() error{"": m.command, "command": m.command, "http": m.http, "prompt": m.prompt,
		"mcp_tool": m.mcpTool}
	add, ok := kinds[m.o.Kind]
	switch {
	case !ok:
		return fmt.Errorf("there is no kind of hook %q; they are %s", m.o.Kind, strings.Join(config.Kinds(), ", "))
	case m.o.Async && m.o.Kind != "" && m.o.Kind != "command":
		return fmt.Errorf("--async makes a command, not a hook of the type %s", m.o.Kind)
	}
	return add()
}

// language sets the requested language, or the first of those supported. The error
// lists them. It also names the program's file, which has no content yet.
func (m *making) language(all ...string) error {
	if m.o.Language == "" {
		m.o.Language = all[0]
	}
	if !slices.Contains(all, m.o.Language) {
		what := "there is no language %q"
		if slices.Contains(Languages, m.o.Language) {
			what = "a hook of the type " + m.o.Kind + " is not made in %q here"
		}
		return fmt.Errorf(what+"; they are %s", m.o.Language, strings.Join(all, ", "))
	}
	m.hook.Program = File{".gemini/hooks/" + m.o.Name + "." + m.o.Language, nil, 0o755}
	return nil
}

// enter sets the hook's entry in the settings.
func (m *making) enter(e entry) {
	e.Name = m.o.Name
	m.hook.Group = group{m.t.Matcher, []any{e}}
}

// command makes a hook of the kind "command": a program in one of the languages.
func (m *making) command() error {
	if err := m.language(Languages...); err != nil {
		return err
	}
	if m.o.Async {
		if err := m.unwaited(); err != nil {
			return err
		}
	}
	m.hook.Program.Data = []byte(m.t.program(m.o.Name, m.o.Event, m.o.Language))
	e := entry{Type: "command", Command: command(m.hook.Program.Path, m.o.Language), Timeout: 10000, Async: m.o.Async}
	if m.o.Language == "go" {
		e.Timeout = 60000
	}
	m.enter(e)
	return nil
}

// unwaited turns the example into an asynchronous hook. It informs the user and, with
// the next request, the model.
func (m *making) unwaited() error {
	run := m.t.Async
	if run == nil {
		var events []string
		for _, ev := range protocol.Events {
			if t, _ := templateOf(ev); t.Async != nil {
				events = append(events, string(ev))
			}
		}
		return fmt.Errorf("there is no example of an async hook for this: --async takes the events %s, and no --tool",
			strings.Join(events, ", "))
	}
	const told = "this was looked at meanwhile"
	m.t.Does = "looks at what happens while the session goes on, and says later what it saw"
	m.t.Says = `{"systemMessage": "NAME: ` + told + `", "hookSpecificOutput": {"additionalContext": "NAME: ` + told + `"}}`
	m.t.Script = "terminal\nmode yolo\nprompt " + run[0] + "\nwaitfor NAME: " + told +
		"\nprompt And now?\nwaitfor Fine.\nfired EVENT NAME\nmodel-saw any ~'" + told + "'\n"
	m.t.Files = "-- model --\n" + run[1] + "\n\ntext Fine.\n"
	return nil
}

// address is where the program of an HTTP hook listens.
const address = "http://127.0.0.1:8787/"

// http makes a hook of the kind "http": a small server, and a case that starts it.
func (m *making) http() error {
	if err := m.language("py", "js"); err != nil {
		return err
	}
	program := m.hook.Program.Path
	m.hook.Program.Data = []byte(m.t.server(m.o, webServers[m.o.Language]))
	m.hook.serves = interpreter[m.o.Language] + " " + program + " serve"
	m.t.Files = "-- http " + address + m.o.Name + " --\nexec " + interpreter[m.o.Language] + " " + program + "\n" +
		m.t.Files
	m.enter(entry{Type: "http", URL: address + m.o.Name, Timeout: 10000})
	return nil
}

// mcpTool makes a hook of the kind "mcp_tool": a small MCP server with one tool, and
// its entry in the settings.
func (m *making) mcpTool() error {
	if err := m.language("py", "js"); err != nil {
		return err
	}
	m.hook.alone = false
	m.hook.Program.Data = []byte(m.t.server(m.o, mcpServers[m.o.Language]))
	m.hook.Server = server{interpreter[m.o.Language], []string{m.hook.Program.Path}}
	input := map[string]string{"value": "${" + strings.Join(m.t.Field, ".") + "}"}
	if retries(m.o.Event) {
		input["again"] = "${stop_hook_active}"
	}
	m.enter(entry{Type: "mcp_tool", Server: m.o.Name, Tool: "judge", Timeout: 30000, Input: input})
	return nil
}

// server is an entry of mcpServers.
type server struct {
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

// prompt makes a hook that asks a model, whose answer is in the case. It can only
// refuse.
func (m *making) prompt() error {
	if !m.o.Event.CanBlock() {
		return fmt.Errorf("a hook of the type prompt can do nothing but refuse, and %s cannot be refused", m.o.Event)
	}
	if m.o.Language != "" {
		return fmt.Errorf("--lang is for programs, and a hook of the type prompt has none")
	}
	m.hook.alone = false
	m.t.Script = ofQuestion.Replace(m.t.Script)
	reason := strings.ReplaceAll(m.t.reason(), "NAME", m.o.Name)
	answers := fmt.Sprintf("generate\ntext {\"ok\": false, \"reason\": %s}\n\ngenerate\ntext {\"ok\": true}\nrepeat\n\n",
		quoted(reason))
	whose := "-- model --\n"
	if m.o.Event == protocol.SubagentStop {
		whose = "-- model agent=helper --\n"
	}
	before, after, ok := strings.Cut(m.t.Files, whose)
	m.t.Files = before + whose + answers + after
	if !ok {
		m.t.Files = whose + answers + before
	}
	m.enter(entry{Type: "prompt", Timeout: 30000, Prompt: fmt.Sprintf(
		"You are a hook that %s. Where that is called for, say no, with a reason that begins with %q. Else say yes. This "+
			"is what happens: $ARGUMENTS", m.t.Does, m.o.Name+": ")})
	return nil
}

// ofQuestion turns the case of a command hook into the case of a prompt hook, which
// refuses and makes a request itself.
var ofQuestion = strings.NewReplacer("effect=context", "decision=deny", "model-requests 0", "model-requests 1",
	"model-saw last", "model-saw any", "model-saw 3", "model-saw any")

// interpreter runs a program in a language, from the project's folder.
var interpreter = map[string]string{"py": "python3", "js": "node"}
