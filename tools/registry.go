package tools

import (
	"fmt"
	"slices"
	"strings"

	"minigem/internal/text"
)

// Registry holds tools in the order in which they are offered. The zero value is empty,
// and so is a nil one, to which nothing can be added. It is safe for concurrent use while
// it is not changed, which must not happen while an agent runs.
type Registry struct {
	order []Tool
	names map[string]Tool // by name and alias
}

// NewRegistry makes a [Registry] of ts, as [Registry.Add] does.
func NewRegistry(ts ...Tool) *Registry {
	r := &Registry{}
	r.Add(ts...)
	return r
}

// Add registers tools. A later one replaces an earlier one of the same name, at its
// place. A name goes before an alias; of two equal aliases the first counts.
func (r *Registry) Add(ts ...Tool) {
	if r.names == nil {
		r.names = map[string]Tool{}
	}
	for _, t := range ts {
		name := t.Spec().Name
		if i := slices.IndexFunc(r.order, func(o Tool) bool { return o.Spec().Name == name }); i >= 0 {
			r.order[i] = t
		} else {
			r.order = append(r.order, t)
		}
		r.names[name] = t
		for _, a := range t.Info().Aliases {
			if _, taken := r.names[a]; !taken {
				r.names[a] = t
			}
		}
	}
}

// Lookup returns the tool with this name or alias; nil if there is none. Case matters.
func (r *Registry) Lookup(name string) Tool {
	if r == nil {
		return nil
	}
	return r.names[name]
}

// All returns the tools in order. The slice is the caller's.
func (r *Registry) All() []Tool {
	if r == nil {
		return nil
	}
	return slices.Clone(r.order)
}

// Names returns the tools' names in order, without aliases; nil if there are none.
func (r *Registry) Names() (names []string) {
	for _, t := range r.All() {
		names = append(names, t.Spec().Name)
	}
	return names
}

// Filter returns a new [Registry] of the tools for which keep returns true, in order. r
// stays as it is. keep is called once for each tool.
func (r *Registry) Filter(keep func(Tool) bool) *Registry {
	out := &Registry{}
	for _, t := range r.All() {
		if keep(t) {
			out.Add(t)
		}
	}
	return out
}

// Suggest returns the names nearest to name, at most three, nearest first. They may be
// far from it. Aliases are not among them. It returns nil if r is empty.
func (r *Registry) Suggest(name string) []string {
	names := r.Names()
	slices.SortStableFunc(names, func(a, b string) int {
		return text.Distance(name, a) - text.Distance(name, b)
	})
	return names[:min(3, len(names))]
}

// NotFound returns the error for a call to a tool that does not exist, of the type
// [ErrNotRegistered], with names that may have been meant.
func (r *Registry) NotFound(name string) *Error {
	msg := fmt.Sprintf("Tool %q not found.", name)
	switch s := r.Suggest(name); len(s) {
	case 0:
	case 1:
		msg += fmt.Sprintf(" Did you mean %q?", s[0])
	default:
		msg += ` Did you mean one of: "` + strings.Join(s, `", "`) + `"?`
	}
	return &Error{Type: ErrNotRegistered, Message: msg}
}
