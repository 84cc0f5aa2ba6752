package agents

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"minigem/internal/atomicfile"
)

// Line is an agent's line in the list.
type Line struct {
	Name     string    `json:"name"`
	Title    string    `json:"title"`
	Found    bool      `json:"found"`
	Path     string    `json:"path,omitempty"`
	Version  string    `json:"version,omitempty"`
	Measured []string  `json:"measured"`
	New      bool      `json:"new,omitempty"`     // the version was not measured
	Problem  string    `json:"problem,omitempty"` // why it cannot be used
	Flags    []string  `json:"flags,omitempty"`   // that disable a protection
	Cannot   []string  `json:"cannot,omitempty"`  // what no case can test
	Get      string    `json:"get"`
	SelfTest *SelfTest `json:"selfTest,omitempty"`
}

// NewLine returns the line of an agent.
func NewLine(i Installed) Line {
	l := Line{
		Name: i.Adapter.Name, Title: i.Adapter.Title, Found: i.Path != "", Path: i.Path, Version: i.Version,
		Measured: i.Adapter.Measured,
		Problem:  i.Problem, Cannot: i.Adapter.Cannot, Get: i.Adapter.Get(),
	}
	l.New = l.Version != "" && !i.Measured()
	for _, f := range i.Adapter.Flags {
		l.Flags = append(l.Flags, f.Flag+": "+f.Why)
	}
	return l
}

// Lines formats the list as a table, followed by what no case can test.
func Lines(lines []Line) string {
	rows := [][]string{{"agent", "version", "measured", "program"}}
	var notes strings.Builder
	for _, l := range lines {
		version, program := l.Version, l.Path
		switch {
		case !l.Found:
			version, program = "-", l.Problem
		case l.Problem != "":
			version = "-"
			fmt.Fprintf(&notes, "%s cannot be used: %s\n", l.Name, l.Problem)
		case l.New:
			version += " (not measured)"
		}
		rows = append(rows, []string{l.Name, version, strings.Join(l.Measured, ", "), program})
		if l.Found {
			for _, c := range l.Cannot {
				fmt.Fprintf(&notes, "%s cannot: %s\n", l.Name, c)
			}
		}
		if l.SelfTest != nil {
			notes.WriteString(l.SelfTest.String())
		}
	}
	out := table(rows)
	if notes.Len() > 0 {
		out += "\n" + notes.String()
	}
	return out
}

// String formats a self-test, one result a line.
func (st *SelfTest) String() string {
	var b strings.Builder
	if st.Cannot != "" {
		return fmt.Sprintf("%s failed its self-test: %s\n", st.Agent, st.Cannot)
	}
	fmt.Fprintf(&b, "%s passed its self-test in %.1fs", st.Agent, float64(st.Millis)/1000)
	if st.Cached {
		b.WriteString(", at an earlier time")
	}
	b.WriteString("\n")
	for _, why := range sorted(st.Actions) {
		fmt.Fprintf(&b, "  %s\n", why)
	}
	for _, why := range sorted(st.Events) {
		fmt.Fprintf(&b, "  %s\n", why)
	}
	return b.String()
}

func sorted(m map[string]string) []string { return slices.Sorted(maps.Values(m)) }

// WriteProject writes an npm project with the measured versions of agents and returns its
// path. It does not overwrite an existing one.
func WriteProject(dir string, adapters []*Adapter) (string, error) {
	needs := map[string]string{}
	for _, a := range adapters {
		if a.Package == "" || len(a.Measured) == 0 {
			continue
		}
		needs[a.Package] = a.Measured[len(a.Measured)-1]
		if a.Node > 20 {
			needs["node"] = nodeVersion
		}
	}
	data, err := json.MarshalIndent(map[string]any{"name": "agents-under-test", "private": true, "dependencies": needs},
		"", "  ")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "package.json")
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s already exists: name another folder", path)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("making the folder: %w", err)
	}
	return path, atomicfile.WriteFile(path, append(data, '\n'), 0o644)
}

// nodeVersion is the version of the npm package node, for agents that need a newer one
// than systems have.
const nodeVersion = "22.23.3"
