// Package servers changes what files say of MCP servers, in the form of Gemini
// CLI, so that both programs see the same ones: entries of "mcpServers" in a
// settings file, and which servers are switched off. It keeps out which of them
// run, and talking to them.
package servers

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"

	"minigem/hooks/jsonc"
	"minigem/internal/boundedfile"
	"minigem/internal/exit"
	"minigem/internal/text"
)

// An Entry is one of "mcpServers", its keys in the order in which Gemini CLI
// writes them (cli/commands/mcp/add.ts). It has a Command or a URL.
type Entry struct {
	Command      string            `json:"command,omitempty"`
	Args         []string          `json:"args,omitzero"` // written where there is a command, also empty
	URL          string            `json:"url,omitempty"`
	Type         string            `json:"type,omitempty"` // of a URL: "http", "sse", or either
	Env          map[string]string `json:"env,omitempty"`
	Headers      map[string]string `json:"headers,omitempty"`
	Timeout      int               `json:"timeout,omitempty"` // milliseconds
	Trust        bool              `json:"trust,omitempty"`
	Description  string            `json:"description,omitempty"`
	IncludeTools []string          `json:"includeTools,omitempty"`
	ExcludeTools []string          `json:"excludeTools,omitempty"`
}

// Options are what the command line says of a server, beside its command or URL.
type Options struct {
	Transport    string   // "stdio", "sse", "http"; empty: by what follows
	Env, Headers []string // "NAME=value", "Name: value"
	Entry        Entry    // the rest
}

// IsURL reports whether a server is reached at target and not started.
func (o Options) IsURL(target string) bool {
	return o.Transport == "http" || o.Transport == "sse" ||
		o.Transport == "" && (strings.HasPrefix(target, "http://") || strings.HasPrefix(target, "https://"))
}

// New makes the Entry of target, which is a program with args or a URL.
func (o Options) New(target string, args []string) (Entry, error) {
	e := o.Entry
	var err error
	switch o.Transport {
	case "", "stdio", "http", "sse":
	default:
		return e, fmt.Errorf("--transport is %q: it must be stdio, sse or http", o.Transport)
	}
	if e.Env, err = pairs(o.Env, "=", `--env takes NAME=value, not %q`); err != nil {
		return e, err
	}
	if e.Headers, err = pairs(o.Headers, ":", `--header takes "Name: value", not %q`); err != nil {
		return e, err
	}
	if !o.IsURL(target) {
		if e.Headers != nil {
			return e, errors.New("--header is for servers with a URL: give --transport http or sse, or take it away")
		}
		e.Command, e.Args = target, append([]string{}, args...)
		return e, nil
	}
	u, err := url.Parse(target)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return e, fmt.Errorf("%q is not a URL: with --transport %s it must begin with http:// or https:// and name a host",
			target, o.Transport)
	case len(args) > 0:
		return e, fmt.Errorf("%q follows the URL: a server that is not started takes no arguments", args[0])
	case e.Env != nil:
		return e, errors.New("--env is for servers that are started: give what a URL needs with --header")
	}
	e.URL, e.Type = target, o.Transport
	return e, nil
}

// Kind is how the server is reached, in one word.
func (e Entry) Kind() string {
	switch {
	case e.URL == "":
		return "stdio"
	case e.Type == "":
		return "http"
	}
	return e.Type
}

// pairs reads "name SEPARATOR value" of each item; nil: there are none.
func pairs(items []string, separator, wrong string) (map[string]string, error) {
	var out map[string]string
	for _, item := range items {
		name, value, ok := strings.Cut(item, separator)
		if name = strings.TrimSpace(name); !ok || name == "" {
			return nil, fmt.Errorf(wrong, item)
		}
		if out == nil {
			out = map[string]string{}
		}
		out[name] = strings.TrimSpace(value)
	}
	return out, nil
}

// Add makes e the entry called name of the settings file, and reports whether
// there was one. The rest of the file stays as it is. A file that holds values
// of headers or variables, which may be secrets, is its owner's alone from then
// on.
func Add(file, name string, e Entry) (replaced bool, err error) {
	if strings.TrimSpace(name) == "" || text.Line(name) != name {
		return false, exit.Errorf(exit.Input, "%q cannot be the name of a server", name)
	}
	err = jsonc.Edit(file, 0o600, func(d *jsonc.Doc) error {
		replaced = d.Root().Get("mcpServers", name).Exists()
		return d.Set(e, "mcpServers", name)
	})
	if err != nil || len(e.Headers)+len(e.Env) == 0 {
		return replaced, err
	}
	if err := os.Chmod(file, 0o600); err != nil {
		return replaced, fmt.Errorf("keeping others from reading %s, which may hold secrets now: %w", file, err)
	}
	return replaced, nil
}

// Remove takes the entry called name out of the settings file, and reports
// whether it was there.
func Remove(file, name string) (found bool, err error) {
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	err = jsonc.Edit(file, 0o600, func(d *jsonc.Doc) error {
		found = d.Root().Get("mcpServers").Remove(name)
		return nil
	})
	return found, err
}

// Switches are the servers that were switched off or on by name, in a file of
// their own (cli/config/mcp/mcpServerEnablement.ts): {"name":{"enabled":false}},
// names in lower case.
type Switches struct{ File string }

// Off are the names, in lower case and in order, of those that are off; an entry that
// cannot be understood turns its server off. No file: none.
func (s Switches) Off() ([]string, error) {
	data, err := boundedfile.Read(s.File, boundedfile.Kept)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading which MCP servers are off: %w", err)
	}
	d, err := jsonc.Parse(s.File, data)
	if err != nil {
		return nil, err
	}
	if d.Root().Kind() != jsonc.Object {
		return nil, fmt.Errorf("%s must hold an object, not %s", s.File, d.Root().Kind())
	}
	off := map[string]bool{}
	for _, m := range d.Root().Members() {
		empty := m.Value.Kind() == jsonc.Object && len(m.Value.Members()) == 0
		if !empty && !m.Value.Get("enabled").IsTrue() {
			off[strings.ToLower(m.Name)] = true
		}
	}
	return slices.Sorted(maps.Keys(off)), nil
}

// Disable switches the server off until Enable, and reports whether it was on.
func (s Switches) Disable(name string) (changed bool, err error) {
	name = strings.ToLower(name)
	err = jsonc.Edit(s.File, 0o600, func(d *jsonc.Doc) error {
		changed = d.Root().Get(name, "enabled").Text() != "false"
		return d.Set(map[string]bool{"enabled": false}, name)
	})
	return changed, err
}

// Enable takes back what Disable did, and reports whether the server was off.
func (s Switches) Enable(name string) (changed bool, err error) {
	if _, err := os.Stat(s.File); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	err = jsonc.Edit(s.File, 0o600, func(d *jsonc.Doc) error {
		changed = d.Root().Remove(strings.ToLower(name))
		return nil
	})
	return changed, err
}
