package testbed

import (
	"iter"
	"slices"
	"strings"
	"sync"

	"minigem/agent/event"
	"minigem/hooks"
	"minigem/hooks/author/attack"
	"minigem/hooks/author/program"
	"minigem/hooks/config"
	"minigem/hooks/protocol"
	"minigem/internal/boundedfile"
	"minigem/tools/toolcall"
)

// Record is what has happened in a case so far. Assertions read it; nothing is computed
// while the case runs.
type Record struct {
	Reports   []hooks.Report // oldest first; a late report keeps the position of its first one
	Requests  []Request
	Started   []event.ToolStarted // calls that hooks, policy and user let through
	Finished  []event.ToolRecord
	Questions []toolcall.Question // permission prompts
	Notices   []string
	Outcomes  []Outcome // one per prompt
	Config    config.Loaded
	Stdout    string
	Stderr    string
	Screen    string // everything the terminal has shown; empty without a terminal
	Workspace string
	Home      string

	commands []Command
	withheld []string // commands of the model that were answered instead of run
	rounds   []Round  // what the model answers
	loops    []event.LoopDetected

	programs map[string][]program.Facts // of hooks that ran, by their command lines; nil if not needed

	before, now string // what the terminals of ended sessions showed, and what this one shows
	opening     error  // why the session could not be opened; assertions on that may follow
	transcripts []string
	file        string      // the case
	sections    []section   // its files
	used        [][2]string // what was copied into the workspace: the path there, and the original
	wants       map[string]section
	diff        func(n int) (string, error)                                      // what hooks changed in request n
	attack      func(protocol.Event, string, attack.Goal) (attack.Report, error) // attacks a hook that guards a goal
	updates     map[string][]byte                                                // new content of sections, when updating
	update      bool
	other       Other // the program that ran; nil for minigem
}

// recorder fills a Record while a session runs. It is safe for concurrent use.
type recorder struct {
	mu    sync.Mutex
	r     Record
	out   syncBuffer
	err   syncBuffer
	model *provider
}

func (rec *recorder) report(rep hooks.Report) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if rep.Late {
		for i := range rec.r.Reports {
			if rec.r.Reports[i].Seq == rep.Seq && rec.r.Reports[i].Event == rep.Event &&
				rec.r.Reports[i].Started.Equal(rep.Started) {
				rec.r.Reports = slices.Clone(rec.r.Reports) // earlier records share the slice
				rec.r.Reports[i] = rep
				return
			}
		}
	}
	rec.r.Reports = append(rec.r.Reports, rep)
}

// Emit implements event.Sink.
func (rec *recorder) Emit(e event.Event) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if n, ok := e.(event.Nested); ok { // nested events come from a subagent's tools
		e = n.Event
	}
	switch e := e.(type) {
	case event.ToolStarted:
		rec.r.Started = append(rec.r.Started, e)
	case event.ToolFinished:
		rec.r.Finished = append(rec.r.Finished, e.Record)
	case event.LoopDetected:
		rec.r.loops = append(rec.r.loops, e)
	case event.Notice:
		rec.r.Notices = append(rec.r.Notices, e.Text)
	}
}

func (rec *recorder) notice(text string) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.r.Notices = append(rec.r.Notices, text)
}

// withhold records that a command is not run, and returns why.
func (rec *recorder) withhold(command, why string) string {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.r.withheld = append(rec.r.withheld, command)
	return why
}

// transcript records the path of a session's file.
func (rec *recorder) transcript(path string) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if path != "" && !slices.Contains(rec.r.transcripts, path) {
		rec.r.transcripts = append(rec.r.transcripts, path)
	}
}

// soFar returns the record, including what is kept elsewhere. It shares data that is only
// ever appended to.
func (rec *recorder) soFar() *Record {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	r := rec.r
	r.Reports = slices.Clip(r.Reports)
	r.Requests, _ = rec.model.asOfNow()
	r.Stdout, r.Stderr, r.Screen = rec.out.String(), rec.err.String(), r.before+r.now
	return &r
}

// started yields the hook runs that were started, with their events.
func started(r *Record) iter.Seq2[hooks.Report, hooks.Run] {
	return func(yield func(hooks.Report, hooks.Run) bool) {
		for _, rep := range r.Reports {
			for _, run := range rep.Runs {
				if run.Ran() && !yield(rep, run) {
					return
				}
			}
		}
	}
}

// Transcript returns the text of the session files, oldest first. A session without a
// message has no file.
func (r *Record) Transcript() string {
	var b strings.Builder
	for _, path := range r.transcripts {
		data, err := boundedfile.Read(path, boundedfile.Recorded)
		if err == nil {
			b.Write(data)
		}
	}
	return b.String()
}

// syncBuffer is a strings.Builder that is safe for concurrent use.
type syncBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
