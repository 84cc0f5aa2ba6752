// Package scaffold makes the beginning of a hook: a program that does one
// thing, its entry in the settings, and a case that proves it. It computes
// texts; Write puts them into a project.
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
	"slices"
	"strings"

	"minigem/hooks"
	"minigem/hooks/jsonc"
	"minigem/hooks/protocol"
)

// Languages are those that programs can be made in.
var Languages = []string{"sh", "py", "js", "go"}

// Hook is the beginning of one.
type Hook struct {
	Name    string
	Event   protocol.Event
	Program File
	Case    File
	Group   any    // what is added to the event's groups in the settings
	tool    string // that the case calls

	// Try is the change to a sample payload, as hooks fire --set takes it, on
	// which the hook answers; empty: it does on any.
	Try string
}

// File is a file to write; its path is relative to the project, with slashes.
type File struct {
	Path string
	Data []byte
	Mode os.FileMode
}

var validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)

// New makes the beginning of a hook. The error is for a name or a language that
// cannot be.
func New(name string, event protocol.Event, language string) (Hook, error) {
	t, ok := templates[event]
	if !ok {
		return Hook{}, fmt.Errorf("there is no event %q: minigem hooks schema lists them", event)
	}
	return fill(t, name, event, language)
}

// fill makes a hook of t.
func fill(t template, name string, event protocol.Event, language string) (Hook, error) {
	if len(name) > 64 || !validName.MatchString(name) {
		return Hook{}, fmt.Errorf("%q is not a name for a hook: it may contain letters, digits, - and _", name)
	}
	if !slices.Contains(Languages, language) {
		return Hook{}, fmt.Errorf("there is no language %q; they are %s", language, strings.Join(Languages, ", "))
	}
	program := ".gemini/hooks/" + name + "." + language
	h := Hook{
		Name: name, Event: event, Try: t.try, tool: cmp.Or(t.tool, "write_file"),
		Program: File{program, []byte(t.program(name, event, language)), 0o755},
		Case:    File{".gemini/hooks/tests/" + name + ".txtar", []byte(t.testCase(name, event, language)), 0o644},
	}
	entry := entry{Type: "command", Name: name, Command: command(program, language), Timeout: 10000}
	if language == "go" {
		entry.Timeout = 60000
	}
	h.Group = group{t.matcher, []any{entry}}
	return h, nil
}

// Made says what was made, and what to do with it.
func (h Hook) Made() string {
	fire := "minigem hooks fire " + string(h.Event)
	if h.Try != "" {
		fire += " --set " + h.Try
	}
	next := [][2]string{
		{"minigem hooks test " + h.Case.Path, "proves that it works"},
		{"minigem trust", "lets the hooks of this folder run"},
		{fire, "shows what it does with one event"},
	}
	var b strings.Builder
	fmt.Fprintf(&b, "made %s\nmade %s\nadded to .gemini/settings.json, under %s\n\nWhat to do next:\n", h.Program.Path, h.Case.Path, h.Event)
	for _, n := range next {
		fmt.Fprintf(&b, "  %s\n    %s\n", n[0], n[1])
	}
	return b.String()
}

type group struct {
	Matcher string `json:"matcher,omitempty"`
	Hooks   []any  `json:"hooks"`
}

type entry struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Command string `json:"command"`
	Timeout int    `json:"timeout"`
	OnError string `json:"onError,omitempty"`
}

// command runs the program from anywhere in the project; braces, because Gemini
// CLI replaces the other form.
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

// Narrow gives the hook another matcher and says what its failure does: allow or
// block; empty values change nothing. The matcher must let through the call that
// the hook's case makes, which it would no longer prove otherwise.
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
			return fmt.Errorf("the matcher %q does not match %s, with which the case of the hook tries it: make the hook without it, then change the matcher and the case", matcher, h.tool)
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
	e.OnError = onError
	g.Hooks = []any{e}
	h.Group = g
	return nil
}

// Write puts h into the project in dir: two new files, and a group in the
// settings, whose comments and order stay. What is there already is not
// overwritten: where something is in the way, no file stays behind and the
// settings are as they were.
func Write(h Hook, dir string, configured hooks.Config) error {
	for _, other := range configured.Hooks {
		if other.ID() == h.Name {
			return fmt.Errorf("there is a hook %q already, at %s: choose another name", h.Name, other.Source)
		}
	}
	files := []File{h.Program, h.Case}
	for _, f := range files {
		if _, err := os.Lstat(path(dir, f)); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s is there already: choose another name, or move it away", f.Path)
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

// createAll makes the files and returns the paths of those that it made, which
// are all of them unless it fails.
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

func path(dir string, f File) string { return filepath.Join(dir, filepath.FromSlash(f.Path)) }

func configure(name string, data []byte, h Hook) ([]byte, error) {
	doc, err := jsonc.Parse(name, data)
	if err != nil {
		return nil, err
	}
	if err := doc.Append(h.Group, "hooks", string(h.Event)); err != nil {
		return nil, err
	}
	return doc.Bytes(), nil
}

// quoted is s as a string of Python, JavaScript and Go, which JSON's are too.
func quoted(s string) string {
	data, err := protocol.Encode(s)
	if err != nil {
		return `""` // a string always has a JSON form
	}
	return string(data)
}

// answer is a template's answer as JSON, with the hook's name in it.
func (t template) answer(name string) string {
	var v any
	if json.Unmarshal([]byte(strings.ReplaceAll(t.says, "NAME", name)), &v) != nil {
		return "{}"
	}
	data, err := protocol.Encode(v)
	if err != nil {
		return "{}"
	}
	return string(data)
}
