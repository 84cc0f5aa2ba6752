package inspection

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"minigem/hooks"
	"minigem/internal/app"
	"minigem/internal/text"
)

// Notices returns what the user should know at the start: the notices of c, problems in
// the configuration of hooks, and the project's new and changed hooks.
func Notices(c *app.Configuration) []string {
	out := slices.Concat(c.Notices, Problems(c), switchedOff(c))
	if c.Hooks.Off != "" {
		return out
	}
	return append(out, unasked(c)...)
}

// unasked names the hooks that run without the user's approval: one line for the new
// ones, and one for each kind of change.
func unasked(c *app.Configuration) []string {
	var notes []string
	byNote := map[string][]hooks.Hook{}
	for _, h := range c.Hooks.Hooks {
		if h.Note == "" || h.Disabled != "" {
			continue
		}
		note, _, _ := strings.Cut(h.Note, ": ") // what changed comes after it
		if byNote[note] == nil {
			notes = append(notes, note)
		}
		byNote[note] = append(byNote[note], h)
	}
	for i, note := range notes {
		hs := byNote[note]
		if h := hs[0]; len(hs) == 1 {
			notes[i] = fmt.Sprintf("%s:%d: the %s hook %q runs unasked: %s. Look at it, then say yes to it with minigem trust",
				h.Source.File, h.Source.Line, h.Event, h.Label(), h.Note)
			continue
		}
		names := make([]string, len(hs))
		for n, h := range hs {
			_, changed, _ := strings.Cut(h.Note, ": ")
			names[n] = fmt.Sprintf("%s %q (%s)", h.Event, h.Label(),
				strings.TrimSuffix(fmt.Sprintf("%s:%d; %s", c.Relative(h.Source.File), h.Source.Line, changed), "; "))
		}
		notes[i] = fmt.Sprintf("%d hooks run unasked: %s. Look at them, then say yes to them with minigem trust: %s",
			len(hs), note, strings.Join(names, ", "))
	}
	return notes
}

// Problems lists the problems in the files that configure hooks, as file:line:
// text. It shows the first ones of each file, and counts the rest.
func Problems(c *app.Configuration) []string {
	const most = 20
	var out []string
	count := map[string]int{}
	for _, p := range c.Hooks.Problems {
		if count[p.File]++; count[p.File] > most {
			continue
		}
		where := p.File
		if p.Line > 0 {
			where = fmt.Sprintf("%s:%d", p.File, p.Line)
		}
		out = append(out, where+": "+p.Text)
	}
	for _, file := range slices.Sorted(maps.Keys(count)) {
		if n := count[file] - most; n > 0 {
			out = append(out, fmt.Sprintf("%s: and %d more; minigem hooks lint shows them all", file, n))
		}
	}
	return out
}

// WithoutEffect lists on one line the keys in settings files that have no effect,
// including unknown ones. It returns "" if there are none.
func WithoutEffect(c *app.Configuration) string {
	const most = 5
	var keys []string
	for _, g := range c.Loaded.WithoutEffect() {
		if !slices.Contains(keys, g.Key) {
			keys = append(keys, g.Key)
		}
	}
	for _, u := range c.Loaded.Unknown {
		if !slices.Contains(keys, u.Key) {
			keys = append(keys, u.Key)
		}
	}
	if len(keys) == 0 {
		return ""
	}
	verb, more := "have", ""
	if len(keys) == 1 {
		verb = "has"
	}
	named := keys[:min(most, len(keys))]
	if len(keys) > most {
		more = ", ..."
	}
	return fmt.Sprintf("%s %s no effect in minigem: %s%s; minigem settings list says more",
		text.Plural(len(keys), "setting"), verb, text.VisibleLine(strings.Join(named, ", ")), more)
}

// switchedOff names the user's and the system's hooks that the project's settings turn
// off. A project may do that, but not silently.
func switchedOff(c *app.Configuration) []string {
	var out []string
	for _, s := range c.Sections {
		if s.Layer != hooks.LayerProject && !s.InProject {
			continue
		}
		if s.Enabled != nil && !s.Enabled.On && c.Hooks.Off != "" {
			if n := len(slices.DeleteFunc(slices.Clone(c.Hooks.Hooks), func(h hooks.Hook) bool {
				return h.Source.OfProject()
			})); n > 0 {
				out = append(out, fmt.Sprintf("%s:%d: this project turns all hooks off, including %d of yours or the system's",
					s.File, s.Enabled.Line, n))
			}
		}
		for _, d := range s.Disabled {
			if i := slices.IndexFunc(c.Hooks.Hooks, func(h hooks.Hook) bool {
				return h.ID() == d.ID && !h.Source.OfProject()
			}); i >= 0 {
				h := c.Hooks.Hooks[i]
				out = append(out, fmt.Sprintf("%s:%d: this project turns off the %s hook %q of %s", s.File, d.Line, h.Event, d.ID,
					h.Source))
			}
		}
	}
	return out
}
