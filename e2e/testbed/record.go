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
	"minigem/hooks/protocol"
	"minigem/internal/boundedfile"
	"minigem/tools/toolcall"
)

// Record is what happened in a case so far. Assertions read it; nothing is
// computed while the case runs.
type Record struct {
	Reports   []hooks.Report // oldest first; a late report stands where its first one did
	Requests  []Request
	Started   []event.ToolStarted // calls that passed hooks, policy and user
	Finished  []event.ToolRecord
	Questions []toolcall.Question // permission prompts
	Notices   []string
	Outcomes  []Outcome // one a prompt
	Config    hooks.Config
	Stdout    string
	Stderr    string
	Screen    string // what the terminal shows, and has shown; empty: there is none
	Workspace string
	Home      string

	commands []Command
	rounds   []Round // what the model answers
	loops    []event.LoopDetected

	programs map[string][]program.Facts // of hooks that ran, by their lines; nil: nobody asks

	before, now string // what the terminals of ended sessions showed, and what is seen now
	opening     error  // the session could not be opened; assertions about that may follow
	transcripts []string
	file        string      // the case
	sections    []section   // its files
	used        [][2]string // what was copied into the workspace: there, and where it stands
	wants       map[string]section
	diff        func(n int) (string, error)                                      // what hooks changed in request n
	attack      func(protocol.Event, string, attack.Goal) (attack.Report, error) // what a guard holds
	updates     map[string][]byte                                                // new content of sections, with update
	update      bool
	other       Other // another program ran; nil: minigem did
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
				rec.r.Reports = slices.Clone(rec.r.Reports) // earlier records share them
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
	if n, ok := e.(event.Nested); ok { // what a subagent's tools did was done
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

// transcript remembers a session's file.
func (rec *recorder) transcript(path string) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if path != "" && !slices.Contains(rec.r.transcripts, path) {
		rec.r.transcripts = append(rec.r.transcripts, path)
	}
}

// soFar returns the record, with what is kept elsewhere. It shares what later ones
// only add to.
func (rec *recorder) soFar() *Record {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	r := rec.r
	r.Reports = slices.Clip(r.Reports)
	r.Requests, _ = rec.model.asOfNow()
	r.Stdout, r.Stderr, r.Screen = rec.out.String(), rec.err.String(), r.before+r.now
	return &r
}

// started are the runs of hooks that did run, with their events.
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

// Transcript is the text of the session files, oldest first. A session in which
// nothing was said leaves none.
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

// syncBuffer is a strings.Builder for several goroutines.
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
