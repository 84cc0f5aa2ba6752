package hooks

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net"
	"net/url"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"minigem/hooks/protocol"

	"mvdan.cc/sh/v3/syntax"
)

// Handler holds the fields of a hook's entry that say what it does when it runs, apart
// from its Command. Their JSON names are those of settings files. The tag "of" names the
// kind of hook that has the field; a field without it belongs to every kind. The loader,
// reports, lists and trust are driven by this table, so a new field is added here and
// where it takes effect.
type Handler struct {
	// Type is one of [Kinds]; empty means "command". [Hook.Kind] fills that in.
	Type string `json:"type,omitempty"`
	// Args, if not nil, are the arguments of Command, which then is a program and runs
	// without a shell. An empty list counts too.
	Args []string `json:"args,omitzero" of:"command"`
	// URL is the address that the payload is posted to, http or https.
	URL string `json:"url,omitempty" of:"http"`
	// Headers are added to the POST request. Values may name variables of AllowedEnvVars
	// as $NAME or ${NAME}.
	Headers map[string]string `json:"headers,omitempty" of:"http"`
	// AllowedEnvVars lists the environment variables that Headers may name.
	AllowedEnvVars []string `json:"allowedEnvVars,omitempty" of:"http"`
	// Prompt is the question to the model. $ARGUMENTS in it is replaced by the payload.
	Prompt string `json:"prompt,omitempty" of:"prompt"`
	// Model is the model to ask; empty for the default of the hook's runner.
	Model string `json:"model,omitempty" of:"prompt"`
	// Server is the MCP server whose Tool is called with Input.
	Server string `json:"server,omitempty" of:"mcp_tool"`
	// Tool is the name of the MCP tool at the server.
	Tool string `json:"tool,omitempty" of:"mcp_tool"`
	// Input are the arguments of the MCP tool. In its strings ${tool_input.x} is replaced
	// by that field of the payload.
	Input map[string]any `json:"input,omitempty" of:"mcp_tool"`
	// StatusMessage is shown while the hook runs; may be empty.
	StatusMessage string `json:"statusMessage,omitempty"`
	// Async starts the hook without waiting for it. It decides nothing. Its context goes
	// into the next request to the model. At most 16 of them run or wait to be read at a
	// time.
	Async bool `json:"async,omitempty"`
	// Once runs the hook once per session. A run that failed, asked, denied or stopped
	// does not count, so that a guard is not disarmed by its first denial.
	Once bool `json:"once,omitempty"`
}

// kind describes one value of "type".
type kind struct {
	name string
	// target returns what the hook runs, for people; it also tells hooks apart.
	target func(Hook) string
}

// kinds are the values of "type", in the order of manuals.
var kinds = []kind{
	{kindCommand, Hook.Line},
	{"http", httpTarget},
	{"prompt", func(h Hook) string { return strings.TrimSpace("ask "+h.Model) + ": " + h.Prompt }},
	{"mcp_tool", mcpTarget},
}

// ByKind is a [Runner] that passes each hook on to the Runner of its [Hook.Kind]. It is
// safe for concurrent use if its Runners are; the map must not be changed meanwhile.
type ByKind map[string]Runner

// Run implements [Runner]. A hook whose kind has no Runner fails with an [Exit.Err].
func (k ByKind) Run(ctx context.Context, h Hook, stdin Payload, env []string) Exit {
	if r := k[h.Kind()]; r != nil {
		return r.Run(ctx, h, stdin, env)
	}
	return Exit{Code: -1, Err: fmt.Errorf("nothing here can run hooks of the type %q: they need a session", h.Kind())}
}

// kindCommand is the kind of an entry that names none.
const kindCommand = "command"

// Shown returns h for reports and lists, without what may be secret. It hides the
// password and the query's values in URL, and the values of all headers except those that
// name a variable. h itself is not changed.
func (h Handler) Shown() Handler {
	h.URL = shownURL(h.URL)
	h.Headers = maps.Clone(h.Headers)
	for name, value := range h.Headers {
		if !strings.Contains(value, "$") {
			h.Headers[name] = "***"
		}
	}
	return h
}

// shownURL returns u without its user, its password and the values of its query, which
// may be secrets.
func shownURL(u string) string {
	parsed, err := url.Parse(u)
	if err != nil {
		before, _, _ := strings.Cut(u, "?")
		return before
	}
	if parsed.User != nil {
		parsed.User = url.User("***")
	}
	values := strings.Split(parsed.RawQuery, "&")
	for i, v := range values {
		if name, _, ok := strings.Cut(v, "="); ok {
			values[i] = name + "=***"
		} else if v != "" {
			values[i] = "***"
		}
	}
	parsed.RawQuery = strings.Join(values, "&")
	return strings.ReplaceAll(parsed.String(), "//%2A%2A%2A@", "//***@")
}

// Kind returns Type, or "command" if Type is empty.
func (h Hook) Kind() string { return cmp.Or(h.Type, kindCommand) }

// Target returns what the hook runs, on one line: a command with the arguments of a hook
// that has no shell, "POST URL" (with the URL as [Handler.Shown] has it), a prompt or an
// MCP tool. It is empty if the hook is a Go function.
func (h Hook) Target() string {
	for _, k := range kinds {
		if k.name == h.Kind() {
			return k.target(h)
		}
	}
	return ""
}

// mcpTarget describes a call of an MCP tool. The input is part of it, because it tells
// two hooks apart.
func mcpTarget(h Hook) string {
	target := "call " + h.Tool + " of the MCP server " + h.Server
	if h.Input != nil {
		target += " with " + string(encode(h.Input))
	}
	return target
}

// httpTarget describes a POST, with the variables that its headers may send.
func httpTarget(h Hook) string {
	target := "POST " + shownURL(h.URL)
	if len(h.AllowedEnvVars) > 0 {
		target += " with $" + strings.Join(h.AllowedEnvVars, ", $")
	}
	return target
}

// Unencrypted returns the host that h would contact by plain http, or "" if there is
// none. A host is harmless if it is this machine (localhost or a loopback address) or
// matches one of hosts, which are patterns of [path.Match], compared in lower case.
func (h Hook) Unencrypted(hosts []string) string {
	u, err := url.Parse(h.URL)
	if err != nil || u.Scheme != "http" {
		return ""
	}
	host := strings.ToLower(u.Hostname())
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() ||
		slices.ContainsFunc(hosts, func(pattern string) bool {
			ok, err := path.Match(strings.ToLower(pattern), host)
			return ok && err == nil
		}) {
		return ""
	}
	return host
}

// Line returns the hook's command as a shell line, quoted, also for a hook that runs
// without a shell. It is for display and inspection. It is empty for hooks of another
// kind.
func (h Hook) Line() string {
	if h.Args == nil || h.Kind() != kindCommand {
		return h.Command
	}
	words := append([]string{h.Command}, h.Args...)
	for i, word := range words {
		quoted, err := syntax.Quote(word, syntax.LangBash)
		switch {
		case err != nil:
			quoted = "''"
		case placeholder().MatchString(word):
			quoted = `"` + escaped(word) + `"`
		}
		words[i] = quoted
	}
	return strings.Join(words, " ")
}

// escaped escapes word for double quotes, except the variables that every hook gets.
func escaped(word string) string {
	var b strings.Builder
	special := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`")
	at := 0
	for _, span := range placeholder().FindAllStringIndex(word, -1) {
		b.WriteString(special.Replace(word[at:span[0]]) + word[span[0]:span[1]])
		at = span[1]
	}
	return b.String() + special.Replace(word[at:])
}

// placeholder matches ${NAME} for each of [protocol.Variables]. Bash's form without braces is left
// to shells.
var placeholder = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$\{(?:` + strings.Join(protocol.Variables(), "|") + `)\}`)
})

// Expanded returns what a hook without a shell runs: its Command and Args with ${NAME}
// replaced for each NAME of [protocol.Variables]. A name for which value returns false
// stays as it is, and so does $NAME without braces, as in Claude Code.
func (h Hook) Expanded(value func(name string) (string, bool)) (command string, args []string) {
	expand := func(s string) string {
		return placeholder().ReplaceAllStringFunc(s, func(ref string) string {
			if v, ok := value(strings.Trim(ref, "${}")); ok {
				return v
			}
			return ref
		})
	}
	for _, a := range h.Args {
		args = append(args, expand(a))
	}
	return expand(h.Command), args
}

// Differing returns the JSON names of the fields in which h and other differ, in the
// order of [Handler]. It returns nil if they are equal. Fields are compared as
// configured: an empty one differs from its default written out.
func (h Handler) Differing(other Handler) []string {
	var out []string
	for f := range reflect.TypeFor[Handler]().Fields() {
		if !reflect.DeepEqual(reflect.ValueOf(h).FieldByIndex(f.Index).Interface(), reflect.ValueOf(other).FieldByIndex(
			f.Index).Interface()) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			out = append(out, name)
		}
	}
	return out
}
