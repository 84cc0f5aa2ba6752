// Package prompt writes the texts around a conversation: the system instruction,
// assembled from the files in parts/, and the preamble, the first message of a session,
// with date, system and directory tree. It reads no settings and looks for no context
// files: both are passed in as text. It reads the environment through a function.
package prompt

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"minigem/internal/atomicfile"
	"minigem/internal/boundedfile"
	"minigem/internal/text"
)

//go:embed parts/*.md
var parts embed.FS

// System is what the system instruction depends on. The zero System describes a
// headless run outside Git.
type System struct {
	Interactive bool
	Yolo        bool // all calls are allowed in advance
	Plan        bool // plan mode
	PlansDir    string
	Git         bool // the project's root is in a Git repository
	Sandbox     bool
	Hooks       bool // hooks are configured

	Tools  []string // names of the tools that are declared
	Agents []Entry
	Skills []Entry
	MCP    []Entry // servers with instructions

	Memory string // global context files, framed; see contextfile

	Root   string              // the project's root, absolute
	Home   string              // the user's home, for "~/" in paths
	Getenv func(string) string // nil means that the environment is empty
}

// Entry is a name with its description.
type Entry struct{ Name, Text string }

// section is a part that GEMINI_PROMPT_<NAME>=0 switches off.
// (core/prompts/promptProvider.ts)
type section struct {
	name string
	text func(System) string
}

func part(file string) string {
	data, err := parts.ReadFile("parts/" + file + ".md")
	if err != nil {
		panic(err) // unreachable: the parts are embedded, and a test reads each
	}
	return strings.TrimSpace(string(data))
}

func always(file string) func(System) string {
	return func(System) string { return part(file) }
}

func when(is func(System) bool, yes, no string) func(System) string {
	return func(s System) string {
		switch {
		case is(s):
			return part(yes)
		case no != "":
			return part(no)
		}
		return ""
	}
}

func sections() []section {
	return []section{
		{"preamble", always("preamble")},
		{"coreMandates", always("core_mandates")},
		{"subAgents", agentsText},
		{"agentSkills", skillsText},
		{"hookContext", when(func(s System) bool { return s.Hooks }, "hook_context", "")},
		{"primaryWorkflows", when(func(s System) bool { return !s.Plan }, "primary_workflows", "")},
		{"planningWorkflow", planningText},
		{"operationalGuidelines", always("operational_guidelines")},
		{"sandbox", when(func(s System) bool { return s.Sandbox }, "sandbox", "no_sandbox")},
		{"interactiveYoloMode", when(func(s System) bool { return s.Interactive && s.Yolo }, "interactive_yolo", "")},
		{"headless", when(func(s System) bool { return !s.Interactive }, "headless", "")},
		{"gitRepo", when(func(s System) bool { return s.Git }, "git_repo", "")},
		{"finalReminder", always("final_reminder")},
	}
}

// Text returns the system instruction. GEMINI_SYSTEM_MD replaces all sections with a
// file: "1" or "true" means the project's .gemini/system.md, and anything else except
// "0" and "false" is a path. The error means that this file cannot be read.
func (s System) Text() (string, error) {
	body := ""
	if path, ok := s.file(s.getenv("GEMINI_SYSTEM_MD")); ok {
		data, err := boundedfile.Read(path, boundedfile.Written)
		if err != nil {
			return "", fmt.Errorf("reading the system prompt that GEMINI_SYSTEM_MD names: %w", err)
		}
		body = s.substitute(strings.TrimSpace(string(data)))
	} else {
		body = s.assemble()
	}
	return join(body, s.serversText(), s.memoryText()), nil
}

func (s System) getenv(name string) string {
	if s.Getenv == nil {
		return ""
	}
	return s.Getenv(name)
}

// Write writes the sections, without servers and memory, to the file that value names.
// value is that of GEMINI_WRITE_SYSTEM_MD, a switch or a path like GEMINI_SYSTEM_MD
// (core/prompts/promptProvider.ts). If it is empty, nothing is written. It must not
// come from a project, because it may name any file.
func (s System) Write(value string) error {
	path, ok := s.file(value)
	if !ok {
		return nil
	}
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = atomicfile.WriteFile(path, []byte(s.assemble()+"\n"), 0o644)
	}
	if err != nil {
		return fmt.Errorf("writing the system prompt to the file that GEMINI_WRITE_SYSTEM_MD names: %w", err)
	}
	return nil
}

// file returns the path that v names, the value of a variable that is a switch or a
// path.
func (s System) file(v string) (string, bool) {
	v = strings.TrimSpace(v)
	switch strings.ToLower(v) {
	case "", "0", "false":
		return "", false
	case "1", "true":
		return filepath.Join(s.Root, ".gemini", "system.md"), true
	}
	if rest, ok := strings.CutPrefix(v, "~/"); ok {
		v = filepath.Join(s.Home, rest)
	}
	v = text.Abs(s.Root, v)
	return v, true
}

func (s System) assemble() string {
	var texts []string
	for _, sec := range sections() {
		switch strings.ToLower(strings.TrimSpace(s.getenv("GEMINI_PROMPT_" + strings.ToUpper(sec.name)))) {
		case "0", "false":
		default:
			texts = append(texts, sec.text(s))
		}
	}
	return join(texts...)
}

func join(texts ...string) string {
	kept := texts[:0:0]
	for _, t := range texts {
		if t != "" {
			kept = append(kept, t)
		}
	}
	return strings.Join(kept, "\n\n")
}

func list(entries []Entry) string {
	var b strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&b, "\n- `%s`: %s", e.Name, strings.Join(strings.Fields(e.Text), " "))
	}
	return b.String()
}

func planningText(s System) string {
	if !s.Plan {
		return ""
	}
	return strings.ReplaceAll(part("planning_workflow"), "${plans_dir}", s.PlansDir)
}

func agentsText(s System) string {
	if len(s.Agents) == 0 {
		return ""
	}
	return "# Agents\n\nThese agents do a whole task for you and report, which keeps their reading out of this " +
		"conversation. Call one where its description fits:\n" + list(s.Agents)
}

func skillsText(s System) string {
	if len(s.Skills) == 0 {
		return ""
	}
	return "# Skills\n\nA skill is a set of instructions for one kind of task. Activate it before you begin such a " +
		"task, and follow it:\n" + list(s.Skills)
}

// substitute replaces the variables in a user's file.
func (s System) substitute(text string) string {
	pairs := []string{
		"${AgentSkills}", skillsText(s),
		"${SubAgents}", agentsText(s),
		"${AvailableTools}", toolsText(s.Tools),
	}
	for _, t := range s.Tools {
		pairs = append(pairs, "${"+t+"_ToolName}", t)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

func toolsText(tools []string) string {
	if len(tools) == 0 {
		return ""
	}
	return "- " + strings.Join(tools, "\n- ")
}

func (s System) serversText() string {
	var texts []string
	for _, e := range s.MCP {
		texts = append(texts, fmt.Sprintf("--- Instructions of the MCP server %s ---\n%s\n"+
			"--- End of the instructions of %s ---", e.Name, strings.TrimSpace(e.Text), e.Name))
	}
	return join(texts...)
}

func (s System) memoryText() string {
	if strings.TrimSpace(s.Memory) == "" {
		return ""
	}
	return "# Context of the user\n\nWhat follows was written down by the user for every session. It goes before the " +
		"habits above, not before the rules.\n\n<loaded_context>\n" + strings.TrimSpace(s.Memory) + "\n</loaded_context>"
}
