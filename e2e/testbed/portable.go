package testbed

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"minigem/hooks/agents"
	"minigem/hooks/protocol"
	"minigem/llm/script"
)

// PortableSection names the section of a case with portable hooks, one a line: EVENT
// [TOOLS] COMMAND [timeout=5s] [name=NAME]; or a JSON document in Claude Code's format.
const PortableSection = "hooks"

// Portable is a hook in terms that belong to no single agent.
type Portable struct {
	Event   string   // minigem's name for it
	Tools   []string // actions such as shell, for events about tools; nil for all
	Name    string   // may be empty
	Command string
	Timeout time.Duration // 0 for the agent's default
	Line    int           // in the case; 0 if it is not on a line of its own
	// Run holds arguments of minigem hooks run, which translates the command's answers. If
	// it is nil, the command answers in the agent's own format.
	Run []string
}

// neutral lists the portable names of events, each followed by minigem's name.
var neutral = sync.OnceValue(func() []string {
	return strings.Fields(`
	session-start SessionStart  prompt BeforeAgent  before-model BeforeModel  tool-choice BeforeToolSelection
	after-model AfterModel  before-tool BeforeTool  permission PermissionRequest  after-tool AfterTool
	tool-failed PostToolUseFailure  subagent-start SubagentStart  subagent-stop SubagentStop  stop AfterAgent
	compact PreCompress  compacted PostCompact  notification Notification  stop-failed StopFailure
	session-end SessionEnd`)
})

// CanonicalEvent returns minigem's name for an event with this portable or foreign name,
// or "" if the name is unknown.
func CanonicalEvent(name string) string {
	if known := neutralEvent(name); known != "" {
		return known
	}
	return neutralEvent(agents.EventOf(name))
}

func neutralEvent(name string) string {
	if i := slices.Index(neutral(), name); i >= 0 {
		return neutral()[i|1]
	}
	return ""
}

// HasTools reports whether an event, given by its canonical name, is about a tool.
func HasTools(event string) bool {
	return protocol.Event(event).IsTool()
}

func eventWords() []string {
	var words []string
	for pair := range slices.Chunk(neutral(), 2) {
		words = append(words, pair[0])
	}
	return words
}

// parsePortable parses the section. files lists the files in the workspace.
func parsePortable(file string, s section, files []string) ([]Portable, error) {
	if text := strings.TrimSpace(string(s.data)); strings.HasPrefix(text, "{") {
		all, lost, err := nestedHooks([]byte(text))
		if err == nil && lost != nil {
			err = errors.New(strings.Join(lost, "; "))
		}
		if err != nil {
			return nil, &SyntaxError{file, s.line, err.Error()}
		}
		return all, nil
	}
	var all []Portable
	n := s.line
	for line := range strings.Lines(string(s.data)) {
		line = strings.TrimSpace(line)
		if line != "" && line[0] != '#' {
			p, err := portableLine(line, files)
			if err != nil {
				return nil, &SyntaxError{file, n, err.Error()}
			}
			p.Line = n
			all = append(all, p)
		}
		n++
	}
	return all, nil
}

func portableLine(line string, files []string) (Portable, error) {
	const shape = "EVENT [TOOLS] COMMAND [timeout=5s] [name=NAME]"
	var p Portable
	ws, err := words(line)
	if err != nil {
		return p, err
	}
	if p.Event = CanonicalEvent(ws[0]); p.Event == "" {
		return p, fmt.Errorf("%q is not an event%s; expected %s", ws[0], meant(ws[0], eventWords()), shape)
	}
	ws = ws[1:]
	if HasTools(p.Event) {
		if len(ws) == 0 {
			return p, fmt.Errorf("which tools? expected %s, with * for all", shape)
		}
		if p.Tools, err = portableToolList(ws[0]); err != nil {
			return p, err
		}
		ws = ws[1:]
	}
	for len(ws) > 1 {
		key, value, ok := strings.Cut(ws[len(ws)-1], "=")
		switch {
		case !ok:
			return p, fmt.Errorf("%q is one word too many: put quotes around a command of several words", ws[len(ws)-1])
		case key == "timeout":
			if p.Timeout, err = time.ParseDuration(value); err != nil || p.Timeout <= 0 {
				return p, fmt.Errorf("timeout is %q: expected a duration such as 5s", value)
			}
		case key == "name":
			p.Name = value
		default:
			return p, fmt.Errorf("%q is not an option: expected %s", key, shape)
		}
		ws = ws[:len(ws)-1]
	}
	if len(ws) == 0 {
		return p, fmt.Errorf("there is no command: expected %s", shape)
	}
	p.Command = ws[0]
	program, rest, _ := strings.Cut(p.Command, " ")
	if slices.Contains(files, program) && !strings.HasPrefix(program, ".") && !strings.HasPrefix(program, "/") {
		p.Command = strings.TrimSpace("./" + program + " " + rest)
	}
	return p, nil
}

// portableTools returns the portable names of tools.
func portableTools() []string {
	var known []string
	for _, k := range script.ActionKinds {
		known = append(known, string(k))
	}
	return known
}

// portableToolList parses a list such as shell|write, or * for all.
func portableToolList(list string) ([]string, error) {
	if list == "*" {
		return nil, nil
	}
	known := portableTools()
	names := strings.Split(list, "|")
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("%q is not one of %s, or * for all tools%s", name, strings.Join(known, ", "),
				meant(name, known))
		}
	}
	return names, nil
}

// portableSettings converts portable hooks to minigem's settings.
func portableSettings(all []Portable) ([]byte, error) {
	byEvent := map[string][]any{}
	for _, p := range all {
		entry := map[string]any{"type": "command", "command": p.Command}
		if p.Name != "" {
			entry["name"] = p.Name
		}
		if p.Timeout > 0 {
			entry["timeout"] = p.Timeout.Milliseconds()
		}
		group := map[string]any{"hooks": []any{entry}}
		var names []string
		for _, t := range p.Tools {
			names = append(names, canonicalTool(t))
		}
		if len(names) > 0 {
			group["matcher"] = "^(?:" + strings.Join(names, "|") + ")$"
		}
		byEvent[p.Event] = append(byEvent[p.Event], group)
	}
	return json.MarshalIndent(map[string]any{"hooks": byEvent}, "", "  ")
}

// writePortable writes the portable hooks of the case for minigem. Drivers of other
// programs write them themselves.
func (r *runner) writePortable() error {
	if len(r.setup.Portable) == 0 || r.o.Elsewhere {
		return nil
	}
	data, err := portableSettings(r.setup.Portable)
	if err != nil {
		return fmt.Errorf("writing the portable hooks: %w", err)
	}
	r.rec.r.used = append(r.rec.r.used, cited(r.c.Path, r.setup.Portable, data)...)
	return WriteInto(filepath.Join(r.place.workspace, ".gemini", "settings.json"), data, 0o644)
}

// cited returns texts that name lines of hooks in settings, each with one that names the
// hook's line in the case.
func cited(file string, all []Portable, settings []byte) (texts [][2]string) {
	all = slices.SortedStableFunc(slices.Values(all), func(a, b Portable) int { return strings.Compare(a.Event, b.Event) })
	at := 0
	for i, line := range strings.Split(string(settings), "\n") {
		if line == "      {" { // the group of a hook
			at, all = all[0].Line, all[1:]
		}
		if at > 0 {
			texts = append(texts, [2]string{fmt.Sprintf(".gemini/settings.json:%d)", i+1), fmt.Sprintf("%s:%d)", file, at)})
		}
	}
	return texts
}

// canonicalTool returns minigem's tool for a portable name such as shell, and other names
// unchanged.
func canonicalTool(name string) string {
	if slices.Contains(script.ActionKinds, script.ActionKind(name)) {
		return script.Action{Kind: script.ActionKind(name)}.Call().Name
	}
	return name
}
