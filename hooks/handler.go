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

	"mvdan.cc/sh/v3/syntax"
)

// Handler is what a hook does when it runs, besides its Command, and how: the
// fields of its entry in a settings file, by their names there. The tag "of" says
// which kind of hook has a field; without one all have it. The loader, reports,
// lists and trust go by this table, so that a field is added here and where it
// takes effect.
type Handler struct {
	Type string `json:"type,omitempty"` // one of Kinds; empty: a command
	// not nil: the command is a program, run with these and without a shell
	Args    []string          `json:"args,omitzero" of:"command"`
	URL     string            `json:"url,omitempty" of:"http"`
	Headers map[string]string `json:"headers,omitempty" of:"http"`
	// AllowedEnvVars are the variables that headers may name, as $NAME or ${NAME}.
	AllowedEnvVars []string `json:"allowedEnvVars,omitempty" of:"http"`
	// Prompt is what Model is asked; $ARGUMENTS in it stands for the payload.
	Prompt string `json:"prompt,omitempty" of:"prompt"`
	Model  string `json:"model,omitempty" of:"prompt"`
	// Tool of the MCP Server is called with Input, in whose texts ${tool_input.x} is
	// a field of the payload.
	Server        string         `json:"server,omitempty" of:"mcp_tool"`
	Tool          string         `json:"tool,omitempty" of:"mcp_tool"`
	Input         map[string]any `json:"input,omitempty" of:"mcp_tool"`
	StatusMessage string         `json:"statusMessage,omitempty"` // shown while it runs
	Async         bool           `json:"async,omitempty"`         // not waited for
	// not again in the session, once it ran without failing or refusing
	Once bool `json:"once,omitempty"`
}

// kind is one sort of hook.
type kind struct {
	name string
	// target is what it runs, as people read it and tell it apart.
	target func(Hook) string
}

var kinds = []kind{
	{kindCommand, Hook.Line},
	{"http", httpTarget},
	{"prompt", func(h Hook) string { return strings.TrimSpace("ask "+h.Model) + ": " + h.Prompt }},
	{"mcp_tool", mcpTarget},
}

// ByKind is a Runner that leaves each hook to the one of its kind.
type ByKind map[string]Runner

// Run implements [Runner].
func (k ByKind) Run(ctx context.Context, h Hook, stdin Payload, env []string) Exit {
	if r := k[h.Kind()]; r != nil {
		return r.Run(ctx, h, stdin, env)
	}
	return Exit{Code: -1, Err: fmt.Errorf("nothing here can run hooks of the type %q: they need a session", h.Kind())}
}

const kindCommand = "command"

// Kinds are the values of "type".
func Kinds() []string {
	var out []string
	for _, k := range kinds {
		out = append(out, k.name)
	}
	return out
}

// Shown is h for reports and lists: without the values of headers and of the URL's
// query, which may be secrets, except those of headers that name a variable.
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

// shownURL is u without what may be a secret: user, password and the values of the
// query.
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

// Kind is the value of "type", also where that is left out.
func (h Hook) Kind() string { return cmp.Or(h.Type, kindCommand) }

// Target is what the hook runs, on one line of text: its command, with the
// arguments of one that has no shell, and a URL as [Handler.Shown] has it. Empty: it
// is a function.
func (h Hook) Target() string {
	for _, k := range kinds {
		if k.name == h.Kind() {
			return k.target(h)
		}
	}
	return ""
}

func mcpTarget(h Hook) string {
	target := "call " + h.Tool + " of the MCP server " + h.Server
	if h.Input != nil {
		target += " with " + string(encode(h.Input))
	}
	return target
}

func httpTarget(h Hook) string {
	target := "POST " + shownURL(h.URL)
	if len(h.AllowedEnvVars) > 0 {
		target += " with $" + strings.Join(h.AllowedEnvVars, ", $")
	}
	return target
}

// Unencrypted is the host that h would send to without encryption, which is
// neither this machine nor one of hosts, where * stands for anything; empty: it
// would not.
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

// Line is the hook's command as a line for the shell, though it runs without
// one: for those who look at what it runs. Empty: it is another kind of hook.
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

// escaped is word for double quotes, except for the variables that every hook gets.
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

var placeholder = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$\{(?:` + strings.Join(Variables(), "|") + `)\}`)
})

// Variables returns the names of the variables that every hook finds in its
// environment, and of the folder of a plugin for Claude Code. Gemini CLI puts their
// values into the command as one word each (core/hooks/hookRunner.ts).
func Variables() []string {
	return []string{"GEMINI_PROJECT_DIR", "GEMINI_CWD", "GEMINI_PLANS_DIR", "GEMINI_SESSION_ID", "CLAUDE_PROJECT_DIR",
		"CLAUDE_PLUGIN_ROOT"}
}

// ExpandVariables puts values in the place of the variables that every hook gets,
// ${NAME}, for hooks without a shell. What value does not know stays as it is, and
// so does $NAME, as in Claude Code.
func ExpandVariables(s string, value func(name string) (string, bool)) string {
	return placeholder().ReplaceAllStringFunc(s, func(ref string) string {
		if v, ok := value(strings.Trim(ref, "${}")); ok {
			return v
		}
		return ref
	})
}

// Differing returns the fields that are not the same in h and other, by their
// names in settings.
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
