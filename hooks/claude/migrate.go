package claude

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"minigem/hooks/jsonc"
	"minigem/hooks/protocol"
	"minigem/internal/text"
)

// File is a settings file with hooks of Claude Code, or the target of a migration. A file
// that does not exist has no Data.
type File struct {
	// Name is the name of the file in messages.
	Name string
	// Data is the text of the file.
	Data []byte
	// Head says that the hooks are in the front matter of a skill or an agent, where
	// "once" has an effect.
	Head bool
	// Root is the folder of a plugin, which its hooks get as CLAUDE_PLUGIN_ROOT; empty if
	// there is no plugin.
	Root string
}

// Result is what a migration would do.
type Result struct {
	// Settings is the new text of the target, or the old one if nothing is added.
	Settings []byte
	// Diff is the change as a unified diff; empty if nothing is added.
	Diff string
	// Added is the number of hooks that are new.
	Added int
	// Remarks list what was lost or differs, in the order of the sources.
	Remarks []Remark
}

// Remark is something that is not as it was in the source.
type Remark struct {
	// File is the name of the source.
	File string
	// Line is the line in the source, from 1.
	Line int
	// Text says what was lost or differs, in a sentence.
	Text string
	// Lost says that something was not carried over. Otherwise it was, with a difference.
	Lost bool
	// Rule is the linter's code of the remark; empty if it has none.
	Rule string
}

// String returns "file:line: text".
func (r Remark) String() string { return fmt.Sprintf("%s:%d: %s", r.File, r.Line, r.Text) }

// Migrate adds the hooks of sources, Claude Code's settings.json and settings.local.json,
// to those of target, a project's settings file. It changes nothing else in target, keeps
// its comments, and leaves out hooks that target already has, so that a second migration
// adds nothing (docs/spec/faults.md, T14). Timeouts are converted to milliseconds. The
// error is for a file that is not valid JSON, which is a [jsonc.SyntaxError], or not
// UTF-8.
func Migrate(target File, sources ...File) (Result, error) {
	doc, err := jsonc.Parse(target.Name, target.Data)
	if err != nil {
		return Result{}, fmt.Errorf("reading settings: %w", err)
	}
	if doc.BadUTF8 > 0 {
		return Result{}, fmt.Errorf("%s:%d: a byte that is not UTF-8 would be lost; repair it first", target.Name,
			doc.BadUTF8)
	}
	m := migration{target: doc, into: target.Name, seen: present(doc.Root())}
	for _, source := range sources {
		if err := m.file(source); err != nil {
			return Result{}, err
		}
	}
	r := Result{Settings: target.Data, Added: m.added, Remarks: m.remarks}
	if m.added > 0 {
		r.Settings = doc.Bytes()
		r.Diff = udiff.Unified(target.Name, target.Name, string(target.Data), string(r.Settings))
	}
	return r, nil
}

// key identifies equal hooks.
type key struct {
	event            protocol.Event
	matcher, command string
	condition        string
}

// present returns the keys of the hooks that a settings file has.
func present(root jsonc.Node) map[key]bool {
	seen := map[key]bool{}
	for _, event := range root.Get("hooks").Members() {
		for _, group := range event.Value.Elements() {
			for _, hook := range group.Get("hooks").Elements() {
				seen[key{protocol.Event(event.Name), group.Get("matcher").Text(), target(hook), hook.Get("if").Text()}] = true
			}
		}
	}
	return seen
}

// group and hook are written to the settings, with their fields in this order.
type group struct {
	Matcher string `json:"matcher,omitempty"`
	Hooks   []hook `json:"hooks"`
}

// hook is an entry in the settings. Its fields are written in this order.
type hook struct {
	target      string
	Type        string            `json:"type"`
	Command     string            `json:"command,omitempty"`
	Args        []string          `json:"args,omitzero"`
	URL         string            `json:"url,omitempty"`
	Headers     map[string]string `json:"headers,omitempty"`
	Variables   []string          `json:"allowedEnvVars,omitempty"`
	Prompt      string            `json:"prompt,omitempty"`
	Model       string            `json:"model,omitempty"`
	Server      string            `json:"server,omitempty"`
	Tool        string            `json:"tool,omitempty"`
	Input       json.RawMessage   `json:"input,omitempty"`
	Name        string            `json:"name,omitempty"`
	Description string            `json:"description,omitempty"`
	Timeout     json.Number       `json:"timeout,omitempty"`
	If          string            `json:"if,omitempty"`
	Async       bool              `json:"async,omitempty"`
	Status      string            `json:"statusMessage,omitempty"`
	Once        bool              `json:"once,omitempty"`
	Env         map[string]string `json:"env,omitempty"`
	Dialect     string            `json:"dialect"`
}

// migration collects the hooks and remarks of several sources.
type migration struct {
	target  *jsonc.Doc
	into    string // its file
	seen    map[key]bool
	name    string
	root    string // of the plugin
	head    bool   // once is heeded
	added   int
	remarks []Remark
}

// lost adds a remark about something that is not carried over.
func (m *migration) lost(n jsonc.Node, format string, args ...any) {
	m.remarks = append(m.remarks, Remark{m.name, n.Line(), fmt.Sprintf(format, args...), true, ""})
}

// differs adds a remark about something that is carried over with a difference.
func (m *migration) differs(n jsonc.Node, format string, args ...any) {
	m.remarks = append(m.remarks, Remark{m.name, n.Line(), fmt.Sprintf(format, args...), false, ""})
}

// file migrates one source.
func (m *migration) file(source File) error {
	if len(bytes.TrimSpace(source.Data)) == 0 {
		return nil
	}
	doc, err := jsonc.Parse(source.Name, source.Data)
	if err != nil {
		return fmt.Errorf("reading Claude Code's settings: %w", err)
	}
	m.name, m.root, m.head = source.Name, source.Root, source.Head
	if off := doc.Root().Get("disableAllHooks"); off.IsTrue() {
		m.lost(off, "disableAllHooks: the hooks below are carried over all the same; set hooksConfig.enabled to false to "+
			"keep them off")
	}
	before := m.added
	events := doc.Root().Get("hooks")
	if events.Exists() && events.Kind() != jsonc.Object {
		m.lost(events, "hooks is %s, not an object", events.Kind())
	}
	for _, event := range events.Members() {
		if err := m.event(event); err != nil {
			return err
		}
	}
	if strings.HasSuffix(filepath.Base(source.Name), ".local.json") && m.added > before {
		m.differs(events, "these hooks were yours alone; in the project's settings they are for everyone who has them")
	}
	return nil
}

// differences are reported once for each event that has one.
var differences = map[string]string{
	"PreCompact":   "PreCompress cannot block",
	"Notification": "Notification runs for permission prompts, and in the chat when nothing was sent for a minute",
}

// event migrates the hooks of one event, or reports them as lost.
func (m *migration) event(member jsonc.Member) error {
	event := Event(member.Name)
	switch {
	case member.Shadowed:
		return nil
	case event == "":
		m.lost(member.Value, "%s has no counterpart%s", member.Name, text.DidYouMean(meant(member.Name)))
		return nil
	case member.Value.Kind() != jsonc.Array:
		m.lost(member.Value, "%s is %s, not an array", member.Name, member.Value.Kind())
		return nil
	}
	before := m.added
	for _, g := range member.Value.Elements() {
		if err := m.group(member.Name, event, g); err != nil {
			return err
		}
	}
	if text := differences[member.Name]; text != "" && m.added > before {
		m.differs(member.Value, "%s: %s", member.Name, text)
		m.remarks[len(m.remarks)-1].Rule = "HK019"
	}
	return nil
}

// group migrates a group of hooks. Hooks that the target has already are left out.
func (m *migration) group(theirs string, event protocol.Event, n jsonc.Node) error {
	matcher, ok := m.matcher(theirs, event, n.Get("matcher"))
	if !ok {
		return nil
	}
	if n.Get("hooks").Kind() != jsonc.Array {
		m.lost(n, `a group of %s without "hooks"`, theirs)
		return nil
	}
	g := group{Matcher: matcher}
	for _, entry := range n.Get("hooks").Elements() {
		h, ok := m.hook(theirs, entry)
		if !ok {
			continue
		}
		k := key{event, matcher, h.target, h.If}
		if m.seen[k] {
			continue
		}
		m.seen[k] = true
		g.Hooks = append(g.Hooks, h)
	}
	if len(g.Hooks) == 0 {
		return nil
	}
	m.added += len(g.Hooks)
	if err := m.target.Append(g, "hooks", string(event)); err != nil {
		return fmt.Errorf("adding hooks to %s: %w", m.into, err)
	}
	return nil
}

// carried lists the fields of a hook that are read. The others get a remark.
var carried = []string{"type", "command", "args", "url", "headers", "allowedEnvVars", "prompt", "model", "server",
	"tool", "input", "async", "name", "description", "timeout", "statusMessage", "if", "shell"}

// kinds lists the types of hooks that are carried over.
var kinds = []string{"command", "http", "prompt", "mcp_tool"}

// fieldLoss says what becomes of fields that are not carried over.
var fieldLoss = map[string]string{
	"asyncRewake": "it is waited for here, and its answer counts at once",
	"once":        "Claude Code heeds it in skills alone, so that it runs every time, as there",
}

// hook migrates one hook; ok is false if it is lost.
func (m *migration) hook(event string, n jsonc.Node) (hook, bool) {
	kind := n.Get("type").Text()
	command := n.Get("command")
	shell := n.Get("shell")
	switch {
	case !slices.Contains(kinds, kind):
		m.lost(n, "%s: a hook of type %q is left out: only %s can be carried over", event, kind, strings.Join(kinds, ", "))
		return hook{}, false
	case target(n) == "" && kind != "command":
		m.lost(n, "%s: a hook of type %q that says nothing to ask is left out", event, kind)
		return hook{}, false
	case kind == "command" && (command.Kind() != jsonc.String || strings.TrimSpace(command.Text()) == ""):
		m.lost(n, "%s: a hook without a command is left out", event)
		return hook{}, false
	case n.Get("if").Text() != "" && !Event(event).IsTool():
		m.lost(n, "%s: %s is left out: its condition %q is for tools, so that it never runs", event, target(n),
			n.Get("if").Text())
		return hook{}, false
	case shell.Exists() && shell.Text() != "bash":
		m.lost(n, "%s: %s is left out: it is for the shell %q", event, command.Text(), shell.Text())
		return hook{}, false
	}
	words := append([]string{command.Text()}, n.Get("args").Strings()...)
	if strings.ContainsRune(strings.Join(words, ""), 0) {
		m.lost(n, "%s: a command with a NUL character is left out: no program can be given one", event)
		return hook{}, false
	}
	h := hook{target: target(n), Type: kind, Command: command.Text(), URL: n.Get("url").Text(),
		Headers: texts(n.Get("headers")), Variables: n.Get("allowedEnvVars").Strings(), Name: n.Get("name").Text(),
		If: n.Get("if").Text(), Dialect: "claude"}
	if m.root != "" {
		h.Env = map[string]string{RootVariable: m.root}
	}
	switch kind {
	case "prompt":
		h.Prompt, h.Model = n.Get("prompt").Text(), m.model(event, n.Get("model"))
	case "mcp_tool":
		h.Server, h.Tool = n.Get("server").Text(), n.Get("tool").Text()
		if input := n.Get("input"); input.Kind() == jsonc.Object {
			h.Input = json.RawMessage(input.Standard())
		}
	}
	h.Once, h.Async = m.head && n.Get("once").IsTrue(), n.Get("async").IsTrue() && !n.Get("asyncRewake").IsTrue()
	h.Description, h.Status = n.Get("description").Text(), n.Get("statusMessage").Text()
	if args := n.Get("args"); args.Kind() == jsonc.Array {
		h.Args = words[1:]
	}
	if h.Name == "" {
		h.Name = protocol.ScriptName(strings.Join(words, " "))
	}
	h.Timeout = m.timeout(event, kind, n.Get("timeout"))
	m.fieldsLost(event, n)
	return h, true
}

// fieldsLost adds a remark for each field of a hook that is not carried over.
func (m *migration) fieldsLost(event string, n jsonc.Node) {
	for _, f := range n.Members() {
		if slices.Contains(carried, f.Name) || m.head && f.Name == "once" {
			continue
		}
		if why := fieldLoss[f.Name]; why != "" {
			m.differs(f.Value, "%s: %s: %s", event, f.Name, why)
			continue
		}
		m.differs(f.Value, "%s: %s has no counterpart", event, f.Name)
	}
}

// model returns the model of a prompt hook, which is always the default: Claude Code's
// models do not exist here.
func (m *migration) model(event string, n jsonc.Node) string {
	if n.Exists() {
		m.differs(n, "%s: model: the small model of the session judges, because %q is not one of its own", event, n.Text())
	}
	return ""
}

// target returns what a hook runs or asks, which distinguishes it from others.
func target(n jsonc.Node) string {
	var all []string
	for _, name := range []string{"command", "url", "prompt", "server", "tool"} {
		all = append(all, strings.TrimSpace(n.Get(name).Text()))
	}
	if input := n.Get("input"); input.Exists() {
		all = append(all, string(input.Standard()))
	}
	return strings.Trim(strings.Join(append(all, n.Get("args").Strings()...), "\x00"), "\x00")
}

// texts returns the members of an object as texts.
func texts(n jsonc.Node) map[string]string {
	out := map[string]string{}
	for _, m := range n.Members() {
		out[m.Name] = m.Value.Text()
	}
	return out
}

// longest is the longest plausible timeout in seconds. Values from there on are assumed
// to be milliseconds.
const longest = 3600

// timeout returns milliseconds; Claude Code has seconds. A hook without a timeout keeps
// Claude Code's default.
func (m *migration) timeout(event, kind string, n jsonc.Node) json.Number {
	seconds := 600.0
	if Event(event) == protocol.BeforeAgent || kind == "prompt" {
		seconds = 30
	}
	if s, ok := n.Float(); ok && s > 0 && s < 1e9 {
		seconds = s
		if s >= longest {
			m.differs(n, "%s: the timeout %v is %v in Claude Code, which counts in seconds; write %v if milliseconds were meant",
				event, s, time.Duration(s)*time.Second, math.Ceil(s/1000))
		}
	} else if n.Exists() {
		m.differs(n, "%s: the timeout %s is not a number of seconds; it is %v s now", event, n.Standard(), seconds)
	}
	return json.Number(fmt.Sprint(int64(math.Ceil(seconds * 1000))))
}
