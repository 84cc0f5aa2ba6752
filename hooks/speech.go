package hooks

import (
	"slices"

	"minigem/hooks/protocol"
)

// Speech is an event that a hook reads in another dialect than Gemini CLI's.
type Speech struct {
	Dialect    *protocol.Dialect
	Event      Event
	Stdin      Payload // the event in Gemini CLI's form
	Translated []byte  // the same with the dialect's names of events, tools and fields
	Base       protocol.Base
	PromptID   string
	Use        ToolUse // of the tool events
	// Transcript and EnvFile are the engine's; they may be nil.
	Transcript func(d *protocol.Dialect, of string) string
	EnvFile    func() (string, error)
}

// Speaker makes a payload in another dialect whole. It is safe for concurrent use.
type Speaker interface {
	// Speak returns what the hook reads, and variables for it, "NAME=value".
	Speak(s Speech) (stdin []byte, env []string)
}

// Ask implements Rules.
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

// env are the variables that every hook gets (core/hooks/hookRunner.ts).
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
