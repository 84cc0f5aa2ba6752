// Package subagents finds the definitions of agents, Markdown files with front matter
// in the folders of Gemini CLI, remembers which ones of a project the user agreed to,
// and offers them to the model of a session. It does not run them.
package subagents

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"minigem/agent/subagent"
	"minigem/internal/boundedfile"
	"minigem/internal/skills"
)

// Agent is a definition that was found.
type Agent struct {
	subagent.Definition
	DisplayName string

	Source  string // where it was found, for display: "user", "project"
	Hash    string // of the file, in Gemini CLI's form
	Hooks   skills.Hooks
	Servers []Server // they run while it works
	Off     string   // why it is not offered; empty if it is
}

// Source is a folder of definitions.
type Source struct {
	Dir  string
	Name string // for display
	// Agreed reports whether the user has agreed to an agent in its current form. If
	// nil, the user has agreed to all.
	Agreed func(Agent) bool
}

// maxFile limits a definition, and maxFiles how many are read in one folder.
const (
	maxFile  = 256 << 10
	maxFiles = 200
)

// Discover finds the agents of sources and adds them to builtin. Of two with the same
// name the first one wins, and problems says so. problems also names each file that
// cannot be used, with its line (core/agents/registry.ts).
func Discover(builtin []Agent, sources []Source) (found []Agent, problems []string) {
	found = slices.Clone(builtin)
	for _, source := range sources {
		for _, file := range source.files() {
			a, faults := Read(file)
			if len(faults) > 0 {
				for _, f := range faults {
					problems = append(problems, "the agent is left out: "+f)
				}
				continue
			}
			a.Source = source.Name
			if source.Agreed != nil && !source.Agreed(a) {
				a.Off = NotAgreed // others may use its name
				found = append(found, a)
				continue
			}
			i := slices.IndexFunc(found, func(o Agent) bool { return o.Name == a.Name && o.Off == "" })
			if i < 0 {
				found = append(found, a)
				continue
			}
			other := found[i].File
			if other == "" {
				other = "one that is built in"
			}
			problems = append(problems, fmt.Sprintf(
				"the agent %s of %s is not used: %s has the same name, and is used instead", a.Name,
				file, other))
		}
	}
	return found, problems
}

// files returns the definitions directly in a folder, except those whose names begin
// with _ (core/agents/agentLoader.ts).
func (s Source) files() []string {
	entries, err := os.ReadDir(s.Dir)
	if err != nil {
		return nil // there are none
	}
	var out []string
	for _, e := range entries {
		path := filepath.Join(s.Dir, e.Name())
		if !strings.HasSuffix(e.Name(), ".md") || strings.HasPrefix(e.Name(), "_") || len(out) == maxFiles {
			continue
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			out = append(out, path)
		}
	}
	return out
}

// Read reads one definition. Each fault says where it is.
func Read(file string) (Agent, []string) {
	data, err := boundedfile.Read(file, maxFile)
	if err != nil {
		return Agent{}, []string{err.Error()}
	}
	a, faults := Parse(file, string(data))
	sum := sha256.Sum256(data)
	a.File, a.Hash = file, hex.EncodeToString(sum[:])
	return a, faults
}
