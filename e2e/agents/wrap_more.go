package agents

import (
	_ "embed" // plugin.js
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"minigem/e2e/testbed"
	"minigem/internal/boundedfile"
	"minigem/internal/text"
)

// wrapTOML wraps the commands of [[hooks]] in a TOML file.
func wrapTOML(w *wrapper, path string) error {
	all, err := readTOML(path)
	if err != nil {
		w.note("%s is not TOML, and stays as it is: %v", filepath.Base(path), err)
		return nil
	}
	entries, _ := all["hooks"].([]any)
	for _, e := range entries {
		entry, ok := e.(map[string]any)
		if !ok {
			continue
		}
		text := func(key string) string { s, _ := entry[key].(string); return s }
		if command := text("command"); command != "" {
			entry["command"] = w.line(
				hook{event: text("event"), command: command, matcher: text("matcher"), file: filepath.Base(path)})
		}
	}
	return writeTable(path, all)
}

// writeTOML adds a hook in the format of Kimi Code.
func writeTOML(w *wrapper, path string, h hook) error {
	all, err := readTOML(path)
	if err != nil {
		return cannot("the case's %s cannot be read: %v", filepath.Base(path), err)
	}
	entry := map[string]any{"event": h.event, "command": w.line(h)}
	if t := w.a.timeout(h.timeout); t > 0 {
		entry["timeout"] = t
	}
	if h.matcher != "" {
		entry["matcher"] = h.matcher
	}
	entries, _ := all["hooks"].([]any)
	all["hooks"] = append(entries, entry)
	return writeTable(path, all)
}

func readTOML(path string) (map[string]any, error) {
	all := map[string]any{}
	data, err := boundedfile.Read(path, boundedfile.Kept)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	return all, toml.Unmarshal(data, &all)
}

func writeTable(path string, all map[string]any) error {
	data, err := toml.Marshal(all)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return testbed.WriteInto(path, data, 0o644)
}

// wrapProgram replaces a program that is named after its event by a shim. The program
// stays in its folder under another name.
func wrapProgram(w *wrapper, path string) error {
	event := filepath.Base(path)
	info, err := os.Stat(path)
	if err != nil || info.IsDir() || strings.HasPrefix(event, ".") || info.Mode().Perm()&0o111 == 0 {
		return err // what is not executable is not a hook
	}
	hidden := filepath.Join(filepath.Dir(path), "."+event)
	program, err := boundedfile.Read(path, boundedfile.Kept)
	if err != nil {
		return err
	}
	if err := testbed.WriteInto(hidden, program, info.Mode().Perm()); err != nil {
		return err
	}
	h := hook{event: event, command: text.Word(hidden), file: event, name: event}
	return testbed.WriteInto(path, []byte("#!/bin/sh\n"+w.scriptLine(h)+"\n"), info.Mode().Perm())
}

// writeProgram writes a program named after its event, for agents without matchers. It
// checks the tool itself.
func writeProgram(w *wrapper, path string, h hook) error {
	at := filepath.Join(path, h.event)
	if _, err := os.Stat(at); err == nil {
		if h.observer {
			return nil // the case's own hook shows the same
		}
		return cannot("%s has one hook per event, and the case has several for %s", w.a.Name, h.event)
	}
	text := "#!/bin/sh\n" + w.scriptLine(h) + "\n"
	if len(h.tools) > 0 {
		var patterns []string
		for _, t := range h.tools {
			patterns = append(patterns, `*'"toolName":"`+t+`"'*`)
		}
		text = "#!/bin/sh\ninput=$(cat)\ncase $input in\n" + strings.Join(patterns, "|") + ") ;;\n*) exit 0 ;;\nesac\n" +
			"printf '%s' \"$input\" | { " + w.scriptLine(h) + "\n}\n"
	}
	return testbed.WriteInto(at, []byte(text), 0o755)
}

// readPlugin registers the hooks of a case's plugin, as far as its text shows them. The
// plugin is not changed, so its runs are not recorded.
func readPlugin(w *wrapper, path string) error {
	text, err := boundedfile.Read(path, boundedfile.Kept)
	if err != nil {
		return err
	}
	w.note("%s is not recorded: it is a program of %s, and no command", filepath.Base(path), w.a.Title)
	for _, event := range slices.Sorted(maps.Values(w.a.Events)) {
		_, body, found := strings.Cut(string(text), strconv.Quote(event))
		if !found {
			continue
		}
		if end := strings.Index(body, "\n    }"); end >= 0 {
			body = body[:end]
		}
		h := hook{event: event, command: filepath.Base(path), file: filepath.Base(path), unseen: true}
		if m := pluginMatcher.FindStringSubmatch(body); m != nil {
			h.matcher = m[1]
		}
		w.add(h)
	}
	return nil
}

// pluginMatcher matches the regular expression that a plugin compares tool names with.
var pluginMatcher = regexp.MustCompile(`new RegExp\("((?:[^"\\]|\\.)*)"`)

//go:embed plugin.js
var pluginCode string

// pluginHook is a hook in the plugin's list.
type pluginHook struct {
	Event   string   `json:"event"`
	Command string   `json:"command"`
	Tools   []string `json:"tools,omitempty"`
	Timeout int      `json:"timeout,omitempty"`
}

// writePlugin writes the plugin that runs commands as hooks. Its first line is their list,
// to which h is added.
func writePlugin(w *wrapper, path string, h hook) error {
	const begin = "const hooks = "
	var list []pluginHook
	data, err := boundedfile.Read(path, boundedfile.Kept)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	line, _, _ := strings.Cut(strings.TrimPrefix(string(data), begin), "\n")
	if line != "" {
		if err := json.Unmarshal([]byte(line), &list); err != nil {
			return cannot("the case has a plugin of its own in %s", filepath.Base(path))
		}
	}
	text, err := json.Marshal(append(list, pluginHook{h.event, w.line(h), h.tools, w.a.timeout(h.timeout)}))
	if err != nil {
		return err
	}
	return testbed.WriteInto(path, []byte(begin+string(text)+"\n"+pluginCode), 0o644)
}
