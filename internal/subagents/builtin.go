package subagents

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"minigem/agent/subagent"
)

// BuiltIn is the source of the agents that come with minigem.
const BuiltIn = "built in"

//go:embed investigator.md
var investigator string

//go:embed generalist.md
var generalist string

//go:embed cli_help.md
var cliHelp string

// helpName is the agent that knows the documentation. It has its own tool,
// get_internal_docs.
const helpName = "cli_help"

// Builtin returns the agents that come with minigem: those of Gemini CLI, with its
// names, limits and results (core/agents/codebase-investigator.ts, generalist-agent.ts,
// cli-help-agent.ts).
func Builtin() []Agent {
	cool := 0.1
	return []Agent{
		{DisplayName: "Codebase Investigator", Source: BuiltIn, Definition: subagent.Definition{
			Name: "codebase_investigator",
			Description: "Finds out how this codebase does something: where it is, how it hangs together, what a change " +
				"would touch. It only reads. " +
				"For questions that need many searches; not for a file or a name that you know.",
			Instructions: investigator,
			Tools:        []string{"list_directory", "read_file", "glob", "grep_search"},
			Model:        "flash", Temperature: &cool, MaxTurns: 50, Timeout: 10 * time.Minute,
			Result: &subagent.Result{Name: "report", Schema: json.RawMessage(`{"type": "object",
				"required": ["SummaryOfFindings", "ExplorationTrace", "RelevantLocations"], "properties": {
				"SummaryOfFindings": {"type": "string",
					"description": "The answer: what you found out, and what follows from it for the task."},
				"ExplorationTrace": {"type": "array", "items": {"type": "string"},
					"description": "What you looked at, step by step, and why."},
				"RelevantLocations": {"type": "array",
					"description": "The places that matter, the most important first.", "items": {"type": "object",
					"required": ["FilePath", "Reasoning", "KeySymbols"], "properties": {
					"FilePath": {"type": "string"},
					"Reasoning": {"type": "string", "description": "Why this file matters."},
					"KeySymbols": {"type": "array", "items": {"type": "string"},
						"description": "Functions, types and the like to look at there."}}}}}}`)},
		}},
		{DisplayName: "Generalist Agent", Source: BuiltIn, Definition: subagent.Definition{
			Name: "generalist",
			Description: "Does a whole piece of work with all tools, and reports. " +
				"For work in many files, or with long output, that would fill this conversation with what it need not know.",
			Instructions: generalist, MaxTurns: 20, Timeout: 10 * time.Minute,
			Result: &subagent.Result{
				Name: "result", Schema: json.RawMessage(`{"type": "object", "required": ["response"], "properties": {
				"response": {"type": "string", "description": "What was done, what was found, and what is left."}}}`)},
		}},
		{DisplayName: "CLI Help Agent", Source: BuiltIn, Definition: subagent.Definition{
			Name: helpName,
			Description: "Answers questions about this program, minigem: its commands, settings, hooks, extensions and how " +
				"to test hooks. It reads the documentation. " +
				"Ask it before you tell the user how minigem works.",
			Instructions: cliHelp,
			Tools:        []string{"get_internal_docs"},
			Model:        "flash", MaxTurns: 10, Timeout: 3 * time.Minute,
			Result: &subagent.Result{Name: "report", Text: withSources,
				Schema: json.RawMessage(`{"type": "object", "required": ["answer", "sources"], "properties": {
				"answer": {"type": "string", "description": "The answer, whole."},
				"sources": {"type": "array", "items": {"type": "string"}, "description": "The pages that it comes from."}}}`)},
		}},
	}
}

// withSources formats a report of cli_help for its caller.
func withSources(report any) string {
	r, _ := report.(map[string]any)
	answer, _ := r["answer"].(string)
	all, _ := r["sources"].([]any)
	var lines []string
	for _, s := range all {
		if line := fmt.Sprintf("- %v", s); !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return answer
	}
	return answer + "\n\nSources:\n" + strings.Join(lines, "\n")
}
