package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"minigem/hooks"
	"minigem/hooks/jsonc"
	"minigem/hooks/protocol"
	"minigem/internal/boundedfile"
	"minigem/internal/settings"
	"minigem/internal/trust"
)

func hooksListCommand(sys *system) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List every configured hook, and why one does not run",
		Long: `Lists the hooks of all layers by event, in the order in which they run: the
project's, yours, the system's, those of extensions. What is wrong with the
files that configure them stands below. In a folder that is not trusted its
hooks are listed too, as not loaded.`,
		Example: "  minigem hooks list\n  minigem hooks list --json | jq '.hooks[] | select(.enabled | not) | .id'",
		Args:    withUsage(sys, cobra.NoArgs, "takes no arguments"),
		RunE: func(*cobra.Command, []string) error {
			c, err := configure(sys, &flags{})
			if err != nil {
				return err
			}
			list := c.listHooks()
			if asJSON {
				return writeJSON(sys.Stdout, list)
			}
			return c.writeHookList(sys.Stdout, list)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "for programs")
	return cmd
}

// hookList is all of it, as --json writes it.
type hookList struct {
	Off      string        `json:"off,omitempty"` // why no hook runs at all
	Folder   listedFolder  `json:"folder"`
	Hooks    []listedHook  `json:"hooks"`
	Problems []listedFault `json:"problems"`
}

type listedFolder struct {
	Dir     string `json:"dir"`
	Trusted bool   `json:"trusted"`
	Why     string `json:"why,omitempty"`
}

type listedHook struct {
	Event       hooks.Event `json:"event"`
	ID          string      `json:"id"` // what enable and disable take
	Name        string      `json:"name,omitempty"`
	Description string      `json:"description,omitempty"`
	Command     string      `json:"command"`
	Matcher     string      `json:"matcher,omitempty"`
	TimeoutMS   int64       `json:"timeout_ms"`
	Sequential  bool        `json:"sequential,omitempty"`
	OnError     string      `json:"on_error,omitempty"`
	Dialect     string      `json:"dialect,omitempty"`
	Layer       hooks.Layer `json:"layer"`
	Extension   string      `json:"extension,omitempty"`
	File        string      `json:"file"`
	Line        int         `json:"line"`
	Enabled     bool        `json:"enabled"`
	Disabled    string      `json:"disabled,omitempty"` // why
	Trusted     bool        `json:"trusted"`
	Note        string      `json:"note,omitempty"` // what is new about it
	Loaded      bool        `json:"loaded"`
	Shadowed    string      `json:"shadowed,omitempty"` // file:line of the hook that runs in its place
	Runs        int         `json:"runs"`               // in the newest sessions of this project
	Last        string      `json:"last,omitempty"`     // what the last of them came to
}

type listedFault struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"`
	Text string `json:"text"`
}

func (c *configuration) listHooks() hookList {
	l := hookList{
		Off:      c.hooks.Off,
		Folder:   listedFolder{Dir: c.dir, Trusted: c.trust.trusted, Why: c.trust.why},
		Hooks:    []listedHook{},
		Problems: []listedFault{},
	}
	problems := slices.Clone(c.hooks.Problems)
	for _, h := range c.withNotes() {
		l.Hooks = append(l.Hooks, listed(h, true))
	}
	if !c.trust.trusted {
		held, faults := c.heldBack()
		for _, h := range held {
			l.Hooks = append(l.Hooks, listed(h, false))
		}
		problems = append(problems, faults...)
	}
	for _, p := range problems {
		l.Problems = append(l.Problems, listedFault(p))
	}
	slices.SortStableFunc(l.Hooks, func(a, b listedHook) int { return eventOrder(a.Event) - eventOrder(b.Event) })
	markShadowed(l.Hooks)
	past := c.pastRuns()
	for i, h := range l.Hooks {
		run := past[ranHook{h.Event, h.ID}]
		l.Hooks[i].Runs, l.Hooks[i].Last = run.Runs, run.Last
	}
	return l
}

// withNotes are the loaded hooks; what is new about disabled ones, of which a
// session need not tell, is told too.
func (c *configuration) withNotes() []hooks.Hook {
	all := hooks.Config{Hooks: slices.Clone(c.hooks.Hooks)}
	for i := range all.Hooks {
		all.Hooks[i].Disabled = ""
	}
	checks, _ := c.trustStore().Check(c.projectDir, all) // an error was noticed when the hooks were loaded
	all.Apply(checks, false)
	for i, h := range c.hooks.Hooks {
		all.Hooks[i].Disabled, all.Hooks[i].Untrusted = h.Disabled, h.Untrusted
	}
	return all.Hooks
}

func listed(h hooks.Hook, loaded bool) listedHook {
	timeout := h.Timeout
	if timeout == 0 {
		timeout = hooks.DefaultTimeout
	}
	return listedHook{
		Event: h.Event, ID: h.ID(), Name: h.Name, Description: h.Description, Command: h.Command, Matcher: h.Matcher,
		TimeoutMS: timeout.Milliseconds(), Sequential: h.Sequential, OnError: h.OnError, Dialect: h.Dialect,
		Layer: h.Source.Layer, Extension: h.Source.Extension, File: h.Source.File, Line: h.Source.Line,
		Enabled: h.Disabled == "", Disabled: h.Disabled, Loaded: loaded,
		Trusted: loaded && h.Untrusted == "" && h.Note == "", Note: h.Note,
	}
}

// heldBack are the hooks of a folder that is not trusted, and what is wrong with
// them.
func (c *configuration) heldBack() ([]hooks.Hook, []hooks.Problem) {
	var sections []hooks.Section
	var problems []hooks.Problem
	for _, file := range c.loaded.Files {
		if file.Layer != settings.LayerWorkspace || file.Path == filepath.Join(c.dotGemini, "settings.json") {
			continue
		}
		s, err := readSection(file.Path)
		if err != nil {
			problems = append(problems, faultOf(file.Path, err))
			continue
		}
		sections = append(sections, s)
	}
	found, faults := hooks.FindExtensions(c.dir, filepath.Join(c.dir, ".gemini", "extensions"))
	problems = append(problems, faults...)
	for _, e := range found {
		s, err := hooks.LoadExtension(e.Dir, c.dir, nil)
		if err != nil {
			problems = append(problems, faultOf(e.Dir, err))
			continue
		}
		sections = append(sections, s)
	}
	merged := hooks.Merge(sections...)
	return merged.Hooks, append(problems, merged.Problems...)
}

// faultOf is an error with the line that it is about.
func faultOf(file string, err error) hooks.Problem {
	var syntax *jsonc.SyntaxError
	if errors.As(err, &syntax) {
		return hooks.Problem{File: syntax.File, Line: syntax.Line, Text: syntax.Text}
	}
	return hooks.Problem{File: file, Text: err.Error()}
}

// readSection reads the project's hooks; no file has none.
func readSection(path string) (hooks.Section, error) {
	data, err := boundedfile.Read(path, boundedfile.Written)
	if errors.Is(err, fs.ErrNotExist) {
		return hooks.Section{Layer: hooks.LayerProject, File: path}, nil
	}
	if err != nil {
		return hooks.Section{}, err
	}
	return hooks.LoadSettings(hooks.LayerProject, path, data)
}

// markShadowed finds hooks in whose place an earlier one always runs. Where the
// matchers differ it depends on the event, and only the trace can tell.
func markShadowed(all []listedHook) {
	runs := func(h listedHook) bool { return h.Loaded && h.Enabled }
	for i := range all {
		h := &all[i]
		first := slices.IndexFunc(all[:i], func(o listedHook) bool {
			return runs(o) && o.Shadowed == "" && o.Event == h.Event && o.Name == h.Name && o.Command == h.Command && o.Matcher == h.Matcher
		})
		if first >= 0 && runs(*h) {
			h.Shadowed = fmt.Sprintf("%s:%d", all[first].File, all[first].Line)
		}
	}
}

func eventOrder(e hooks.Event) int { return slices.Index(protocol.Events, e) }

func (c *configuration) writeHookList(w io.Writer, l hookList) error {
	var b strings.Builder
	if l.Off != "" {
		fmt.Fprintf(&b, "Hooks are off: %s. None of these runs.\n\n", c.shortenIn(l.Off))
	}
	if len(l.Hooks) == 0 {
		c.writeNoHooks(&b)
	}
	c.writeHooks(&b, l.Hooks)
	if slices.ContainsFunc(l.Hooks, func(h listedHook) bool { return !h.Loaded }) {
		fmt.Fprintf(&b, "This folder is not trusted (%s): nothing of it is loaded. Look at it, then run minigem trust.\n\n", l.Folder.Why)
	}
	if len(l.Problems) > 0 {
		b.WriteString("Problems\n")
	}
	for _, p := range l.Problems {
		where := c.shorten(p.File)
		if p.Line > 0 {
			where = fmt.Sprintf("%s:%d", where, p.Line)
		}
		fmt.Fprintf(&b, "  %s: %s\n", where, trust.Printable(c.shortenIn(p.Text)))
	}
	_, err := io.WriteString(w, strings.TrimRight(b.String(), "\n")+"\n")
	return err
}

// writeNoHooks says where they would stand.
func (c *configuration) writeNoHooks(b *strings.Builder) {
	b.WriteString("No hooks configured.\n\nThey would stand under \"hooks\" in\n")
	for _, f := range slices.Backward(c.loaded.Files) {
		layer := hookLayers[f.Layer]
		if layer == hooks.LayerProject && f.Skipped != "" && !c.trust.trusted {
			fmt.Fprintf(b, "  %-16s %s (this folder is not trusted)\n", layer, c.shorten(f.Path))
			continue
		}
		if f.Skipped == "" {
			fmt.Fprintf(b, "  %-16s %s\n", layer, c.shorten(f.Path))
		}
	}
	fmt.Fprintf(b, "  %-16s %s\n\n", hooks.LayerExtension, c.shorten(filepath.Join(c.dotGemini, "extensions", "NAME", "hooks", "hooks.json")))
}

func (c *configuration) writeHooks(b *strings.Builder, all []listedHook) {
	rows := make([][]string, len(all))
	for i, h := range all {
		layer := string(h.Layer)
		if h.Extension != "" {
			layer += " " + h.Extension
		}
		matcher := h.Matcher
		if matcher == "" {
			matcher = "*"
		}
		rows[i] = []string{
			trust.Printable(h.ID), layer, trust.Printable(matcher), fmt.Sprintf("%d ms", h.TimeoutMS), state(h),
			ranText(h), fmt.Sprintf("%s:%d", c.shorten(h.File), h.Line),
		}
	}
	align(rows)
	for i, h := range all {
		if i == 0 || h.Event != all[i-1].Event {
			fmt.Fprintf(b, "%s\n", h.Event)
		}
		fmt.Fprintf(b, "  %s\n", strings.Join(rows[i], "  "))
		for _, more := range []string{h.Description, h.Disabled, h.Note, prefixed("the same hook runs from ", h.Shadowed)} {
			if more != "" {
				fmt.Fprintf(b, "    %s\n", trust.Printable(c.shortenIn(more)))
			}
		}
		if i == len(all)-1 || h.Event != all[i+1].Event {
			b.WriteByte('\n')
		}
	}
}

// ranText says how often a hook ran, and what came of it last.
func ranText(h listedHook) string {
	switch h.Runs {
	case 0:
		return "never ran"
	case 1:
		return "ran once: " + h.Last
	}
	return fmt.Sprintf("ran %d times, last: %s", h.Runs, h.Last)
}

// state is one word for whether the hook runs.
func state(h listedHook) string {
	switch {
	case !h.Loaded:
		return "not loaded"
	case !h.Enabled:
		return "disabled"
	case h.Shadowed != "":
		return "shadowed"
	case h.Note != "":
		return "not yet trusted"
	}
	return "enabled"
}

func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// align pads cells to the width of their column, the last one excepted. One long
// command does not push all others aside.
func align(rows [][]string) {
	const most = 60
	for col := 0; len(rows) > 0 && col < len(rows[0])-1; col++ {
		width := 0
		for _, row := range rows {
			width = max(width, min(most, utf8.RuneCountInString(row[col])))
		}
		for _, row := range rows {
			row[col] += strings.Repeat(" ", max(0, width-utf8.RuneCountInString(row[col])))
		}
	}
}
