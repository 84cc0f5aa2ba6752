package hooks

import (
	"slices"

	"minigem/hooks/protocol"
)

// Speech is an event for a hook of another dialect than Gemini CLI's.
type Speech struct {
	// Dialect is the hook's dialect.
	Dialect *protocol.Dialect
	// Event is the event under our name.
	Event protocol.Event
	// Stdin is the event in Gemini CLI's form.
	Stdin Payload
	// Translated is the same with the dialect's names of events, tools and fields, as
	// [protocol.Dialect.Translate] returns it.
	Translated []byte
	// Base holds the fields that every payload begins with.
	Base protocol.Base
	// PromptID is a UUID that all events of one submitted prompt share.
	PromptID string
	// Use is the tool call; zero at events that are not about a tool.
	Use ToolUse
	// Transcript is [Engine.Transcript]; may be nil.
	Transcript func(d *protocol.Dialect, of string) string
	// EnvFile is [Engine.EnvFile]; may be nil.
	EnvFile func() (string, error)
}

// Speaker completes a payload in another dialect with what hooks/protocol does not know.
// It must be safe for concurrent use. hooks/agents implements it.
type Speaker interface {
	// Speak returns what the hook reads, and variables for its environment, "NAME=value".
	Speak(s Speech) (stdin []byte, env []string)
}

// Ask implements [Rules].
func (o ownRules) Ask(f Firing, h Hook, stdin Payload) (Payload, []string) {
	d := protocol.DialectOf(h.Dialect)
	if d == protocol.Gemini() {
		return stdin, f.Origin.env()
	}
	out := d.Translate(f.Event, stdin.Bytes())
	if f.Config.Speaker == nil {
		return Payload{out}, f.Origin.env()
	}
	out, env := f.Config.Speaker.Speak(Speech{
		Dialect: d, Event: f.Event, Stdin: stdin, Translated: out, Base: f.Base, PromptID: f.PromptID, Use: f.Use,
		Transcript: o.e.Transcript, EnvFile: o.e.EnvFile,
	})
	return Payload{out}, slices.Concat(env, f.Origin.env())
}

// env returns the variables that every hook gets (core/hooks/hookRunner.ts).
func (o Origin) env() []string {
	project := o.ProjectDir
	if project == "" {
		project = o.Cwd
	}
	return []string{
		"GEMINI_PROJECT_DIR=" + project, "GEMINI_PLANS_DIR=" + o.PlansDir, "GEMINI_CWD=" + o.Cwd,
		"GEMINI_SESSION_ID=" + o.SessionID, "CLAUDE_PROJECT_DIR=" + project,
	}
}
