package agents

import (
	"encoding/json"
	"errors"
	"path/filepath"

	hookforms "minigem/hooks/author/forms"
	"minigem/hooks/jsonc"
)

// commandKeys lists the fields of a hook's entry that hold a command for a Unix shell.
var commandKeys = []string{"command", "bash"}

// wrapJSON wraps the commands in {"hooks": {EVENT: [ENTRY or {"hooks": [ENTRY]}]}}.
// Nothing else in the file changes. What does not have this shape stays, because only the
// agent knows how it treats that.
func wrapJSON(w *wrapper, path string) error {
	doc, err := readDoc(path)
	if err != nil {
		w.note("%s is not JSON, and stays as it is: %v", filepath.Base(path), err)
		return nil
	}
	for _, event := range doc.Root().Get("hooks").Members() {
		for _, group := range event.Value.Elements() {
			h := hook{event: event.Name, matcher: group.Get("matcher").Text(), file: filepath.Base(path)}
			entries := []jsonc.Node{group}
			if group.Get("hooks").Exists() {
				entries = group.Get("hooks").Elements()
			}
			for _, entry := range entries {
				if err := w.entry(h, entry); err != nil {
					return err
				}
			}
		}
	}
	return writeDoc(path, doc)
}

// entry wraps one hook's entry.
func (w *wrapper) entry(h hook, entry jsonc.Node) error {
	h.name = entry.Get("name").Text()
	if kind := entry.Get("type").Text(); kind != "" && kind != "command" {
		w.note("a hook of %s is not recorded: its type is %s", h.event, kind)
		return nil
	}
	if entry.Get("args").Exists() {
		w.note("a hook of %s is not recorded: it has args, and runs without a shell", h.event)
		return nil
	}
	for _, key := range commandKeys {
		if c := entry.Get(key); c.Kind() == jsonc.String {
			h.command = c.Text()
			if err := c.Replace(w.line(h)); err != nil {
				return err
			}
		}
	}
	return nil
}

// written returns the entry for h with its shim.
func (w *wrapper) written(h hook) hookforms.Entry {
	return hookforms.Entry{Event: h.event, Matcher: h.matcher, Command: w.line(h), Timeout: w.a.timeout(h.timeout)}
}

// writeNested adds a hook in the format of Claude Code and Gemini CLI.
func writeNested(w *wrapper, path string, h hook) error { return w.addAs(path, h, hookforms.Nested) }

// writeFlat adds a hook in the format of Copilot CLI.
func writeFlat(w *wrapper, path string, h hook) error { return w.addAs(path, h, hookforms.Flat) }

func (w *wrapper) addAs(path string, h hook, as func(*jsonc.Doc, hookforms.Entry) error) error {
	doc, err := readDoc(path)
	if err != nil {
		return cannot("the case's %s cannot be read: %v", filepath.Base(path), err)
	}
	if err := as(doc, w.written(h)); err != nil {
		return err
	}
	return writeDoc(path, doc)
}

// mergeJSON adds the fields of added that before lacks.
func mergeJSON(path string, before []byte, added string) (string, error) {
	doc, err := jsonc.Parse(path, before)
	if err != nil {
		return "", err
	}
	return merged(doc.Root().Standard(), added, json.Unmarshal, indented)
}

// merged adds the fields of added that before lacks, with a format's reader and writer.
func merged(before []byte, added string, read func([]byte, any) error,
	write func(any) ([]byte, error)) (string, error) {
	var theirs, ours map[string]any
	if err := errors.Join(read(before, &theirs), read([]byte(added), &ours)); err != nil {
		return "", err
	}
	data, err := write(merge(theirs, ours))
	return string(data), err
}

func indented(v any) ([]byte, error) {
	data, err := json.MarshalIndent(v, "", "  ")
	return append(data, '\n'), err
}

// merge returns the union of a and b. Where both have a value, a wins.
func merge(a, b map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range b {
		out[key] = value
	}
	for key, value := range a {
		ours, isObject := out[key].(map[string]any)
		theirs, both := value.(map[string]any)
		if isObject && both {
			value = merge(theirs, ours)
		}
		out[key] = value
	}
	return out
}
