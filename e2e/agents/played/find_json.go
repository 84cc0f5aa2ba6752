package played

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"minigem/hooks"
	tables "minigem/hooks/agents"
	"minigem/hooks/jsonc"
)

// hookFile is the state while a hooks file is read. What invalid settings discard is not
// added.
type hookFile struct {
	finder *finder
	source hooks.Source
	void   bool     // the file is discarded
	event  string   // the current one
	voids  []string // discarded events
	odd    bool     // the current entry is discarded
	found  []found
}

type found struct {
	event string
	hook  hooks.Hook
}

func (f *hookFile) check(wrong bool, what, detail string) {
	if !wrong {
		return
	}
	switch f.finder.odd(f.source.File, what, detail) {
	case "file":
		f.void = true
	case "event":
		f.voids = append(f.voids, f.event)
	case "entry":
		f.odd = true
	}
}

// json parses {"hooks": {EVENT: [ENTRY or {"hooks": [ENTRY]}]}}.
func (f *finder) json(path string, data []byte) {
	doc, err := jsonc.Parse(path, data)
	if err != nil {
		f.odd(path, "trailing comma", err.Error()) // all tested agents ignore a file that is not JSON
		return
	}
	file := &hookFile{finder: f, source: hooks.Source{Layer: hooks.LayerProject, File: path}}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	file.check(doc.BOM, "bom", "it begins with a byte order mark")
	commented, valid := strings.Contains(string(data), "//"), json.Valid(data)
	file.check(commented && !valid, "comment", "there is a comment in it")
	file.check(!commented && !valid, "trailing comma", "it is not JSON as it should be")
	for _, event := range doc.Root().Get("hooks").Members() {
		file.at(event.Name)
		file.check(event.Value.Kind() != jsonc.Array, "event object", event.Name+" is not a list")
		for _, group := range event.Value.Elements() {
			file.odd = false
			file.group(group)
		}
	}
	file.keep()
}

// at begins with the entries of an event.
func (f *hookFile) at(event string) {
	f.event = event
	_, known := f.finder.event(event)
	f.check(!known, "event", fmt.Sprintf("there is no event %q", event))
}

// keep adds the hooks that were not discarded.
func (f *hookFile) keep() {
	for _, x := range f.found {
		if !f.void && !slices.Contains(f.voids, x.event) {
			f.finder.add(x.hook, x.event, nil)
		}
	}
}

func (f *hookFile) matcher(of jsonc.Node) string {
	matcher := of.Get("matcher")
	f.check(matcher.Exists() && matcher.Kind() != jsonc.String, "matcher", "a matcher is not a string")
	return matcher.Text()
}

func (f *hookFile) group(group jsonc.Node) {
	switch group.Kind() {
	case jsonc.Null:
		f.check(true, "null group", f.event+" holds null")
		return
	case jsonc.String:
		f.check(true, "string entry", f.event+" has a string instead of an object")
		return
	}
	matcher := f.matcher(group)
	nested := group.Get("hooks")
	flat := f.finder.adapter.Hooks.Form == "flat"
	entries := []jsonc.Node{group}
	switch {
	case nested.Exists():
		f.check(nested.Kind() != jsonc.Array, "hooks object", "hooks is not a list")
		entries = nested.Elements()
	case !flat:
		f.check(true, "flat group", "an entry of "+f.event+" has no hooks")
		return
	}
	groupOdd := f.odd
	for _, entry := range entries {
		f.odd = groupOdd
		f.entry(matcher, entry)
	}
}

// unplayed lists keys of entries that change what a hook does in some agents.
var unplayed = []string{"args", "async", "if", "once", "onFailure", "cwd", "sequential", "shell"}

func (f *hookFile) entry(matcher string, entry jsonc.Node) {
	command := entry.Get("command")
	if !command.Exists() {
		command = entry.Get("bash")
	}
	kind := entry.Get("type")
	f.check(!kind.Exists(), "no type", "a hook of "+f.event+" has no type")
	f.check(kind.Exists() && kind.Text() != "command", "type",
		fmt.Sprintf("a hook of %s has the type %q", f.event, kind.Text()))
	f.check(!command.Exists(), "no command", "a hook of "+f.event+" has no command")
	f.check(command.Exists() && command.Kind() != jsonc.String, "command", "a command is not a text")
	f.check(command.Kind() == jsonc.String && command.Text() == "", "empty command", "a command is empty")
	timeout := entry.Get("timeout")
	if !timeout.Exists() {
		timeout = entry.Get("timeoutSec")
	}
	n, isNumber := timeout.Float()
	f.check(timeout.Exists() && !isNumber, "timeout string", "a timeout is not a number")
	f.check(isNumber && n < 0, "timeout negative", "a timeout is negative")
	f.check(isNumber && n == 0, "timeout zero", "a timeout is 0")
	for _, key := range unplayed {
		if v := entry.Get(key); v.Exists() && v.Text() != "false" {
			f.finder.unknown("%s: %s of a hook is not played", filepath.Base(f.source.File), key)
		}
	}
	h := hooks.Hook{
		Name: entry.Get("name").Text(), Command: command.Text(), Matcher: matcher, Timeout: f.finder.timeout(n),
		Source: f.source,
	}
	h.Source.Line = entry.Line()
	if f.finder.takesEnv() {
		h.Env = map[string]string{}
		for _, m := range entry.Get("env").Members() {
			h.Env[m.Name] = m.Value.Text()
		}
	}
	if !f.odd && command.Kind() == jsonc.String {
		f.found = append(f.found, found{f.event, h})
	}
}

// takesEnv reports whether an entry's env is passed to the hook.
func (f *finder) takesEnv() bool {
	return slices.ContainsFunc(f.agent.Entry, func(r tables.Row) bool { return r.Name == "env" && r.Value == "yes" })
}
