// Package inspect answers questions about hooks: which of them run at an event, which do
// not and why; what they read; what happens when they are fired; and where Gemini CLI
// 0.61 differs.
//
//	x := setup.Explain(nil, "", nil) // plans all events
//	fmt.Print(inspect.Text{}.Explanation(x))
//
//	payload, err := inspect.Sample(protocol.BeforeTool, "write_file")
//	r, err := inspect.Fire(ctx, engine, payload) // runs the hooks
//	fmt.Print(inspect.Text{}.Report(r))
//
// Every answer is an engine's own [hooks.Report], arranged for reading. The package reads
// no settings and starts no process by itself: the caller passes the configuration and an
// engine with a Runner.
package inspect

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"minigem/hooks"
	"minigem/hooks/author/program"
	"minigem/hooks/config"
	"minigem/hooks/elsewhere"
	"minigem/hooks/jsonc"
	"minigem/hooks/protocol"
)

// Setup is what is configured, for [Setup.Explain].
type Setup struct {
	// Config holds every hook that was found. Hooks of a folder that is not trusted have
	// a reason in Untrusted.
	Config  config.Loaded
	Files   []File        // where hooks were looked for, in the order of running
	Place   program.Place // where hooks run
	Trusted bool          // the folder is trusted
	// Tools lists the tools on which tool matchers are tried; nil means the built-in
	// tools.
	Tools []string
	// Agents lists the subagents that exist, on which matchers of subagent events are
	// tried.
	Agents []string
	Mask   func([]byte) []byte // [hooks.Engine.Mask]
}

// File is one place where hooks can be configured.
type File struct {
	Layer hooks.Layer `json:"layer"` // the layer of the file's hooks
	Path  string      `json:"file"`  // absolute
	State FileState   `json:"state"` // whether it was read
	// Why says why the file was not read; empty if it was, or if it does not exist.
	Why   string `json:"why,omitempty"`
	Hooks int    `json:"hooks"` // the number of hooks in the file
	Data  []byte `json:"-"`     // the content; nil unless it was read
}

// FileState says what happened to a [File].
type FileState string

const (
	FileRead    FileState = "read"    // it was read
	FileMissing FileState = "missing" // it does not exist
	FileSkipped FileState = "skipped" // it was not read, for the reason in Why
)

func (s *Setup) tools() []string {
	if s.Tools != nil {
		return s.Tools
	}
	return config.BuiltinTools()
}

// Subjects returns what matchers of ev can see: tools, agents or triggers. If they see
// nothing, or if there are no agents, it returns one empty subject.
func (s *Setup) Subjects(ev protocol.Event) []string {
	switch {
	case ev.IsTool():
		return s.tools()
	case ev.IsAgent() && len(s.Agents) > 0:
		return s.Agents
	case ev.IsAgent():
		return []string{""} // no agent is there
	case ev.HasSubject():
		return ev.Triggers()
	}
	return []string{""}
}

// Explanation is the answer to "what would run?".
type Explanation struct {
	Off      string           `json:"off,omitempty"`      // why no hook runs at all; empty if hooks run
	Trusted  bool             `json:"trusted"`            // the folder is trusted
	Loaded   int              `json:"loaded"`             // the number of hooks in the files that were read
	Events   []EventPlan      `json:"events"`             // the plan of each event that has hooks or was asked for
	Files    []File           `json:"files"`              // all places that were searched
	Problems []config.Problem `json:"problems,omitempty"` // the faults of the files that were read
}

// EventPlan is what would run at an event.
type EventPlan struct {
	Event      protocol.Event `json:"event"`
	Subject    string         `json:"subject,omitempty"`     // the tool, agent or trigger that was asked for
	Sequential bool           `json:"sequential"`            // several hooks run, one after the other
	InTurnFor  []string       `json:"in_turn_for,omitempty"` // the subjects for which Sequential holds; nil means all
	// Because is the "file:line" of the hook that makes all run one after the other.
	Because string     `json:"because,omitempty"`
	Hooks   []HookPlan `json:"hooks"`           // all hooks of the event, in the order of running
	Notes   []string   `json:"notes,omitempty"` // remarks on the event as a whole
	// Upstream lists differences of Gemini CLI that concern the event as a whole.
	Upstream []Difference `json:"upstream,omitempty"`
}

// Runs counts the hooks that would run.
func (p EventPlan) Runs() int {
	n := 0
	for _, h := range p.Hooks {
		if h.Order > 0 {
			n++
		}
	}
	return n
}

// HookPlan is one hook in an [EventPlan].
type HookPlan struct {
	// Order is the hook's place among those that run, from 1; 0 means that it does not
	// run.
	Order      int    `json:"order"`
	ID         string `json:"id"`      // [hooks.Hook.ID]
	Command    string `json:"command"` // the command as configured; empty for other kinds of hooks
	Matcher    string `json:"matcher,omitempty"`
	If         string `json:"if,omitempty"`
	TimeoutMS  int64  `json:"timeout_ms"` // the timeout in milliseconds, the default filled in
	Sequential bool   `json:"sequential,omitempty"`
	hooks.Handler
	Layer     hooks.Layer `json:"layer"`
	Extension string      `json:"extension,omitempty"`
	File      string      `json:"file"`
	Line      int         `json:"line"`
	Enabled   bool        `json:"enabled"` // false if a list of disabled hooks names the hook
	// Trusted is false if the hook may not run; Skipped says why.
	Trusted bool `json:"trusted"`
	// Matches lists the subjects that the matcher accepts; never nil.
	Matches []string `json:"matches"`
	// RunsFor lists the subjects for which the hook runs; never nil.
	RunsFor []string `json:"runs_for"`
	// Skipped says why the hook does not run or, if RunsFor is not empty, for which
	// subjects it does not, and why.
	Skipped string `json:"skipped,omitempty"`
	// Note is [hooks.Hook.Note].
	Note string `json:"note,omitempty"`
	// Warnings say what is ignored in the hook's configuration, each once.
	Warnings []string `json:"warnings,omitempty"`
	// Upstream lists differences of Gemini CLI that concern this hook.
	Upstream []Difference `json:"upstream,omitempty"`

	hook hooks.Hook
}

// Dialect returns the dialect in which the hook is written; "" for Gemini CLI's.
func (h HookPlan) Dialect() string { return h.hook.Dialect }

// Where returns "file:line".
func (h HookPlan) Where() string { return h.hook.Source.String() }

// Explain plans the given events, or all if there are none, and runs nothing. subject, if
// not empty, is the one tool, agent or trigger to plan for; mcp says where an MCP tool
// comes from. Events without hooks are left out, unless they were asked for.
func (s *Setup) Explain(events []protocol.Event, subject string, mcp *protocol.MCPContext) Explanation {
	x := Explanation{Off: s.Config.Off, Trusted: s.Trusted, Files: s.Files, Problems: s.Config.Problems,
		Events: []EventPlan{}}
	for _, f := range s.Files {
		if f.State == FileRead {
			x.Loaded += f.Hooks
		}
	}
	e := s.engine()
	v := s.view()
	for _, ev := range protocol.Events {
		if len(events) > 0 && !slices.Contains(events, ev) {
			continue
		}
		subjects := s.Subjects(ev)
		if subject != "" && ev.HasSubject() {
			subjects = []string{subject}
		}
		plan := s.planFor(e, v, ev, subjects, mcp)
		plan.Subject = subject
		if len(plan.Hooks) > 0 || len(events) > 0 {
			x.Events = append(x.Events, plan)
		}
	}
	return x
}

// engine returns an engine that only plans.
func (s *Setup) engine() *hooks.Engine {
	return &hooks.Engine{Config: s.Config.Config, Runner: command{}, Mask: s.Mask}
}

func (s *Setup) planFor(e *hooks.Engine, v *view, ev protocol.Event, subjects []string,
	mcp *protocol.MCPContext) EventPlan {
	p := EventPlan{Event: ev, Hooks: []HookPlan{}}
	var reports []hooks.Report
	for _, subject := range subjects {
		r := e.Explain(ev, subject, mcp)
		elsewhere.Explained(&r)
		reports = append(reports, r)
	}
	if len(reports) == 0 {
		return p
	}
	order := 0
	for i := range reports[0].Runs {
		h := aggregate(reports, i)
		if len(h.RunsFor) > 0 {
			order++
			h.Order = order
		}
		h.Upstream = append(h.Upstream, v.ofHook(h)...)
		p.Hooks = append(p.Hooks, h)
	}
	p.inTurn(reports)
	p.Notes, p.Upstream = v.ofEvent(p)
	return p
}

// inTurn finds the subjects for which several hooks run one after the other.
func (p *EventPlan) inTurn(reports []hooks.Report) {
	for _, r := range reports {
		if r.Sequential && running(r) > 1 {
			p.Sequential = true
			p.InTurnFor = append(p.InTurnFor, r.Subject)
		}
	}
	first := slices.IndexFunc(p.Hooks, func(h HookPlan) bool { return h.Order > 0 && h.Sequential })
	if p.Sequential && first >= 0 {
		p.Because = p.Hooks[first].Where()
	}
	if len(p.InTurnFor) == len(reports) {
		p.InTurnFor = nil
	}
}

func running(r hooks.Report) int {
	n := 0
	for _, run := range r.Runs {
		if run.Ran() {
			n++
		}
	}
	return n
}

// aggregate combines the plans of hook i for several subjects.
func aggregate(reports []hooks.Report, i int) HookPlan {
	hook := reports[0].Runs[i].Hook
	h := planOf(hook)
	others := map[string][]string{} // subjects, by the reason why the hook does not run
	var reasons []string
	for _, r := range reports {
		run := r.Runs[i]
		if run.Matched {
			h.Matches = append(h.Matches, r.Subject)
		}
		switch {
		case run.Ran():
			h.RunsFor = append(h.RunsFor, r.Subject)
		case run.Matched:
			if others[run.Skipped] == nil {
				reasons = append(reasons, run.Skipped)
			}
			others[run.Skipped] = append(others[run.Skipped], r.Subject)
		}
		h.note(run)
	}
	switch {
	case len(h.Matches) == 0 && len(reports) > 1:
		subjects := "minigem's tools"
		if !hook.Event.IsTool() {
			subjects = strings.Join(subjectsOf(reports), ", ")
		}
		h.Skipped = fmt.Sprintf("matcher %q matches none of %s", strings.TrimSpace(hook.Matcher), subjects)
	case len(h.Matches) == 0:
		h.Skipped = reports[0].Runs[i].Skipped
	case len(h.RunsFor) == 0:
		h.Skipped = strings.Join(reasons, "; ")
	default:
		for _, reason := range reasons {
			h.Skipped = joined(h.Skipped, fmt.Sprintf("not for %s: %s", strings.Join(others[reason], ", "), reason))
		}
	}
	return h
}

func joined(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

func subjectsOf(reports []hooks.Report) []string {
	var out []string
	for _, r := range reports {
		out = append(out, r.Subject)
	}
	return out
}

// note collects a run's warnings, differences and notes, each once.
func (h *HookPlan) note(run hooks.Run) {
	for _, w := range run.Warnings {
		if !slices.Contains(h.Warnings, w) {
			h.Warnings = append(h.Warnings, w)
		}
	}
	for _, u := range run.Upstream {
		if d := wire(u); !slices.Contains(h.Upstream, d) {
			h.Upstream = append(h.Upstream, d)
		}
	}
}

func planOf(h hooks.Hook) HookPlan {
	return HookPlan{
		ID: h.ID(), Command: h.Command, Matcher: h.Matcher, If: h.If, TimeoutMS: h.Limit().Milliseconds(),
		Sequential: h.Sequential, Handler: h.Handler.Shown(),
		Layer: h.Source.Layer, Extension: h.Source.Extension, File: h.Source.File, Line: h.Source.Line,
		Enabled: h.Disabled == "", Trusted: h.Untrusted == "", Note: h.Note, Matches: []string{}, RunsFor: []string{},
		hook: h,
	}
}

// Why plans the events of the hooks that are called name, with only these hooks. If no
// hook has that ID, hooks whose command runs a file of that name count, with or without
// its extension: "guard" finds "python3 .gemini/hooks/guard.py". It returns nil if there
// is none.
func (s *Setup) Why(name string) *Explanation {
	x := s.Explain(nil, "", nil)
	called := func(h HookPlan) bool { return h.ID == name }
	if !slices.Contains(s.Names(), name) {
		called = func(h HookPlan) bool { return runsFile(h.hook.Target(), name) }
	}
	x.Events = slices.DeleteFunc(x.Events, func(p EventPlan) bool { return !slices.ContainsFunc(p.Hooks, called) })
	for i := range x.Events {
		p := &x.Events[i]
		p.Hooks = slices.DeleteFunc(p.Hooks, func(h HookPlan) bool { return !called(h) })
	}
	if len(x.Events) == 0 {
		return nil
	}
	return &x
}

// runsFile reports whether a word of command is the path of a file called name,
// with or without its extension.
func runsFile(command, name string) bool {
	return slices.ContainsFunc(strings.Fields(command), func(word string) bool {
		base := path.Base(filepath.ToSlash(strings.Trim(word, `"'`)))
		return base == name || strings.TrimSuffix(base, path.Ext(base)) == name
	})
}

// Names returns the IDs of all hooks, each once, in configured order.
func (s *Setup) Names() []string {
	var out []string
	for _, h := range s.Config.Hooks {
		if !slices.Contains(out, h.ID()) {
			out = append(out, h.ID())
		}
	}
	return out
}

// olderDisabled returns the "file:line" of each entry in lists that only older versions
// read.
func (s *Setup) olderDisabled() map[string]bool {
	at := map[string]bool{}
	for _, f := range s.Files {
		if f.Data == nil {
			continue
		}
		doc, err := jsonc.Parse(f.Path, f.Data)
		if err != nil {
			continue // the loader has reported it
		}
		for _, n := range doc.Root().Get("hooks", "disabled").Elements() {
			at[fmt.Sprintf("%s:%d", f.Path, n.Line())] = true
		}
	}
	return at
}
