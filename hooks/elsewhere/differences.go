package elsewhere

import (
	"slices"
	"strings"

	"minigem/hooks"
	"minigem/hooks/protocol"
)

// The places that show a difference in addition to the manual ([hooks.Difference.Shown]).
// They are bits, so that a difference can be shown in both.
const (
	// InReport means the report of a run ([hooks.Run.Upstream]).
	InReport = 1 << iota
	// InExplain means "hooks explain", which looks at settings and programs.
	InExplain
)

// Differences returns all known differences of Gemini CLI 0.61, in the order of the
// manual. The slice is the caller's.
func Differences() []hooks.Difference { return slices.Clone(differences) }

// DifferenceByID returns the difference with the [hooks.Difference] ID. It panics if
// there is none, because ids are constants in code.
func DifferenceByID(id string) hooks.Difference {
	i := slices.IndexFunc(differences, func(d hooks.Difference) bool { return d.ID == id })
	if i < 0 {
		panic("elsewhere: no difference is called " + id)
	}
	return differences[i]
}

// differences is the list of Differences, by subject.
var differences = differencesOf("Gemini CLI 0.61", []hooks.Difference{
	// exits
	{ID: "exit-2-silent", When: "exit 2 with nothing printed", There: "lets the action go on", Here: "blocks",
		Source: refRunner, Shown: InReport | InExplain},
	{ID: "exit-2-json", When: "exit 2 with JSON that has no deny", There: "obeys the JSON and lets the action go on",
		Here: "blocks", Source: refRunner, Shown: InReport | InExplain},
	{ID: "exit-above-2", When: "an exit above 2 with something printed", There: "blocks, with that as the reason",
		Here: "warns and goes on, unless onError is block", Source: refRunner, Shown: InReport | InExplain},
	{ID: "missing-program", When: "a command that is not there (exit 127)",
		There: "blocks, with the shell's error as the reason", Here: "warns and goes on, unless onError is block",
		Source: refRunner, Shown: InExplain},
	{ID: "signal", When: "a program that ends by a signal", There: "takes it for exit 0 without any output", Here: "warns",
		Source: refRunner, Shown: InExplain},
	{ID: "ignores-term", When: "a program that ignores TERM at its timeout", There: "waits until it ends by itself",
		Here: "sends KILL a second later", Source: refRunner, Shown: InExplain},
	{ID: "leaves-child", When: "a child left in the background with stdout open", There: "waits for it, timeout or not",
		Here: "ends it at the timeout", Source: refRunner, Shown: InExplain},
	{ID: "timeout-deny", When: "a deny printed before the timeout", There: "forgets it and lets the action go on",
		Here: "denies", Source: refRunner, Shown: InReport},
	{ID: "stderr-shown", When: "stderr at exit 0", There: "shows it to the user", Here: "keeps it for the log",
		Source: refRunner, Shown: InReport},
	// answers
	{ID: "deny-in-noise", When: "a deny among other output, or in broken JSON",
		There: "lets the action go on: only a single JSON object counts", Here: "denies", Source: refRunner,
		Shown: InReport},
	{ID: "output-not-object", When: "hookSpecificOutput that is not an object",
		There: "lets the whole event pass, denials of other hooks too", Here: "ignores only that field",
		Source: refAggregator, Shown: InReport},
	{ID: "older-field", When: "a field spelled the older way, outside hookSpecificOutput", There: "ignores it",
		Here: "obeys it", Source: refTypes, Shown: InReport},
	{ID: "later-allow", When: "a deny of a model event, and an allow or plain text of a later hook",
		There: "lets the action go on", Here: "denies", Source: refAggregator, Shown: InReport | InExplain},
	{ID: "allow-reasons", When: "a deny together with hooks that allow", There: "puts their reasons into the deny's",
		Here: "leaves them out", Source: refAggregator},
	{ID: "ask", When: "ask", There: "lifts a policy's deny to a prompt, and ends a run without a terminal",
		Here: "never weakens a deny, and denies if there is nobody to ask", Source: refScheduler,
		Shown: InReport | InExplain},
	{ID: "whole-input", When: "tool_input that leaves out an argument",
		There: "takes it for all arguments: what is left out is gone", Here: "merges it into the arguments", Source: refTypes,
		Shown: InReport | InExplain},
	{ID: "error-context", When: "additionalContext where the tool failed", There: "loses it", Here: "adds it",
		Source: "core/src/scheduler/tool-executor.ts"},
	{ID: "context-more", When: "additionalContext of BeforeTool, AfterAgent or PreCompress", There: "ignores it",
		Here: "gives it to the model", Source: refTypes, Shown: InReport},
	{ID: "updated-output", When: "updatedOutput", There: "ignores it", Here: "replaces the tool's output",
		Source: refTypes, Shown: InReport},
	{ID: "context-stays", When: "additionalContext of BeforeAgent", There: "keeps it in the conversation for good",
		Here: "sends it only with this prompt", Source: refClient, Shown: InExplain},
	// the model's events
	{ID: "malformed-response", When: "a malformed llm_response with a deny", There: "calls the model", Here: "denies",
		Source: refSystem, Shown: InReport},
	{ID: "response-alone", When: "llm_response of BeforeModel without a deny", There: "ignores it and calls the model",
		Here: "takes it for the answer", Source: refTypes, Shown: InReport},
	{ID: "replacement-ignored", When: "a replacement at AfterModel without candidates that have parts",
		There: "ignores it", Here: "replaces the chunk", Source: refTypes, Shown: InReport},
	{ID: "chunk-shown", When: "a chunk that AfterModel replaces",
		There: "changes only the screen, and drops the chunk's calls there", Here: "replaces it everywhere", Source: refChat,
		Shown: InReport | InExplain},
	{ID: "chunk-denied", When: "a chunk that AfterModel denies", There: "shows it and runs its calls", Here: "discards it",
		Source: refChat, Shown: InReport | InExplain},
	{ID: "config-erased", When: "llm_request.config that leaves out a generation setting", There: "erases that setting",
		Here: "keeps it", Source: refTranslator, Shown: InReport},
	{ID: "messages-by-position", When: "llm_request.messages",
		There: "matches them by position: none can be removed or put in front", Here: "matches them by content",
		Source: refTranslator, Shown: InReport},
	{ID: "parts-left-out", When: "calls and results in llm_request", There: "leaves them out", Here: "shows them as parts",
		Source: refTranslator},
	{ID: "selection-auto", When: "an answer at BeforeToolSelection without a flat toolConfig in hookSpecificOutput",
		There: "sets the mode AUTO without a list", Here: "changes nothing, or obeys the toolConfig where it is",
		Source: refTypes, Shown: InReport},
	{ID: "auto-list", When: "a list of tools with the mode AUTO", There: "offers all tools all the same",
		Here: "offers only those", Source: refTypes, Shown: InReport},
	{ID: "prompt-response", When: "prompt_response of AfterAgent",
		There: "puts all attempts and chunks into it, some twice", Here: "puts the answer into it", Source: refClient},
	// when events fire
	{ID: "retries", When: "AfterAgent that sends every answer back", There: "ends it after 100 turns only",
		Here: "ends it after 10 retries", Source: refClient, Shown: InExplain},
	{ID: "tail-calls", When: "tail calls that never end", There: "runs them without end", Here: "ends them after 10",
		Source: refScheduler},
	{ID: "compress-each-turn", When: "PreCompress", There: "fires it before every request",
		Here: "fires it before a compression", Source: refCompressor, Shown: InExplain},
	{ID: "end-thrice", When: "SessionEnd", There: "fires it up to three times, with the reasons exit and clear only",
		Here: "fires it once, with all five reasons", Source: refContainer, Shown: InExplain},
	{ID: "order", When: "hooks of several layers",
		There: "runs system defaults, user, project, system, extensions in this order",
		Here:  "runs project, user, system defaults, system, extensions in this order", Source: refRegistry,
		Shown: InExplain},
	{ID: "event-added", When: "hooks of " + addedEvents(), There: "ignores them", Here: "runs them", Source: refRegistry,
		Shown: InReport | InExplain},
	{ID: "trigger-added", When: "a matcher with compact at SessionStart or Idle at Notification",
		There: "never fires the event so", Here: "fires it", Source: refTypes, Shown: InReport | InExplain},
	{ID: "head", When: "hooks in the front matter of a skill or an agent",
		There: "ignores them in a skill, and leaves the agent out", Here: "runs them while it is active",
		Source: refRegistry, Shown: InReport},
	// matchers
	{ID: "matcher-notification", When: "a matcher of Notification", There: "runs the hook whatever it says",
		Here: "obeys it", Source: refHandler, Shown: InReport | InExplain},
	{ID: "matcher-trigger", When: "a matcher of a lifecycle event that is not one exact trigger, such as a|b",
		There: "does not run the hook", Here: "runs it where a trigger matches", Source: refPlanner,
		Shown: InReport | InExplain},
	{ID: "matcher-tool", When: "an older name of a tool, or MCP's own, in a matcher", There: "does not run the hook",
		Here: "runs it", Source: refPlanner, Shown: InExplain},
	// commands
	{ID: "quoted-variable", When: `"$GEMINI_PROJECT_DIR/...", or ${GEMINI_PROJECT_DIR}/... without quotes, where the ` +
		`path needs quotes`,
		There: `puts a quoted path into the quotes, leaves the other to the shell, and finds no program ` +
			`("${GEMINI_PROJECT_DIR}/..." works)`, Here: "runs both", Source: refRunner, Shown: InExplain},
	{ID: "project-dir", When: "GEMINI_PROJECT_DIR below the project's root", There: "gives the working directory",
		Here: "gives the root", Source: refRunner, Shown: InExplain},
	{ID: "early-expansion", When: "a variable inside single quotes of a command",
		There: "puts its value in when it reads the settings", Here: "leaves it to the shell", Source: refSettings,
		Shown: InExplain},
	// settings and trust
	{ID: "on-error", When: "onError of a hook", There: "ignores it: a failure never blocks because of it",
		Here: "obeys it", Source: refTypes, Shown: InExplain},
	{ID: "dialect", When: "dialect of a hook", There: "ignores it: every hook reads and answers in its own dialect",
		Here: "obeys it", Source: refTypes, Shown: InExplain},
	{ID: "args", When: "args of a hook", There: "ignores them: the shell runs the command alone",
		Here: "runs the command with them and without a shell", Source: refRunner, Shown: InExplain},
	{ID: "async", When: "async of a hook", There: "ignores it: the hook is waited for, and can block",
		Here: "does not wait for it", Source: refTypes, Shown: InExplain},
	{ID: "once", When: "once of a hook", There: "ignores it: the hook runs each time", Here: "obeys it", Source: refTypes,
		Shown: InExplain},
	{ID: "kind", When: "a hook that is not a command", There: "leaves it out", Here: "runs it", Source: refRegistry,
		Shown: InExplain},
	{ID: "blocked-exit-code", When: "hooksConfig.blockedExitCode", There: "ignores it", Here: "obeys it",
		Source: refSettings},
	{ID: "may-allow", When: "hooksConfig.mayAllow", There: "ignores it, as it does PermissionRequest", Here: "obeys it",
		Source: refSettings},
	{ID: "max-retries", When: "hooksConfig.maxRetries", There: "ignores it", Here: "obeys it", Source: refSettings},
	{ID: "older-disabled", When: "hooks.disabled", There: "does not read it and runs the hook",
		Here: "reads it, as hooksConfig.disabled", Source: refRegistry, Shown: InExplain},
	{ID: "untrusted-folder", When: "user and system hooks in a folder that is not trusted", There: "runs none of them",
		Here: "runs them", Source: refRegistry, Shown: InExplain},
	{ID: "silent-faults", When: "unknown fields, wrong types, invalid matchers, shadowed hooks",
		There: "ignores them silently", Here: "reports them", Source: refRegistry},
	{ID: "bad-timeout", When: "a timeout that is not a number", There: "ends the hook at once", Here: "takes the default",
		Source: refRunner},
	{ID: "not-strict", When: "a byte order mark in a settings file, or a comma after the last element",
		There: "exits with 52", Here: "reads the file", Source: refSettings},
	{ID: "extension-comment", When: "a comment in an extension's hooks", There: "loads none of them", Here: "loads them",
		Source: "cli/src/config/extension-manager.ts"},
})

// The files of Gemini CLI's source, below packages.
const (
	refRunner     = "core/src/hooks/hookRunner.ts"
	refPlanner    = "core/src/hooks/hookPlanner.ts"
	refRegistry   = "core/src/hooks/hookRegistry.ts"
	refAggregator = "core/src/hooks/hookAggregator.ts"
	refTranslator = "core/src/hooks/hookTranslator.ts"
	refHandler    = "core/src/hooks/hookEventHandler.ts"
	refSystem     = "core/src/hooks/hookSystem.ts"
	refTypes      = "core/src/hooks/types.ts"
	refChat       = "core/src/core/geminiChat.ts"
	refClient     = "core/src/core/client.ts"
	refScheduler  = "core/src/scheduler/scheduler.ts"
	refCompressor = "core/src/services/chatCompressionService.ts"
	refContainer  = "cli/src/ui/AppContainer.tsx"
	refSettings   = "cli/src/config/settings.ts"
)

// addedEvents lists the events that Gemini CLI does not have.
func addedEvents() string {
	var names []string
	for _, ev := range protocol.Events {
		if ev.IsAdded() {
			names = append(names, string(ev))
		}
	}
	return strings.Join(names, ", ")
}

// differencesOf sets the agent of all ds.
func differencesOf(agent string, ds []hooks.Difference) []hooks.Difference {
	for i := range ds {
		ds[i].Agent = agent
	}
	return ds
}
