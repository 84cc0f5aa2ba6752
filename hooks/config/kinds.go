package config

// The fields of each kind of hook in a settings file.

import (
	"encoding/json"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"minigem/hooks"
	"minigem/hooks/jsonc"
	"minigem/hooks/protocol"
)

// Kinds returns the values that "type" may have. The slice is the caller's.
func Kinds() []string { return []string{"command", "http", "prompt", "mcp_tool"} }

// faultOf says why the entry cannot be run, with the linter's rule. Both are empty if
// it can.
func faultOf(h hooks.Hook, n jsonc.Node) (rule, why string) {
	switch h.Kind() {
	case "http":
		return httpFault(h, n)
	case "prompt":
		return promptFault(h)
	case "mcp_tool":
		return mcpFault(h, n)
	}
	return commandFault(h, n)
}

// commandFault says why a command cannot be run.
func commandFault(h hooks.Hook, n jsonc.Node) (rule, why string) {
	c := n.Get("command")
	switch {
	case c.Kind() != jsonc.String:
		return "HK008", `needs "command", a string`
	case strings.TrimSpace(h.Command) == "":
		return "HK008", "has an empty command"
	case strings.ContainsRune(strings.Join(append(h.Args, h.Command), " "), 0):
		return "HK008", "has a command with a NUL character, which no shell takes"
	case h.Args == nil && n.Get("args").Exists():
		return "HK006", `has "args" that are not an array of strings`
	}
	return "", ""
}

// promptFault says why a model cannot be asked.
func promptFault(h hooks.Hook) (rule, why string) {
	if strings.TrimSpace(h.Prompt) == "" {
		return "HK008", `needs "prompt", a text`
	}
	return "", ""
}

// mcpFault says why a call of an MCP tool cannot be made.
func mcpFault(h hooks.Hook, n jsonc.Node) (rule, why string) {
	switch {
	case h.Server == "" || h.Tool == "":
		return "HK008", `needs "server" and "tool", the names of an MCP server and of its tool`
	case n.Get("input").Exists() && h.Input == nil:
		return "HK006", `has an "input" that is not an object`
	}
	return "", ""
}

// httpFault says why a POST cannot be sent. Passwords in URLs are refused, because URLs
// are shown.
func httpFault(h hooks.Hook, n jsonc.Node) (rule, why string) {
	u, err := url.Parse(h.URL)
	switch {
	case n.Get("url").Kind() != jsonc.String:
		return "HK008", `needs "url", a string`
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return "HK008", `has a "url" that is not one: it begins with https:// and a host, or with http://127.0.0.1`
	case u.User != nil:
		return "HK006", `has a password in its "url": write a header with a variable of "allowedEnvVars"`
	case n.Get("allowedEnvVars").Exists() && h.AllowedEnvVars == nil:
		return "HK006", `has "allowedEnvVars" that are not an array of strings`
	}
	return "", ""
}

// fieldsOf returns the names of the fields that an entry of this kind may have.
func fieldsOf(kind string) []string {
	names := slices.DeleteFunc(slices.Clone(entryFields), func(name string) bool {
		return name == "command" && kind != "command"
	})
	for f := range reflect.TypeFor[hooks.Handler]().Fields() {
		if of := f.Tag.Get("of"); of == "" || of == kind {
			names = append(names, settingName(f))
		}
	}
	return names
}

// handler reads the fields of h's kind. It goes by the types of [hooks.Handler], so
// that a new field needs no code here.
func (l *loader) handler(h *hooks.Hook, n jsonc.Node) {
	v := reflect.ValueOf(&h.Handler).Elem()
	for f := range v.Type().Fields() {
		if of := f.Tag.Get("of"); of != "" && of != h.Kind() || f.Name == "Type" {
			continue
		}
		name := settingName(f)
		switch field := v.FieldByIndex(f.Index).Addr().Interface().(type) {
		case *string:
			*field = l.text(n, name)
		case *bool:
			*field = l.yes(n, name)
		case *[]string:
			*field = l.texts(n, name)
		case *map[string]string:
			*field = l.pairs(name, n.Get(name))
		case *map[string]any:
			if v := n.Get(name); v.Kind() == jsonc.Object {
				_ = json.Unmarshal([]byte(v.Standard()), field) // it was read as JSON before
			}
		}
	}
}

// yes reads an optional true or false.
func (l *loader) yes(n jsonc.Node, name string) bool {
	s := l.flag(name, n.Get(name))
	return s != nil && s.On
}

// unwaited warns about settings that have no effect for a hook with async.
func (l *loader) unwaited(h hooks.Hook, n jsonc.Node) {
	switch {
	case !h.Async:
	case h.Event == protocol.SessionEnd:
		l.problem(n.Line(), "async has no effect at SessionEnd: hooks with async end with the session")
	case h.OnError == "block":
		l.problem(n.Line(), `onError "block" has no effect with async: the hook is not waited for, and cannot block`)
	}
}

// shellWords warns about $NAME in a hook without a shell, which only a shell would
// replace.
func (l *loader) shellWords(h hooks.Hook, n jsonc.Node) {
	if h.Args == nil {
		return
	}
	for _, word := range append([]string{h.Command}, h.Args...) {
		for _, name := range protocol.Variables() {
			if strings.Contains(word, "$"+name) {
				l.problem(n.Line(), `with "args" there is no shell, so $%[1]s stays as it is: write ${%[1]s}`, name)
			}
		}
	}
}

// texts reads an optional array of strings; nil if there is none. An array with
// anything but strings in it counts as none.
func (l *loader) texts(n jsonc.Node, name string) []string {
	v := n.Get(name)
	if v.Kind() != jsonc.Array {
		return nil
	}
	out := []string{}
	for _, e := range v.Elements() {
		if e.Kind() != jsonc.String {
			return nil
		}
		out = append(out, e.Text())
	}
	return out
}

// settingName returns a field's name in settings.
func settingName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}
