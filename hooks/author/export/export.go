// Package export writes a project's hooks into the configuration of another agent.
//
//	p := export.Place{Dir: dir, Kimi: kimiDir}
//	r, err := export.Project(p, export.Options{Agent: "codex"})
//	// show r.Files' diffs and r.Remarks, ask the user, then
//	err = p.Write(export.Options{Agent: "codex"}, r)
//
// Events, tools and timeouts are translated, and each command is run through "minigem
// hooks run --portable", so that its answers mean the same there. Remarks, made from the
// tables of hooks/agents, say what is lost and which hooks would let pass what they block
// here. [Export] only computes; [Place] reads and writes the files.
package export

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"minigem/hooks"
	"minigem/hooks/agents"
	"minigem/hooks/config"
	"minigem/hooks/jsonc"
	"minigem/hooks/protocol"
	"minigem/internal/text"
)

// Agents lists the ids of the agents to which hooks can be exported. It must not be
// changed.
var Agents = []string{"claude", "codex", "copilot", "qwen", "kimi", "cline"}

// Source is the file with the project's hooks, relative to the project.
const Source = ".gemini/settings.json"

// Options say how to export.
type Options struct {
	// Agent is one of [Agents].
	Agent string
	// Bare writes the commands as they are, without "minigem hooks run", so that the
	// agent itself interprets their answers.
	Bare bool
}

// File is a file that would be written.
type File struct {
	// Name is relative to the project, or begins with ~/ for the home directory. It has
	// slashes.
	Name string
	// Data is the new content of the file.
	Data []byte
	// Program says that the file is a program and must be executable.
	Program bool
	// Diff is the change as a unified diff.
	Diff string
}

// Result is what an export would do.
type Result struct {
	// Files are the files that change; empty if everything is already there.
	Files []File
	// Added is the number of hooks that are new.
	Added int
	// Remarks say what is not as it was. Each begins with "lost" (not exported),
	// "inverted" (lets pass what it blocks here) or "differs".
	Remarks []string
}

// hook is one of the project's hooks.
type hook struct {
	line     int
	event    protocol.Event
	matcher  string
	command  string
	dialect  string
	env      []string // NAME=value
	timeout  time.Duration
	sequence bool
	onError  string
}

type exporter struct {
	Options
	agent   *agents.Agent
	gemini  *agents.Agent
	form    form
	read    func(name string) ([]byte, error)
	files   []*draft
	added   int
	remarks []string
}

// Export computes the files for an agent from the project's settings. read returns the
// present content of a file by its [File.Name], nil if it does not exist. Everything else
// in those files stays. Exporting twice adds nothing. The error is for an unknown agent,
// for settings or files that cannot be parsed, and for errors of read.
func Export(settings []byte, o Options, read func(name string) ([]byte, error)) (Result, error) {
	form, ok := formsOf[o.Agent]
	if !ok {
		return Result{}, fmt.Errorf("there is no form for %q; there are %s", o.Agent, strings.Join(Agents, ", "))
	}
	doc, err := jsonc.Parse(Source, settings)
	if err != nil {
		return Result{}, fmt.Errorf("reading the project's settings: %w", err)
	}
	x := &exporter{Options: o, form: form, read: read}
	if x.gemini, err = agents.Find("gemini"); err != nil {
		return Result{}, err
	}
	if x.agent, err = agents.Find(o.Agent); err != nil {
		return Result{}, err
	}
	for _, h := range x.hooks(doc.Root()) {
		if err := x.add(h); err != nil {
			return Result{}, err
		}
	}
	if x.Agent == "kimi" && x.added > 0 {
		x.remarks = append(x.remarks, "differs: Kimi Code reads no file of a project: these hooks run in every folder")
	}
	return x.result()
}

func (x *exporter) say(h hook, kind, format string, args ...any) {
	x.remarks = append(x.remarks, fmt.Sprintf("%s: %s:%d: %s", kind, Source, h.line, fmt.Sprintf(format, args...)))
}

// hooks reads the hooks in the settings. It leaves out hooks that no agent could run,
// and adds a remark for each.
func (x *exporter) hooks(root jsonc.Node) []hook {
	var all []hook
	disabled := append(root.Get("hooksConfig", "disabled").Strings(), root.Get("hooks", "disabled").Strings()...)
	for _, event := range root.Get("hooks").Members() {
		if !slices.Contains(protocol.Events, protocol.Event(event.Name)) || event.Shadowed {
			continue
		}
		for _, group := range event.Value.Elements() {
			for _, n := range group.Get("hooks").Elements() {
				h := hook{line: n.Line(), event: protocol.Event(event.Name), matcher: group.Get("matcher").Text(),
					command: n.Get("command").Text(),
					dialect: n.Get("dialect").Text(), onError: n.Get("onError").Text(), sequence: group.Get("sequential").IsTrue(),
					timeout: 60 * time.Second}
				if ms, ok := n.Get("timeout").Float(); ok && ms > 0 && ms < 1e12 {
					h.timeout = time.Duration(ms) * time.Millisecond
				}
				for _, m := range n.Get("env").Members() {
					h.env = append(h.env, m.Name+"="+m.Value.Text())
				}
				name := cmp.Or(n.Get("name").Text(), h.command)
				if args := n.Get("args"); args.Kind() == jsonc.Array {
					h.command = hooks.Hook{Command: h.command, Handler: hooks.Handler{Args: append([]string{}, args.Strings()...)}}.
						Line()
				}
				switch {
				case n.Get("type").Text() != "command" || strings.TrimSpace(h.command) == "":
					x.say(h, "lost", "a hook of %s of type %q: only commands can be carried over, and what it refuses is not "+
						"refused there", h.event, n.Get("type").Text())
				case slices.Contains(disabled, name):
					x.say(h, "lost", "%s is disabled", name)
				default:
					x.leavesOut(h, n)
					all = append(all, h)
				}
			}
		}
	}
	return all
}

// leavesOut adds remarks for the fields of a hook's entry that other agents do not
// support.
func (x *exporter) leavesOut(h hook, n jsonc.Node) {
	for _, f := range []struct{ name, text string }{
		{"if", "the hook runs for every call that its matcher is for"},
		{"async", "the hook is waited for, and what it says counts"},
		{"once", "the hook runs every time"},
	} {
		if v := n.Get(f.name); v.IsTrue() || v.Text() != "" {
			x.say(h, "differs", "%s: %s", f.name, f.text)
		}
	}
	if h.onError == "block" && x.Bare {
		x.say(h, "inverted", "onError: a hook that fails blocks in minigem, and allows elsewhere")
	}
}

// pointOf returns the neutral point at which event fires. Events that Gemini CLI lacks
// are looked up in Claude Code's table.
func (x *exporter) pointOf(event protocol.Event) agents.Point {
	if p := x.gemini.PointOf(string(event)); p != "" || !event.IsAdded() {
		return p
	}
	claude, err := agents.Find("claude")
	if err != nil {
		return ""
	}
	return claude.PointOf(string(event))
}

// add adds one hook to the files.
func (x *exporter) add(h hook) error {
	point := x.pointOf(h.event)
	if h.event.IsAdded() && h.event.CanBlock() {
		x.say(h, "lost", "a hook of %s: what it answers is not translated, so that what it refuses is not refused there",
			h.event)
		return nil
	}
	events := []agents.Event{}
	if e, ok := x.agent.Event(point); ok {
		events = append(events, e)
	}
	if e, ok := x.agent.Event(agents.ToolFailed); ok && point == agents.AfterTool { // it fires instead of the other
		events = append(events, e)
	}
	if len(events) == 0 {
		x.say(h, "lost", "%s has no event at %s", x.agent.Title(), h.event)
		return nil
	}
	if events[0].Fires == "no" {
		x.say(h, "differs", "%s does not fire %s in a run without a terminal", x.agent.Title(), events[0].Native)
	}
	matcher, ok := x.matcher(h)
	if !ok {
		return nil
	}
	x.warn(h, point)
	for _, e := range events {
		added, err := x.form.add(x, e.Native, matcher, x.command(h), x.timeout(h.timeout))
		if err != nil {
			return err
		}
		if added {
			x.added++
		}
	}
	return nil
}

// warn adds remarks for what the agent's configuration cannot express.
func (x *exporter) warn(h hook, point agents.Point) {
	if h.sequence {
		x.say(h, "differs", "sequential: hooks of one event may run in parallel in %s", x.agent.Name)
	}
	if x.Bare {
		x.judge(h, point)
	}
}

// judge adds remarks on how the agent treats the commonest answers in the script's own
// dialect, when nothing translates them.
func (x *exporter) judge(h hook, point agents.Point) {
	own := cmp.Or(h.dialect, "gemini")
	if !x.agent.Reads(point) {
		x.say(h, "differs", "not measured: what %s makes of answers at %s", x.agent.Title(), h.event)
		return
	}
	speaker, err := agents.Find(own)
	if err != nil {
		return
	}
	kind := map[agents.Point]agents.Kind{agents.BeforeTool: agents.Refused,
		agents.BeforePrompt: agents.PromptBlocked, agents.AgentStop: agents.Retry}[point]
	if kind == "" {
		return
	}
	stdout := map[string]string{"gemini": `{"decision":"deny","reason":"no"}`,
		"claude": `{"decision":"block","reason":"no"}`}[own]
	if own == "claude" && point == agents.BeforeTool {
		stdout =
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}`
	}
	for _, a := range []struct {
		says   string
		answer agents.Answer
	}{
		{stdout, agents.Answer{Point: point, Stdout: stdout}},
		{"exit 2 with a reason on stderr", agents.Answer{Point: point, Exit: 2, Stderr: "no"}},
	} {
		if got := x.agent.Read(a.answer); !got.Prevents() && got.Kind != agents.Unknown {
			x.say(h, "inverted", "%s refuses in %s, and allows in %s (%s)", a.says, speaker.Name, x.agent.Name, got.Because())
		}
	}
}

// result returns the files that changed, and all remarks.
func (x *exporter) result() (Result, error) {
	r := Result{Added: x.added, Remarks: x.remarks}
	if x.added == 0 {
		return r, nil
	}
	for _, d := range x.files {
		data, err := d.bytes()
		if err != nil {
			return Result{}, err
		}
		if string(data) == string(d.before) {
			continue
		}
		r.Files = append(
			r.Files, File{Name: d.name, Data: data, Program: d.program,
				Diff: udiff.Unified(d.name, d.name, string(d.before), string(data))})
	}
	return r, nil
}

// command returns the command line for the agent's configuration.
func (x *exporter) command(h hook) string {
	line := config.QuoteVariables(h.command)
	for _, kv := range slices.Backward(h.env) {
		name, value, _ := strings.Cut(kv, "=")
		line = name + "=" + quote(value) + " " + line
	}
	if x.Bare {
		return line
	}
	words := []string{"minigem", "hooks", "run", "--portable"}
	if h.dialect == "claude" {
		words = append(words, "--dialect", "claude")
	}
	if h.onError == "block" {
		words = append(words, "--on-error", "block")
	}
	if h.event.IsTool() && h.matcher != "" && h.matcher != "*" {
		words = append(words, "--match", quote(h.matcher))
	}
	// end the script before the agent's own timeout, at which the agent would let the
	// call pass
	if limit := h.timeout * 9 / 10; limit > 0 && x.agent.Timeout.Unit != "" {
		words = append(words, "--timeout", limit.String())
	}
	return strings.Join(append(words, "--", "sh", "-c", quote(line)), " ")
}

// quote quotes s as one shell word.
func quote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-") == "" {
		return s
	}
	return text.Word(s)
}

// timeout converts d to the agent's unit; 0 means that the agent has no timeout.
func (x *exporter) timeout(d time.Duration) int {
	seconds := int(math.Ceil(d.Seconds()))
	switch t := x.agent.Timeout; {
	case t.Unit == "":
		return 0
	case t.Unit == "ms", t.MSFrom > 0 && seconds >= t.MSFrom:
		return int(d.Milliseconds())
	}
	return seconds
}

// draft is a file that is being edited.
type draft struct {
	name    string
	before  []byte
	program bool
	doc     *jsonc.Doc // JSON
	text    string     // any other format
}

func (d *draft) bytes() ([]byte, error) {
	if d.doc != nil {
		return d.doc.Bytes(), nil
	}
	return []byte(d.text), nil
}

// open returns the draft of a file, which is read only once.
func (x *exporter) open(name string) (*draft, error) {
	for _, d := range x.files {
		if d.name == name {
			return d, nil
		}
	}
	data, err := x.read(name)
	if err != nil {
		return nil, err
	}
	d := &draft{name: name, before: data, text: string(data)}
	if path.Ext(name) == ".json" {
		if d.doc, err = jsonc.Parse(name, data); err != nil {
			return nil, err
		}
		if d.doc.BadUTF8 > 0 {
			return nil, fmt.Errorf("%s:%d: a byte that is not UTF-8 would be lost; repair it first", name, d.doc.BadUTF8)
		}
	}
	x.files = append(x.files, d)
	return d, nil
}
