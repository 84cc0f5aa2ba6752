// Package scaffold makes the beginning of a hook of any kind: a program that does one
// thing (if the kind has one), its entry in the settings, and a test case that proves it.
//
//	h, err := scaffold.Make(scaffold.Options{Name: "guard", Event: protocol.BeforeTool})
//	err = scaffold.Write(h, dir, config)
//	fmt.Print(h.Made())
//
// [Make] only computes texts; [Write] puts them into a project.
package scaffold

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"minigem/hooks"
	"minigem/hooks/jsonc"
	"minigem/hooks/protocol"
)

// Languages lists the languages in which programs can be made. It must not be changed.
var Languages = []string{"sh", "py", "js", "go"}

// Hook is the beginning of a hook, made by [Make].
type Hook struct {
	// Name is the hook's name in the settings and of its files.
	Name string
	// Event is the event that the hook answers.
	Event protocol.Event
	// Program is the hook's program; its Path is empty if the kind has none.
	Program File
	// Case is the test case that proves the hook.
	Case File
	// Group is added to the event's groups in the settings. It marshals to JSON.
	Group any
	// Server is added to mcpServers in the settings, under the hook's name; nil for none.
	Server any
	tool   string // the tool that the case calls
	serves string // the command that starts its server; empty if none must be started
	alone  bool   // it can be fired without a session

	// Try is the change to a sample payload, as "hooks fire --set" takes it, on which the
	// hook answers; empty if it answers any.
	Try string
}

// File is a file to write.
type File struct {
	// Path is relative to the project, with slashes.
	Path string
	// Data is the content of the file.
	Data []byte
	// Mode is the permissions of the new file.
	Mode os.FileMode
}

// validName keeps names usable as names of files and hooks.
var validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)

// Options say what to make.
type Options struct {
	// Name is the name of the hook and its files: letters, digits, "-" and "_", at most
	// 64.
	Name string
	// Event is the event of the hook; required.
	Event protocol.Event
	// Language is one of [Languages]; empty means sh, or py for kinds that a shell cannot
	// serve. A prompt hook has none.
	Language string
	// Tool is the tool whose calls the hook refuses, at BeforeTool; empty means what the
	// event's example refuses.
	Tool string
	// Kind is one of [hooks.Kinds]; empty means a command.
	Kind string
	// Async makes a command that is not waited for. Only some events have an example of
	// that.
	Async bool
}

// Make makes the beginning of a hook. The error says what is not possible: an unknown
// event, kind or language, an invalid name, or a combination that has no example.
func Make(o Options) (Hook, error) {
	t, ok := templateOf(o.Event)
	if !ok {
		return Hook{}, fmt.Errorf("there is no event %q: minigem hooks schema lists them", o.Event)
	}
	var err error
	if o.Tool != "" {
		if t, err = forTool(o.Event, o.Tool); err != nil {
			return Hook{}, err
		}
	}
	if len(o.Name) > 64 || !validName.MatchString(o.Name) {
		return Hook{}, fmt.Errorf("%q is not a name for a hook: it may contain letters, digits, - and _", o.Name)
	}
	m := making{o, t, Hook{Name: o.Name, Event: o.Event, Try: t.Try, tool: cmp.Or(t.Tool, "write_file"), alone: true}}
	if err := m.kind(); err != nil {
		return Hook{}, err
	}
	m.hook.Case = File{".gemini/hooks/tests/" + o.Name + ".txtar", []byte(m.testCase()), 0o644}
	return m.hook, nil
}

// Made says, for people, what [Write] made, and which commands to run next.
func (h Hook) Made() string {
	fire := "minigem hooks fire " + string(h.Event)
	if h.Try != "" {
		fire += " --set " + h.Try
	}
	next := [][2]string{
		{"minigem hooks test " + h.Case.Path, "proves that it works"},
		{"minigem trust", "lets the hooks of this folder run"},
	}
	if h.serves != "" {
		next = append(next, [2]string{h.serves, "answers it, for as long as it runs"})
	}
	if h.alone {
		next = append(next, [2]string{fire, "shows what it does with one event"})
	}
	var b strings.Builder
	for _, f := range h.files() {
		fmt.Fprintf(&b, "made %s\n", f.Path)
	}
	fmt.Fprintf(&b, "added to .gemini/settings.json, under %s\n", h.Event)
	if h.Server != nil {
		fmt.Fprintf(&b, "added to .gemini/settings.json, under mcpServers: %s\n", h.Name)
	}
	b.WriteString("\nWhat to do next:\n")
	for _, n := range next {
		fmt.Fprintf(&b, "  %s\n    %s\n", n[0], n[1])
	}
	if h.Program.Path == "" { // a model answers, in each case
		fmt.Fprintf(&b, "\nA model answers it. Every other case that reaches %s needs its own answer, first in -- "+
			"model --:\n  generate\n  text {\"ok\": true}\n  repeat\n", h.Event)
	}
	return b.String()
}

// files returns the hook's files.
func (h Hook) files() []File {
	if h.Program.Path == "" {
		return []File{h.Case}
	}
	return []File{h.Program, h.Case}
}

// group is a group of hooks in the settings.
type group struct {
	Matcher string `json:"matcher,omitempty"`
	Hooks   []any  `json:"hooks"`
}

// entry is the hook in the settings. Timeout is in milliseconds.
type entry struct {
	Type    string            `json:"type"`
	Name    string            `json:"name"`
	Command string            `json:"command,omitempty"`
	URL     string            `json:"url,omitempty"`
	Prompt  string            `json:"prompt,omitempty"`
	Server  string            `json:"server,omitempty"`
	Tool    string            `json:"tool,omitempty"`
	Input   map[string]string `json:"input,omitempty"`
	Timeout int               `json:"timeout"`
	OnError string            `json:"onError,omitempty"`
	Async   bool              `json:"async,omitempty"`
}

// command returns a command that runs the program from anywhere in the project. It uses
// braces because Gemini CLI replaces the form without them.
func command(program, language string) string {
	path := `"${GEMINI_PROJECT_DIR}/` + program + `"`
	switch language {
	case "py":
		return "python3 " + path
	case "js":
		return "node " + path
	case "go":
		return "go run " + path
	}
	return path
}

// Narrow changes the hook's matcher and its onError ("allow" or "block"); empty values
// change nothing. It is an error if the matcher does not match the call in the hook's
// test case, which would no longer prove the hook.
func (h *Hook) Narrow(matcher, onError string) error {
	g, ok := h.Group.(group)
	if !ok {
		return errors.New("the hook has no group")
	}
	if matcher != "" {
		if !h.Event.IsTool() {
			return fmt.Errorf("--matcher chooses tools, and %s has none", h.Event)
		}
		re, err := regexp.Compile(matcher)
		if err != nil {
			return fmt.Errorf("the matcher is not a regular expression: %w", err)
		}
		if !re.MatchString(h.tool) {
			return fmt.Errorf(
				"the matcher %q does not match %s, with which the case of the hook tries it: make the hook without it, then "+
					"change the matcher and the case", matcher, h.tool)
		}
		g.Matcher = matcher
	}
	switch onError {
	case "", "allow", "block":
	default:
		return fmt.Errorf("--on-error is %q: it is allow or block", onError)
	}
	e, ok := g.Hooks[0].(entry)
	if !ok {
		return errors.New("the hook has no entry")
	}
	if e.Async && onError == "block" {
		return errors.New("--on-error block has no effect with --async: the hook is not waited for, and cannot block")
	}
	e.OnError = onError
	g.Hooks = []any{e}
	h.Group = g
	return nil
}

// Write puts h into the project in dir: its files, and its group in the settings, whose
// comments and order stay. configured are the hooks that exist already. Nothing is
// overwritten: if a name or a file is taken, it fails, removes the files that it made,
// and leaves the settings as they were.
func Write(h Hook, dir string, configured hooks.Config) error {
	for _, other := range configured.Hooks {
		if other.ID() == h.Name {
			return fmt.Errorf("there is a hook %q already, at %s: choose another name", h.Name, other.Source)
		}
	}
	files := h.files()
	for _, f := range files {
		if _, err := os.Lstat(path(dir, f)); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s already exists: choose another name, or move it away", f.Path)
		}
	}
	made, err := createAll(dir, files)
	if err == nil {
		settings := filepath.Join(dir, ".gemini", "settings.json")
		err = jsonc.Update(settings, 0o644, func(data []byte) ([]byte, error) { return configure(settings, data, h) })
		if err == nil {
			return nil
		}
		err = fmt.Errorf("adding the hook to the settings: %w", err)
	}
	for _, f := range made {
		err = errors.Join(err, os.Remove(f))
	}
	return err
}

// createAll creates the files and returns the paths that it created, also if it fails.
// A file that exists is never replaced: that is an error.
func createAll(dir string, files []File) (made []string, err error) {
	for _, f := range files {
		to := path(dir, f)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return made, fmt.Errorf("making the hook's folder: %w", err)
		}
		file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, f.Mode)
		if err != nil {
			return made, fmt.Errorf("writing the hook: %w", err)
		}
		made = append(made, to)
		_, err = file.Write(f.Data)
		if err := errors.Join(err, file.Close()); err != nil {
			return made, fmt.Errorf("writing the hook: %w", err)
		}
	}
	return made, nil
}

// path returns where a file is in the project dir.
func path(dir string, f File) string { return filepath.Join(dir, filepath.FromSlash(f.Path)) }

// configure returns the settings with the hook added. Comments in data stay. It is an
// error if there is an MCP server of the same name, or if data is not JSON.
func configure(name string, data []byte, h Hook) ([]byte, error) {
	doc, err := jsonc.Parse(name, data)
	if err != nil {
		return nil, err
	}
	if h.Server != nil {
		if doc.Root().Get("mcpServers").Get(h.Name).Exists() {
			return nil, fmt.Errorf("there is an MCP server %q already: choose another name", h.Name)
		}
		if err := doc.Set(h.Server, "mcpServers", h.Name); err != nil {
			return nil, err
		}
	}
	if err := doc.Append(h.Group, "hooks", string(h.Event)); err != nil {
		return nil, err
	}
	return doc.Bytes(), nil
}

// quoted returns s as a JSON string, which Python, JavaScript and Go also accept.
func quoted(s string) string {
	data, err := protocol.Encode(s)
	if err != nil {
		return `""` // unreachable: a string always has a JSON form
	}
	return string(data)
}

// answer returns the template's answer as JSON, with the hook's name filled in.
func (t template) answer(name string) string {
	var v any
	if json.Unmarshal([]byte(strings.ReplaceAll(t.Says, "NAME", name)), &v) != nil {
		return "{}"
	}
	data, err := protocol.Encode(v)
	if err != nil {
		return "{}"
	}
	return string(data)
}
