// Package servers edits the configuration of MCP servers in Gemini CLI's files, so that
// both programs see the same ones: entries of "mcpServers" in a settings file, and
// which servers are switched off. It does not decide which of them run, and does not
// talk to them.
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

// Entry is an entry of "mcpServers", with its keys in the order in which Gemini CLI
// writes them (cli/commands/mcp/add.ts). It has a Command or a URL.
type Entry struct {
	Command      string            `json:"command,omitempty"`
	Args         []string          `json:"args,omitzero"` // written with every command, even if empty
	URL          string            `json:"url,omitempty"`
	Type         string            `json:"type,omitempty"` // for a URL: "http", "sse", or empty for either
	Env          map[string]string `json:"env,omitempty"`
	Headers      map[string]string `json:"headers,omitempty"`
	Timeout      int               `json:"timeout,omitempty"` // milliseconds
	Trust        bool              `json:"trust,omitempty"`
	Description  string            `json:"description,omitempty"`
	IncludeTools []string          `json:"includeTools,omitempty"`
	ExcludeTools []string          `json:"excludeTools,omitempty"`
}

// Options holds what the command line says about a server besides its command or URL.
type Options struct {
	Transport    string   // "stdio", "sse", "http"; if empty, it depends on the target
	Env, Headers []string // "NAME=value", "Name: value"
	Entry        Entry    // all other fields
}

// IsURL reports whether target is the URL of a running server rather than a command.
func (o Options) IsURL(target string) bool {
	return o.Transport == "http" || o.Transport == "sse" ||
		o.Transport == "" && (strings.HasPrefix(target, "http://") || strings.HasPrefix(target, "https://"))
}

// New makes the Entry for target, which is a URL, or a program with args.
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

// Kind returns how the server is reached: "stdio", "http" or "sse".
func (e Entry) Kind() string {
	switch {
	case e.URL == "":
		return "stdio"
	case e.Type == "":
		return "http"
	}
	return e.Type
}

// pairs parses each item as a name, the separator and a value. It returns nil if there
// are none.
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

// Add sets the entry called name in the settings file, and reports whether it replaced
// one. The rest of the file stays as it is. If e has headers or variables, whose values
// may be secret, only the owner can read the file from then on.
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

// Remove removes the entry called name from the settings file, and reports whether it
// was there.
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

// Switches is the file that records which servers are switched off by name
// (cli/config/mcp/mcpServerEnablement.ts): {"name":{"enabled":false}}, with names in
// lower case.
type Switches struct{ File string }

// Off returns the names of the servers that are off, sorted and in lower case. An
// invalid entry turns its server off. A missing file means none.
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

// Enable undoes Disable, and reports whether the server was off.
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
