package listing

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"minigem/hooks"
	"minigem/hooks/config"
	"minigem/hooks/protocol"
	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/inspection"
	"minigem/internal/output"
	"minigem/internal/text"
)

// HookList is the complete list, as written by --json.
type HookList struct {
	Off      string        `json:"off,omitempty"` // why no hook runs at all
	Folder   listedFolder  `json:"folder"`
	Hooks    []ListedHook  `json:"hooks"`
	Problems []listedFault `json:"problems"`
}

type listedFolder struct {
	Dir     string `json:"dir"`
	Trusted bool   `json:"trusted"`
	Why     string `json:"why,omitempty"`
}

// ListedHook is a configured hook, and whether it runs.
type ListedHook struct {
	Event       protocol.Event `json:"event"`
	ID          string         `json:"id"` // the name for enable and disable
	Name        string         `json:"name,omitempty"`
	Description string         `json:"description,omitempty"`
	Command     string         `json:"command"`
	Matcher     string         `json:"matcher,omitempty"`
	If          string         `json:"if,omitempty"`
	TimeoutMS   int64          `json:"timeout_ms"`
	Sequential  bool           `json:"sequential,omitempty"`
	OnError     string         `json:"on_error,omitempty"`
	Dialect     string         `json:"dialect,omitempty"`
	hooks.Handler
	Layer     hooks.Layer `json:"layer"`
	Extension string      `json:"extension,omitempty"`  // its name
	InProject bool        `json:"in_project,omitempty"` // the extension is the project's
	Within    string      `json:"within,omitempty"`     // the skill or the agent that brings it, such as "skill review"
	File      string      `json:"file"`
	Line      int         `json:"line"`
	Enabled   bool        `json:"enabled"`
	Disabled  string      `json:"disabled,omitempty"` // why it does not run
	Trusted   bool        `json:"trusted"`
	Note      string      `json:"note,omitempty"` // what is new about it
	Loaded    bool        `json:"loaded"`
	Shadowed  string      `json:"shadowed,omitempty"` // file:line of the hook that runs instead
	Runs      int         `json:"runs"`               // runs in the newest sessions of this project
	Last      string      `json:"last,omitempty"`     // result of the last run
}

type listedFault struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"`
	Text string `json:"text"`
}

// ListHooks lists the hooks of all layers, including those of an untrusted
// folder.
func ListHooks(c *app.Configuration) HookList {
	l := HookList{
		Off:      c.Hooks.Off,
		Folder:   listedFolder{Dir: c.Dir, Trusted: c.Trust.Trusted, Why: c.Trust.Why},
		Hooks:    []ListedHook{},
		Problems: []listedFault{},
	}
	problems := slices.Clone(c.Hooks.Problems)
	for _, h := range inspection.WithNotes(c) {
		l.Hooks = append(l.Hooks, listed(h, true))
	}
	if !c.Trust.Trusted {
		held, faults := inspection.HeldBack(c)
		for _, h := range held {
			l.Hooks = append(l.Hooks, listed(h, false))
		}
		problems = append(problems, faults...)
	}
	for _, p := range problems {
		l.Problems = append(l.Problems, listedFault{p.File, p.Line, p.Text})
	}
	slices.SortStableFunc(l.Hooks, func(a, b ListedHook) int { return eventOrder(a.Event) - eventOrder(b.Event) })
	markShadowed(l.Hooks)
	past := pastRuns(c)
	for i, h := range l.Hooks {
		run := past[ranHook{h.Event, h.ID}]
		l.Hooks[i].Runs, l.Hooks[i].Last = run.Runs, run.Last
	}
	return l
}

func listed(h hooks.Hook, loaded bool) ListedHook {
	return ListedHook{
		Event: h.Event, ID: h.ID(), Name: h.Name, Description: h.Description, Command: h.Command, Matcher: h.Matcher,
		If:        h.If,
		TimeoutMS: h.Limit().Milliseconds(), Sequential: h.Sequential, OnError: h.OnError, Dialect: h.Dialect,
		Handler: h.Handler.Shown(),
		Layer:   h.Source.Layer, Extension: h.Source.Extension, InProject: h.Source.InProject, Within: h.Within.String(),
		File: h.Source.File, Line: h.Source.Line,
		Enabled: h.Disabled == "", Disabled: h.Disabled, Loaded: loaded,
		Trusted: loaded && h.Untrusted == "" && h.Note == "", Note: h.Note,
	}
}

// markShadowed finds hooks that never run because another one always runs instead. If
// their matchers differ, that depends on the event, and only the trace can show it.
func markShadowed(all []ListedHook) {
	runs := func(h ListedHook) bool { return h.Loaded && h.Enabled }
	for i := range all {
		h := &all[i]
		first := i
		for j, o := range all {
			same := runs(o) && o.Event == h.Event && o.Name == h.Name && o.Target() == h.Target() && o.Matcher == h.Matcher &&
				o.Dialect == h.Dialect
			if rank := o.source().Standing() - all[first].source().Standing(); same && (rank > 0 || rank == 0 && j < first) {
				first = j
			}
		}
		if first != i && runs(*h) {
			h.Shadowed = fmt.Sprintf("%s:%d", all[first].File, all[first].Line)
		}
	}
}

// Target returns what runs: a command, an address, a question or a tool.
func (h ListedHook) Target() string {
	return hooks.Hook{Command: h.Command, Handler: h.Handler}.Target()
}

func (h ListedHook) source() hooks.Source {
	return hooks.Source{Layer: h.Layer, InProject: h.InProject}
}

func eventOrder(e protocol.Event) int { return slices.Index(protocol.Events, e) }

// WriteHookList writes a list for people, with only some of its hooks.
func WriteHookList(c *app.Configuration, w io.Writer, l HookList, some []ListedHook) error {
	var b strings.Builder
	if l.Off != "" {
		fmt.Fprintf(&b, "Hooks are off: %s. None of these runs.\n\n", c.ShortenIn(l.Off))
	}
	if len(l.Hooks) == 0 {
		writeNoHooks(c, &b)
	}
	writeHooks(c, &b, some)
	writeProblems(c, &b, l)
	_, err := io.WriteString(w, strings.TrimRight(b.String(), "\n")+"\n")
	return err
}

// Loaded reports whether all of the hooks come from trusted sources.
func (l HookList) Loaded() bool {
	return !slices.ContainsFunc(l.Hooks, func(h ListedHook) bool { return !h.Loaded })
}

func writeProblems(c *app.Configuration, b *strings.Builder, l HookList) {
	if !l.Loaded() {
		fmt.Fprintf(b, "This folder is not trusted (%s): nothing of it is loaded. Look at it, then run minigem trust.\n\n",
			l.Folder.Why)
	}
	if len(l.Problems) > 0 {
		b.WriteString("Problems\n")
	}
	for _, p := range l.Problems {
		where := c.Shorten(p.File)
		if p.Line > 0 {
			where = fmt.Sprintf("%s:%d", where, p.Line)
		}
		fmt.Fprintf(b, "  %s: %s\n", where, text.VisibleLine(c.ShortenIn(p.Text)))
	}
}

// writeNoHooks says where hooks would be configured.
func writeNoHooks(c *app.Configuration, b *strings.Builder) {
	b.WriteString("No hooks configured.\n\nThey would be under \"hooks\" in\n")
	for _, f := range slices.Backward(c.Loaded.Files) {
		layer := app.HookLayers[f.Layer]
		if layer == hooks.LayerProject && f.Skipped != "" && !c.Trust.Trusted {
			fmt.Fprintf(b, "  %-16s %s (this folder is not trusted)\n", layer, c.Shorten(f.Path))
			continue
		}
		if f.Skipped == "" {
			fmt.Fprintf(b, "  %-16s %s\n", layer, c.Shorten(f.Path))
		}
	}
	fmt.Fprintf(b, "  %-16s %s\n\n", hooks.LayerExtension,
		c.Shorten(filepath.Join(c.DotGemini, "extensions", "NAME", "hooks", "hooks.json")))
}

func writeHooks(c *app.Configuration, b *strings.Builder, all []ListedHook) {
	rows := make([][]string, len(all))
	for i, h := range all {
		rows[i] = []string{
			text.VisibleLine(h.ID), h.layer(), text.VisibleLine(h.MatcherText()), fmt.Sprintf("%d ms", h.TimeoutMS), h.State(),
			ranText(h), h.Place(c),
		}
	}
	text.Align(rows)
	for i, h := range all {
		if i == 0 || h.Event != all[i-1].Event {
			fmt.Fprintf(b, "%s\n", h.Event)
		}
		fmt.Fprintf(b, "  %s\n", strings.Join(rows[i], "  "))
		for _, more := range h.Remarks() {
			fmt.Fprintf(b, "    %s\n", text.VisibleLine(c.ShortenIn(more)))
		}
		if i == len(all)-1 || h.Event != all[i+1].Event {
			b.WriteByte('\n')
		}
	}
}

func (h ListedHook) layer() string {
	layer := string(h.Layer)
	if h.Extension != "" {
		layer += " " + h.Extension
	}
	if h.Within != "" {
		layer += ", " + text.VisibleLine(h.Within)
	}
	return layer
}

// Label returns a short name for the hook, as shown in the hook lane.
func (h ListedHook) Label() string {
	return hooks.Hook{Name: h.Name, Command: h.Command, Handler: h.Handler}.Label()
}

// MatcherText describes what the hook runs for.
func (h ListedHook) MatcherText() string {
	matcher := cmp.Or(h.Matcher, "*")
	if h.If != "" {
		matcher += " if " + h.If
	}
	return matcher
}

// Place returns the hook's file and line, with the path shortened.
func (h ListedHook) Place(c *app.Configuration) string {
	return fmt.Sprintf("%s:%d", c.Shorten(h.File), h.Line)
}

// Remarks returns further remarks about the hook, one per line.
func (h ListedHook) Remarks() []string {
	note := h.Note
	if h.Disabled != "" { // a hook that does not run needs no approval
		note = ""
	}
	all := []string{h.Description, h.Disabled, note, prefixed("the same hook runs from ", h.Shadowed)}
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}

// ranText says how often a hook ran, and the result of the last run.
func ranText(h ListedHook) string {
	switch h.Runs {
	case 0:
		return "never ran"
	case 1:
		return "ran once: " + h.Last
	}
	return fmt.Sprintf("ran %d times, last: %s", h.Runs, h.Last)
}

// State says in a word or two whether the hook runs.
func (h ListedHook) State() string {
	switch {
	case !h.Loaded:
		return "not loaded"
	case !h.Enabled:
		return "disabled"
	case h.Shadowed != "":
		return "shadowed"
	case h.Note != "":
		return "not yet trusted"
	case h.Event.IsTool() && config.MatchesNone(h.Dialect, h.Matcher):
		return "matches no built-in tool"
	}
	return "enabled"
}

func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// WhyHook explains when the hooks called name run, or why they do not.
func WhyHook(c *app.Configuration, sys *app.System, name string, asJSON bool) error {
	s := inspection.Of(c)
	x := s.Why(name)
	if x == nil {
		said := "there is no hook " + name + ": none has this name or command"
		if near := text.Nearest(name, s.Names()); near != "" {
			said += "; did you mean " + near + "?"
		}
		var others strings.Builder
		_ = WriteForeign(c, &others) // a Builder does not fail
		return exit.Errorf(exit.Input,
			"%s (minigem hooks list shows what there is; minigem hooks lint, what was left out)\n%s", said, others.String())
	}
	if asJSON {
		return output.WriteJSON(sys.Stdout, x)
	}
	_, err := io.WriteString(sys.Stdout, inspection.Text(c).Explanation(*x))
	return err
}
