package testbed

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"minigem/hooks"
	"minigem/hooks/author/inspect"
	"minigem/hooks/author/program"
	"minigem/hooks/protocol"
	"minigem/internal/text"
)

// readPrograms extracts what [Record.Lacks] needs from the hooks' programs, because they
// are removed with the case's folder.
func (r *Record) readPrograms() {
	r.programs = map[string][]program.Facts{}
	place := program.Place{Dir: r.Workspace, ProjectDir: r.Workspace, Home: r.Home}
	for _, run := range started(r) {
		if _, known := r.programs[run.Hook.Line()]; !known {
			r.programs[run.Hook.Line()] = program.Read(run.Hook, place)
		}
	}
}

// Lacks names a field that the program of a hook reads, but that its payload lacks, if the
// hook ran and let the event pass. A misspelt or foreign field reads as null, and a guard
// that compares it lets everything pass. The result is empty if there is no such field, if
// that is not known, or if the case passed.
func (r *Record) Lacks(event protocol.Event, run hooks.Run) string {
	if !run.Ran() || run.Decision != hooks.Proceed || run.Exit.Code != 0 || run.Failed != "" {
		return ""
	}
	given := gjson.ParseBytes(run.Stdin.Bytes())
	sample, _ := inspect.Sample(event, "") // empty for an unknown event
	for _, f := range r.programs[run.Hook.Line()] {
		for _, field := range f.Fields {
			path, has := missing(given, field)
			if path == nil || !ofPayload(path[0], given, sample) {
				continue
			}
			at := "its command"
			if f.Path != "" {
				at = fmt.Sprintf("%s:%d", f.Path, field.Line)
			}
			return r.shorten(fmt.Sprintf("%s reads .%s, which its input did not have; it had %s", at, strings.Join(path, "."),
				has))
		}
	}
	return ""
}

// missing returns the first path of field if the payload has none of its paths, else nil.
// has describes what the payload contains as far as the path leads.
func missing(given gjson.Result, field program.Field) (path []string, has string) {
	for _, p := range field.Paths {
		at, there := given, 0
		for ; there < len(p); there++ {
			next := at.Get(gjson.Escape(p[there]))
			if !next.Exists() {
				break
			}
			at = next
		}
		if there == len(p) || there > 0 && !at.IsObject() { // it exists, or the path leaves the objects
			return nil, ""
		}
		if path == nil {
			path, has = field.Paths[0], fields(at, p[:there])
		}
	}
	return path, has
}

// fields lists the fields of an object at a path in the payload.
func fields(at gjson.Result, path []string) string {
	const most = 12
	var names []string
	parent := ""
	if len(path) > 0 {
		parent = "." + strings.Join(path, ".")
	}
	if at.IsObject() {
		at.ForEach(func(key, _ gjson.Result) bool {
			names = append(names, text.VisibleLine(parent+"."+key.String()))
			return len(names) <= most
		})
	}
	switch {
	case !at.IsObject():
		return "JSON that is not an object"
	case len(names) == 0:
		return "nothing in " + cmp.Or(parent, "the payload")
	case len(names) > most:
		names[most] = "..."
	}
	return strings.Join(names, ", ")
}

// ofPayload reports whether a program that reads this name at the top level most likely
// reads its payload, not other JSON.
func ofPayload(name string, given gjson.Result, sample []byte) bool {
	var names []string
	for _, all := range []gjson.Result{given, gjson.ParseBytes(sample)} {
		all.ForEach(func(key, _ gjson.Result) bool {
			names = append(names, key.String())
			return true
		})
	}
	return slices.Contains(names, name) || text.Nearest(name, names) != ""
}

// lacking lists the fields that the payloads of a case's hooks lacked, one a line. Only
// the first runs are examined.
func (r *Record) lacking() string {
	const most = 100
	var lines []string
	looked := 0
	for _, rep := range r.Reports {
		for _, run := range rep.Runs {
			if looked++; looked > most {
				return strings.Join(lines, "")
			}
			what := r.Lacks(rep.Event, run)
			if line := fmt.Sprintf("%s allowed: %s\n", run.Hook.ID(), what); what != "" && !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return strings.Join(lines, "")
}
