// Package record makes a case for the testbed out of a run: of its prompts, of what the
// model answered, of the hooks that ran with their scripts, and of the files that tools
// touched. The results of the run become the case's assertions.
//
// A case contains no secrets: values of environment variables, texts that look like
// secrets, the home folder and the user's name are removed. It is small, because it only
// contains files that the run touched.
//
// The package does not know how a run is wired. The caller tells it what happens. Package
// testbed runs the cases.
package record

import (
	"slices"
	"strings"
	"sync"
	"time"

	"minigem/agent"
	"minigem/agent/event"
	"minigem/hooks"
	"minigem/hooks/config"
	"minigem/hooks/protocol"
	"minigem/tools/policy"
	"minigem/tools/toolcall"
)

// Options describes the environment of a run. Dir and Project are absolute.
type Options struct {
	Dir         string // the workspace
	Project     string // the project's root, usually the same
	Home        string
	User        string // the login name; empty if unknown
	Mode        string // approval mode
	Interactive bool   // the user can be asked
	Untrusted   bool   // the project's configuration is not loaded
	Resumed     bool   // the session existed before the run
	Mask        func(string) string
	Hooks       []hooks.Hook      // all configured hooks
	Agents      map[string]string // files that define agents, by the agents' names
}

// Recorder records a run. It is safe for concurrent use.
type Recorder struct {
	mu sync.Mutex
	recorded
}

// writer converts a recording to a case.
type writer struct{ *recorded }

// recorded holds what was recorded of a run.
type recorded struct {
	o     Options
	clean *cleaner
	began time.Time

	acts        []act
	reports     []hooks.Report
	started     []string // names of tools that ran
	finished    []event.ToolRecord
	answers     []answer // of the model
	files       *files
	scripts     *files
	agents      map[string]*agentFile // by name
	interrupted bool
	stopped     bool // recording has ended
	notes       []string
	last        agent.Ending
}

// act is a prompt or another action of the user.
type act struct {
	verb     string // prompt, clear, compress
	text     string
	approval []string // answers to permission prompts, as words of the script
}

// New returns a Recorder. It reads the scripts of the hooks as they are now.
func New(o Options) *Recorder {
	r := &Recorder{recorded: recorded{o: o, clean: newCleaner(o), began: time.Now()}}
	r.files, r.scripts = newFiles(o.Dir), newFiles(o.Project)
	for _, h := range o.Hooks {
		for _, path := range config.Scripts(h, o.Project) {
			r.scripts.note(path)
		}
	}
	r.noteAgents(o.Agents)
	if o.Resumed {
		r.notes = append(r.notes, "The session had already begun: its earlier messages are not part of the case.")
	}
	if o.Dir != o.Project {
		r.notes = append(r.notes, "It was recorded in a folder of the project, which is the workspace of the case.")
	}
	return r
}

// Prompt must be called before a prompt is run. text is what the user typed. filled is
// what a custom command expanded it to, or text itself. The case contains the project's
// custom commands, and the expansion of other commands.
func (r *Recorder) Prompt(text, filled string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over() {
		return
	}
	if !r.files.command(text) {
		text = filled
	}
	r.files.included(text)
	r.acts = append(r.acts, act{verb: "prompt", text: text})
}

// Do must be called for "clear" and "compress".
func (r *Recorder) Do(verb string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.over() {
		r.acts = append(r.acts, act{verb: verb})
	}
}

// SetMode records the session's approval mode.
func (r *Recorder) SetMode(mode string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.o.Mode = mode
}

// Stop ends the recording before something that a case cannot express. why is a sentence.
func (r *Recorder) Stop(why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.over() {
		r.stopped, r.notes = true, append(r.notes, why)
	}
}

// over reports whether recording has ended.
func (r *Recorder) over() bool { return r.stopped || r.interrupted }

// Unrecorded notes something that a case cannot express. what is a sentence.
func (r *Recorder) Unrecorded(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.notes, what) {
		r.notes = append(r.notes, what)
	}
}

// Answered records the user's answer to a permission prompt.
func (r *Recorder) Answered(_ toolcall.Question, a toolcall.Answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over() || len(r.acts) == 0 {
		return
	}
	word := "once"
	switch a.Outcome {
	case policy.ProceedOnce:
	case policy.ProceedAlways, policy.ProceedAlwaysSandbox, policy.ProceedAlwaysServer, policy.ProceedAlwaysTool:
		word = "always"
	case policy.ModifyWithEditor:
		r.notes = append(r.notes, "The user changed an edit in an editor: here it is allowed as it was.")
		return // the user will be asked again
	default:
		word = strings.TrimSpace("no " + oneLine(a.Feedback))
	}
	last := &r.acts[len(r.acts)-1]
	last.approval = append(last.approval, "answer "+word)
}

// Finished records how a prompt ended. If a prompt is interrupted from outside, nothing is
// recorded after it.
func (r *Recorder) Finished(res agent.Result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over() {
		return
	}
	refused := len(r.acts) > 0 && slices.ContainsFunc(r.acts[len(r.acts)-1].approval, func(a string) bool {
		return strings.HasPrefix(a, "answer no")
	})
	r.last = res.Ending
	r.interrupted = res.Ending == agent.Cancelled && !refused
}

// Report must be called for every hook event.
func (r *Recorder) Report(rep hooks.Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped || r.interrupted && rep.Event != protocol.SessionEnd {
		return
	}
	if rep.Late {
		for i, old := range r.reports {
			if old.Seq == rep.Seq && old.Event == rep.Event && old.Started.Equal(rep.Started) {
				r.reports[i] = rep
				return
			}
		}
	}
	r.reports = append(r.reports, rep)
}

// Emit implements event.Sink.
func (r *Recorder) Emit(e event.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over() {
		return
	}
	switch e := nested(e).(type) {
	case event.AgentStarted:
		if a := r.agents[e.Name]; a != nil {
			a.used = true
		}
	case event.ToolRequested:
		r.files.named(e.Call.Args)
	case event.ToolStarted:
		r.files.named(e.Call.Args)
		r.started = append(r.started, e.Call.Name)
	case event.ToolFinished:
		r.finished = append(r.finished, e.Record)
		r.files.found(e.Record)
		if e.Record.MCPServer != "" {
			r.notes = append(r.notes, "The tools of the MCP server "+e.Record.MCPServer+" are not available in a case.")
		}
	}
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
